"""What an agent says of who thought ends in the run's usage and in its prompt audit."""

from assay.common.v1.reasoning_pb2 import ModelCall, Reasoning
from assay.orchestrator.v1.run_pb2 import AgentUsage
from assay.orchestrator.v1.state_pb2 import AttemptReasoning

from orchestrator import prompt_audit as audit
from orchestrator.prompt_audit import prompt_audit
from orchestrator.result import agents_of

DEFAULT = ("planner_offline_rules", "2", "offline")


def attempt(node: str, *calls: ModelCall, failure: str = "", reasoner: str = "openai") -> AttemptReasoning:
    reasoning = Reasoning(reasoner=reasoner, model_calls=calls, model_failure=failure)
    return AttemptReasoning(node=node, reasoning=reasoning)


def test_the_attempts_of_an_agent_are_added_up() -> None:
    first = ModelCall(model="m", input_tokens=10, output_tokens=2, outcome="not_json")
    second = ModelCall(model="m", input_tokens=11, output_tokens=3, tokens_estimated=True, outcome="ok")
    planner, composer = agents_of(
        [
            attempt("planner", first, failure="not_json"),
            attempt("planner", second),
            attempt("composer", reasoner="offline", failure="unreachable"),
        ]
    )
    assert planner == AgentUsage(
        agent="planner",
        reasoner="openai",
        model="m",
        model_calls=2,
        input_tokens=21,
        output_tokens=5,
        tokens_estimated=True,
    )
    assert composer == AgentUsage(agent="composer", reasoner="offline", model_failure="unreachable")


def test_the_audit_names_the_prompt_that_was_used_last() -> None:
    own = audit.Prompt("planner", "other", "7", "openai")
    catalog = (*audit.CATALOG, own)
    used = AttemptReasoning(
        node="planner", reasoning=Reasoning(reasoner="openai", prompt_name="other", prompt_version="7")
    )
    unknown = AttemptReasoning(
        node="planner", reasoning=Reasoning(prompt_name="invented", prompt_version="1")
    )
    assert _planner(prompt_audit({"planner"}, [used], catalog)) == ("other", "7", "openai")
    assert _planner(prompt_audit({"planner"}, [used, unknown], catalog)) == DEFAULT
    assert _planner(prompt_audit(set(), [], catalog)) == DEFAULT


def _planner(found: dict[str, object]) -> tuple[str, str, str]:
    entries = found["prompts"]
    assert isinstance(entries, list)
    assert [entry["agent"] for entry in entries] == ["planner", "executor", "verifier", "composer"]
    return entries[0]["name"], entries[0]["version"], entries[0]["reasoner"]
