"""A scripted endpoint of the OpenAI protocol, over real HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_settings import SettingsConfigDict

from services.common.llm.client import EndpointClient
from services.common.llm.model import EndpointModel
from services.common.llm.settings import ReasonerSettings
from tests.fakes.model_endpoint.replies import models
from tests.fakes.model_endpoint.server import Asked, ModelEndpoint, Reply, Script, serving

__all__ = ["Asked", "ModelEndpoint", "Reply", "Script", "agent_settings", "asking", "scripted"]


class AgentSettings(ReasonerSettings):
    """The settings of an agent with a model."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_PLANNER_")


@asynccontextmanager
async def scripted(script: Script) -> AsyncIterator[ModelEndpoint]:
    """Serve inside the block; every chat completion is answered as the script says."""
    async with serving(script, models()) as endpoint:
        yield endpoint


def agent_settings(base_url: str, **changed: Any) -> AgentSettings:  # noqa: ANN401 - values of settings
    """Return the settings of an agent that asks the model of an endpoint."""
    return AgentSettings.model_validate(
        {"reasoner": "openai", "model_base_url": base_url, "model_name": "scripted", **changed}
    )


@asynccontextmanager
async def asking(settings: ReasonerSettings) -> AsyncIterator[EndpointModel]:
    """Yield the model of the settings; it is closed after the block."""
    client = EndpointClient(settings)
    model = EndpointModel(client, settings, lambda text: text)
    try:
        yield model
    finally:
        await model.aclose()
        await client.aclose()
