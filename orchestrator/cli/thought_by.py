"""Who thought, where a language model had a part in it: what it cost, and where rules stepped in for it."""

from collections.abc import Iterator, Sequence

from assay.orchestrator.v1.run_pb2 import AgentUsage

from orchestrator.cli.layout import Layout
from services.common.llm.failures import sentence_of
from services.common.reasoning import OFFLINE


def thought_by(agents: Sequence[AgentUsage], layout: Layout) -> list[str]:
    """Return a line for each agent; none when no model was asked and none should have been."""
    if not any(agent.model_calls or agent.model_failure for agent in agents):
        return []
    return [line for agent in agents for line in layout.hanging("  - ", ", ".join(_told(agent)) + ".")]


def _told(agent: AgentUsage) -> Iterator[str]:
    by_rules = agent.reasoner == OFFLINE
    yield f"{agent.agent}: " + ("by rules" if by_rules else agent.model or "no model was asked")
    if agent.model_calls:
        about = "about " if agent.tokens_estimated else ""
        calls = "1 request" if agent.model_calls == 1 else f"{agent.model_calls} requests"
        yield f"{calls} with {about}{agent.input_tokens} tokens, {about}{agent.output_tokens} in the answers"
    if agent.model_failure:
        instead = "because the model gave no result" if by_rules else "no result"
        yield f"{instead}: {sentence_of(agent.model_failure)}"
