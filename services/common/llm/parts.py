"""An agent whose reasoner the settings choose, and a model with all that a process serves beside it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from services.common.llm.model import EndpointModel
from services.common.llm.port import Model
from services.common.llm.settings import ReasonerSettings
from services.common.llm.watch import EndpointWatch
from services.common.redaction.redactor import Redactor
from services.common.redaction.settings import plain
from services.common.rpc.health import Ready
from services.common.rpc.process import Endpoint, Problems
from services.common.rpc.service import Service, Steps

ReasonerT = TypeVar("ReasonerT")


@dataclass(frozen=True, slots=True)
class ModelParts:
    """The model, and the parts of a `Service` that it brings."""

    model: Model
    ready: Ready | None
    problems: Problems
    endpoint: Endpoint
    close: Steps

    def beside(self, service: Service) -> Service:
        """Return a service with these parts beside its own."""
        return replace(
            service,
            ready=self.ready,
            problems=self._both(service.problems),
            endpoint=self.endpoint,
            close=(*service.close, *self.close),
        )

    def _both(self, own: Problems | None) -> Problems:
        if own is None:
            return self.problems

        async def problems() -> Sequence[str]:
            return [*await own(), *await self.problems()]

        return problems


def served_by_choice(
    settings: ReasonerSettings,
    offline: ReasonerT,
    asking: Callable[[Model, int, ReasonerT | None], ReasonerT],
    serve: Callable[[ReasonerT], Service],
) -> Service:
    """Return the service of the reasoner that the settings choose; a model is opened only where one is asked.

    `asking` makes the one that asks a model, from that, the largest request in estimated tokens, and who goes
    on where the model fails; None leaves that to the graph. Call it inside the running event loop.
    """
    match settings.reasoner:
        case "offline":
            return serve(offline)
        case "openai":
            opened = open_model(settings)
            instead = offline if settings.fallback_reasoner == "offline" else None
            return opened.beside(serve(asking(opened.model, settings.model_context_tokens, instead)))


def open_model(settings: ReasonerSettings) -> ModelParts:
    """Open the model that the settings name; every text is redacted before it leaves.

    Call it inside the running event loop, and only where the reasoner is `openai`: it loads the SDK. An agent
    that has another reasoner to fall back to is ready without its model.
    """
    from services.common.llm.client import EndpointClient  # noqa: PLC0415 - slow, large, and not for everyone

    redactor = Redactor(plain(settings.redact_patterns))
    client = EndpointClient(settings)
    model = EndpointModel(client, settings, lambda text: redactor.text(text).text)
    watch = EndpointWatch(client, model, settings, asyncio.get_running_loop().time)
    return ModelParts(
        model=model,
        ready=watch.ready if settings.fallback_reasoner == "none" else None,
        problems=watch.problems,
        endpoint=watch.describe,
        close=(model.aclose, client.aclose),
    )
