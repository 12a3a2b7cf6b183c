"""The model port on an endpoint: one request per call, in the form that the endpoint takes.

Only when an endpoint refuses a form in which it has never answered do tiny requests of our own find out which
it takes. The call itself has then failed; the next one asks in that form.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

import structlog
from assay.common.v1 import reasoning_pb2
from pydantic import BaseModel, ConfigDict, Field

from services.common.llm.addresses import host_and_port
from services.common.llm.answers import IllegalAnswerError, parsed
from services.common.llm.capability import Capability
from services.common.llm.completion import Completion, Usage
from services.common.llm.failures import FAILURES, RequestFailedError
from services.common.llm.forms import MODES, STRICTEST, Asked, Form, Mode, body_of, size_of
from services.common.llm.port import OK, Answered, AnswerT, Kind, ModelError, ModelRequest
from services.common.llm.settings import ReasonerSettings
from services.common.llm.telemetry import chat_observed
from services.common.llm.tokens import estimated

# Statuses by which endpoints refuse a form that they do not know.
DOUBTFUL_STATUSES: Final = frozenset({400, 404, 422, 500, 501})
# Failures of a model that took the form of the question.
_TAKEN: Final = frozenset({Kind.CUT_OFF, Kind.REFUSAL, Kind.CONTENT_FILTERED})
_PROBE: Final = "Greet the reader."
_PROBE_TOKENS: Final = 64

_log = structlog.get_logger("assay.model")


class Client(Protocol):
    """Sends chat completions to an endpoint."""

    async def complete(self, body: dict[str, Any], deadline: float) -> Completion:
        """Send one; `deadline` is on the event loop's clock. Raises RequestFailedError."""
        ...


class Greeting(BaseModel):
    """What is asked for when only the form is of interest."""

    model_config = ConfigDict(strict=True, extra="forbid")

    greeting: str = Field(description="one word")


