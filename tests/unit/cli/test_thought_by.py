"""What a person is told of the language models of a run."""

from assay.orchestrator.v1.run_pb2 import AgentUsage

from orchestrator.cli.layout import Layout
from orchestrator.cli.thought_by import thought_by

WIDE = Layout(width=200)


def test_rules_alone_are_not_worth_a_line() -> None:
    assert thought_by([AgentUsage(agent="planner", reasoner="offline")], WIDE) == []


def test_each_agent_says_who_thought_and_what_it_cost() -> None:
    agents = [
        AgentUsage(
            agent="planner", reasoner="openai", model="m", model_calls=1, input_tokens=900, output_tokens=80
        ),
        AgentUsage(
            agent="executor",
            reasoner="openai",
            model="m",
            model_calls=2,
            input_tokens=4000,
            output_tokens=300,
            tokens_estimated=True,
        ),
        AgentUsage(agent="verifier", reasoner="offline", model_failure="unreachable"),
        AgentUsage(agent="composer", reasoner="offline"),
    ]
    assert thought_by(agents, WIDE) == [
        "  - planner: m, 1 request with 900 tokens, 80 in the answers.",
        "  - executor: m, 2 requests with about 4000 tokens, about 300 in the answers.",
        (
            "  - verifier: by rules, because the model gave no result: the endpoint cannot be reached; "
            "check that it runs there."
        ),
        "  - composer: by rules.",
    ]


def test_a_failure_of_another_version_is_told_nevertheless() -> None:
    (line,) = thought_by([AgentUsage(agent="planner", reasoner="openai", model_failure="on_fire")], WIDE)
    assert "does not know" in line