class EndpointModel:
    """The model that the settings name. `redact` is applied to every text before it leaves."""

    def __init__(self, client: Client, settings: ReasonerSettings, redact: Callable[[str], str]) -> None:
        self._client = client
        self._settings = settings
        self._redact = redact
        self._now = asyncio.get_running_loop().time
        self._capabilities: dict[type[BaseModel], Capability] = {}

    async def ask(self, request: ModelRequest[AnswerT], seconds: float) -> Answered[AnswerT]:
        """Ask once, in at most `seconds`; raises ModelError."""
        with chat_observed(self._settings, self._most_tokens(request)) as ended:
            try:
                answered = await self._ask(request, seconds)
            except ModelError as error:
                ended(error.call)
                raise
            ended(answered.call)
            return answered

    async def _ask(self, request: ModelRequest[AnswerT], seconds: float) -> Answered[AnswerT]:
        began = self._now()
        own = self._settings.model_timeout_seconds
        deadline = began + min(seconds, own)
        capability = self._capability(request.answer)
        form = capability.form
        call = reasoning_pb2.ModelCall(model=self._settings.model_name, mode=form.mode.value)
        try:
            value = await self._answer(request, form, deadline, call)
        except RequestFailedError as failed:
            kind = await self._judged(failed, capability, form, deadline)
            if kind is Kind.TIMED_OUT and not failed.status and seconds < own:
                kind = Kind.OUT_OF_TIME
            self._finish(call, kind.value, began)
            raise ModelError(kind, self._text(kind, failed.status), call) from None
        except IllegalAnswerError as illegal:
            if illegal.unconstrained and form.mode is Mode.JSON_SCHEMA:
                capability.lower(form)
            self._finish(call, illegal.kind.value, began)
            raise ModelError(illegal.kind, self._text(illegal.kind), call) from None
        capability.confirm(form)
        self._finish(call, OK, began)
        return Answered(value, call)

    async def find_mode(self) -> None:
        """Find out which form the endpoint takes, unless that is known; raises RequestFailedError."""
        if not self.mode:
            await self._capability(Greeting).find()

    @property
    def mode(self) -> str:
        """The least strict mode in which the endpoint is known to answer; empty when none is."""
        known = [item.form.mode for item in self._capabilities.values() if item.proven]
        return max(known, key=MODES.index).value if known else ""

    async def aclose(self) -> None:
        """End every search for a form."""
        for capability in self._capabilities.values():
            await capability.aclose()

    async def _answer(
        self, request: ModelRequest[AnswerT], form: Form, deadline: float, call: reasoning_pb2.ModelCall
    ) -> AnswerT:
        settings = self._settings
        asked = Asked(
            settings.model_name,
            self._redact(request.instructions),
            self._redact(request.material),
            request.answer,
            self._most_tokens(request),
        )
        body = body_of(asked, form)
        size = size_of(body)
        if estimated(size) > settings.model_context_tokens:
            raise RequestFailedError(Kind.OVER_BUDGET, sent=False)
        try:
            completion = await self._client.complete(body, deadline)
        except RequestFailedError as failed:
            if failed.sent:
                _count(call, size, Usage(), "")
            raise
        _count(call, size, completion.usage, completion.text)
        if completion.failure is not None:
            raise RequestFailedError(completion.failure)
        return parsed(completion.text, request.answer)

    def _most_tokens(self, request: ModelRequest[AnswerT]) -> int:
        return min(request.max_output_tokens, self._settings.model_max_output_tokens)

    async def _judged(
        self, failed: RequestFailedError, capability: Capability, form: Form, deadline: float
    ) -> Kind:
        """Return the kind of a failure: a status that is in doubt may be about the form alone."""
        if failed.status not in DOUBTFUL_STATUSES:
            return failed.kind
        if capability.form == form and not capability.proven:
            try:
                async with asyncio.timeout_at(deadline):
                    await capability.find()
            except (TimeoutError, RequestFailedError):
                return failed.kind
        return failed.kind if capability.form == form else Kind.UNFIT_MODE

    def _capability(self, answer: type[BaseModel]) -> Capability:
        if answer not in self._capabilities:
            known = self._capabilities.get(Greeting)
            first = known.form if known else STRICTEST
            self._capabilities[answer] = Capability(partial(self._fits, answer), first)
        return self._capabilities[answer]

    async def _fits(self, answer: type[BaseModel], form: Form) -> bool:
        """Ask for something tiny in a form; see `capability.Fits`."""
        asked = Asked(self._settings.model_name, _PROBE, "Hello.", answer, _PROBE_TOKENS)
        deadline = self._now() + self._settings.model_timeout_seconds
        try:
            completion = await self._client.complete(body_of(asked, form), deadline)
        except RequestFailedError as failed:
            if failed.status not in DOUBTFUL_STATUSES:
                raise
            fits = False
        else:
            fits = _keeps(completion, answer, form)
        _log.info("form of answers", mode=form.mode.value, dialect=form.dialect.value, fits=fits)
        return fits

    def _finish(self, call: reasoning_pb2.ModelCall, outcome: str, began: float) -> None:
        call.outcome = outcome
        seconds = self._now() - began
        call.duration.FromNanoseconds(int(seconds * 1e9))
        _log.info(
            "model called",
            outcome=outcome,
            mode=call.mode,
            input_tokens=call.input_tokens,
            output_tokens=call.output_tokens,
            estimated=call.tokens_estimated,
            request_bytes=call.request_bytes,
            seconds=round(seconds, 3),
        )

    def _text(self, kind: Kind, status: int = 0) -> str:
        told = f", HTTP status {status}" if status else ""
        where = host_and_port(self._settings.model_base_url)
        return f"{FAILURES[kind].sentence} (model {self._settings.model_name} at {where}{told})"


def _keeps(completion: Completion, answer: type[BaseModel], form: Form) -> bool:
    """Tell whether an endpoint that took a form keeps to it; raises RequestFailedError if nothing says so."""
    if completion.failure is not None and completion.failure not in _TAKEN:
        raise RequestFailedError(completion.failure)
    if completion.failure is not None or form.mode is Mode.TEXT:
        return True
    try:
        parsed(completion.text, answer)
    except IllegalAnswerError as illegal:
        return not illegal.unconstrained
    return True


def _count(call: reasoning_pb2.ModelCall, size: int, usage: Usage, text: str) -> None:
    """Note what a request of `size` bytes cost: as the endpoint counted, else estimated."""
    call.request_bytes = size
    call.tokens_estimated = usage.input_tokens is None or usage.output_tokens is None
    call.input_tokens = estimated(size) if usage.input_tokens is None else usage.input_tokens
    own = estimated(len(text.encode("utf-8", "replace")))
    call.output_tokens = own if usage.output_tokens is None else usage.output_tokens
