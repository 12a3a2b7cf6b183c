"""What an endpoint or its model can do wrong, and what comes of it for a run and for a person: data."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.model_endpoint import Reply
from tests.fakes.model_endpoint import replies as r
from tests.fakes.model_endpoint.server import Asked
from tests.fakes.sensible_model import said
from tests.model_faults.graph import ANSWERS, Answering, sensible

# Stands in every wrong answer, and may stand nowhere else.
ITS_WORDS: Final = "canary-5b1d"
ALL: Final = tuple(ANSWERS)

INVALID: Final = "INVALID_OUTPUT"
AGAIN: Final = "RETRYABLE_FAILED"
NEVER: Final = "NON_RETRYABLE_FAILED"


@dataclass(frozen=True)
class Fault:
    """A failure: the node's outcome, its kind, and words of the sentence that a person reads.

    `requests` are those of the first attempt, and of both where the graph tries again.
    """

    name: str
    answering: Answering
    outcome: str
    model_failure: str
    told: str
    requests: tuple[int, int]
    agents: tuple[str, ...] = ALL
    seconds: float | None = None
    caller_seconds: float | None = None

    def attempts(self, agent: str) -> int:
        """Return how often a node is tried: a second time unless that is in vain; the executor never."""
        return 1 if agent == "executor" or self.outcome == NEVER else 2

    def outcome_of(self, agent: str) -> str:
        """Return the outcome of a node; the executor does not tell failures apart."""
        return "FAILED" if agent == "executor" and self.outcome != INVALID else self.outcome


@dataclass(frozen=True)
class Answer:
    """An answer that is no failure, right or wrong, what the run comes to, and how many requests it takes."""

    name: str
    answering: Answering
    verdict: str
    exit_code: int
    requests: int = 1
    agents: tuple[str, ...] = ALL


def always(reply: Reply) -> Answering:
    """Answer every agent alike."""
    return lambda _agent, _asked: reply


def rewritten(change: Callable[[str], Reply]) -> Answering:
    """Answer with what an able model would say, written in another way."""
    return lambda agent, asked: change(json.dumps(said(ANSWERS[agent], asked)))


def saying(**values: Mapping[str, Any]) -> Answering:
    """Answer each agent with a value of its own."""
    return lambda agent, _asked: r.answer(values[agent])


def without_schemas(agent: str, asked: Asked) -> Reply:
    """Refuse the strictest form of an answer, as older servers do."""
    return r.failed("400 Bad Request", ITS_WORDS) if asked.mode == "json_schema" else sensible(agent, asked)


def with_claim(**changed: Any) -> Answering:  # noqa: ANN401 - what a member of a claim may be
    """Answer the executor sensibly, but for some members of each cause."""

    def answering(agent: str, asked: Asked) -> Reply:
        value = said(ANSWERS[agent], asked)
        causes = [claim for claim in value["claims"] if claim["type"] == "cause"]
        for claim in causes:
            claim.update(changed)
        return r.answer(value)

    return answering


def _calls(text: str) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": "answer", "arguments": text}}]


_STEP: Final = {"goal": "", "tool": "logs_search", "args": "{}", "gap": ""}
_CHECK: Final = {"claim": "c1", "judged": "direct_observation", "refs": [], "invented": False, "why": ""}
_JUDGED: Final[dict[str, Any]] = {"checks": [_CHECK], "verdict": "pass", "score": 1, "why": ""}
_WRITTEN: Final[dict[str, Any]] = {"summary": [], "confirmed": [], "directions": []}
_FOREIGN_CALL: Final = _calls(json.dumps({ITS_WORDS: 1}))
# The request has to get there before.
_TRICKLE_SECONDS: Final = 2.0

FAULTS: Final = (
    Fault("401", always(r.failed("401 No", ITS_WORDS)), NEVER, "unauthorized", "refuses the key", (1, 1)),
    Fault("403", always(r.failed("403 No", ITS_WORDS)), NEVER, "unauthorized", "refuses the key", (1, 1)),
    # Four: it could be the form of the answer that is refused, so others are tried with tiny requests.
    Fault(
        "404",
        always(r.failed("404 Not Found", ITS_WORDS)),
        NEVER,
        "refused_request",
        "check model_base_url, model_name",
        (4, 4),
    ),
    Fault("429", always(r.failed("429 Slow", ITS_WORDS)), AGAIN, "rate_limited", "too many calls", (1, 2)),
    Fault(
        "429 with Retry-After beyond the time there is",
        always(r.failed("429 Slow", ITS_WORDS, retry_after="120")),
        AGAIN,
        "rate_limited",
        "too many calls",
        (1, 1),
    ),
    Fault("500", always(r.failed("500 Oops", ITS_WORDS)), AGAIN, "overloaded", "see its own log", (4, 8)),
    Fault("503", always(r.failed("503 Busy", ITS_WORDS)), AGAIN, "overloaded", "see its own log", (1, 2)),
    Fault(
        "hang",
        always(r.hang()),
        AGAIN,
        "timed_out",
        "raise model_timeout_seconds",
        (1, 2),
        seconds=_TRICKLE_SECONDS,
    ),
    Fault(
        "slow trickle",
        always(r.trickle()),
        AGAIN,
        "timed_out",
        "raise model_timeout_seconds",
        (1, 2),
        seconds=_TRICKLE_SECONDS,
    ),
    # Of an agent's time a second is kept. The executor needs more of it for its tools.
    Fault(
        "hang for longer than the caller waits",
        always(r.hang()),
        AGAIN,
        "out_of_time",
        "raise planner_seconds",
        (1, 2),
        agents=("planner", "verifier", "composer"),
        caller_seconds=3.5,
    ),
    Fault("cut connection", always(r.cut()), AGAIN, "unreachable", "cannot be reached", (1, 2)),
    Fault("reset", always(r.reset()), AGAIN, "unreachable", "cannot be reached", (1, 2)),
    Fault(
        "not HTTP",
        always(r.not_http(ITS_WORDS.encode() + b"\r\n")),
        AGAIN,
        "unreachable",
        "cannot be reached",
        (1, 2),
    ),
    Fault(
        "redirect",
        always(r.redirect("/elsewhere/v1/chat/completions")),
        NEVER,
        "refused_request",
        "refuses the request",
        (1, 1),
    ),
    Fault("no choices", always(r.sent({"choices": []})), INVALID, "empty", "without an answer", (1, 2)),
    Fault("null content", always(r.message(None)), INVALID, "empty", "without an answer", (1, 2)),
    Fault("refusal", always(r.message(None, refusal=ITS_WORDS)), NEVER, "refusal", "model refuses", (1, 1)),
    Fault(
        "finish_reason content_filter",
        always(r.message(ITS_WORDS, "content_filter")),
        NEVER,
        "content_filtered",
        "a filter of the endpoint",
        (1, 1),
    ),
    Fault(
        "finish_reason length",
        rewritten(lambda text: r.message(text, "length")),
        INVALID,
        "cut_off",
        "raise model_max_output_tokens",
        (1, 2),
    ),
    Fault("prose", always(r.message(f"I {ITS_WORDS}")), INVALID, "not_json", "holds no JSON object", (1, 2)),
    Fault(
        "half an answer",
        rewritten(lambda text: r.message(text[: len(text) // 2])),
        INVALID,
        "not_json",
        "holds no JSON object",
        (1, 2),
    ),
    Fault(
        "two answers that differ",
        rewritten(lambda text: r.message(f'{text}\n{{"{ITS_WORDS}": 1}}')),
        INVALID,
        "not_json",
        "holds no JSON object",
        (1, 2),
    ),
    Fault("wrong schema", always(r.answer({ITS_WORDS: 1})), INVALID, "wrong_shape", "another shape", (1, 2)),
    Fault(
        "extra fields",
        rewritten(lambda text: r.answer({**json.loads(text), ITS_WORDS: 1})),
        INVALID,
        "wrong_shape",
        "another shape",
        (1, 2),
    ),
    Fault(
        "calls of tools that nobody offered",
        always(r.message(None, "tool_calls", tool_calls=_FOREIGN_CALL)),
        INVALID,
        "wrong_shape",
        "another shape",
        (1, 2),
    ),
    Fault(
        "huge output",
        always(r.message(ITS_WORDS * 20_000)),
        INVALID,
        "too_large",
        "larger than model_max_answer_bytes",
        (1, 2),
    ),
    Fault("endless output", always(r.endless()), INVALID, "too_large", "model_max_answer_bytes", (1, 2)),
    Fault(
        "invalid UTF-8",
        always(r.http(b'{"choices": "\xff\xfe"}')),
        INVALID,
        "no_completion",
        "no message of the OpenAI protocol",
        (1, 2),
    ),
    Fault(
        "a web page",
        always(r.http(b"<!doctype html><html></html>", content_type="text/html")),
        INVALID,
        "no_completion",
        "check model_base_url",
        (1, 2),
    ),
    Fault(
        "invented tool",
        saying(planner={"steps": [{**_STEP, "tool": ITS_WORDS}]}),
        INVALID,
        "broke_rules",
        "breaks the rules",
        (1, 2),
        agents=("planner",),
    ),
    Fault(
        "ten thousand steps",
        saying(planner={"steps": [{**_STEP, "goal": ITS_WORDS}] * 10_000}),
        INVALID,
        "too_large",
        "larger than model_max_answer_bytes",
        (1, 2),
        agents=("planner",),
    ),
    Fault(
        "more steps than a plan may have",
        saying(planner={"steps": [{**_STEP, "goal": ITS_WORDS}] * 65}),
        INVALID,
        "wrong_shape",
        "another shape",
        (1, 2),
        agents=("planner",),
    ),
    Fault(
        "invented argument",
        saying(planner={"steps": [{**_STEP, "args": json.dumps({ITS_WORDS: 1})}]}),
        INVALID,
        "broke_rules",
        "breaks the rules",
        (1, 2),
        agents=("planner",),
    ),
    Fault(
        "invented id of a claim",
        saying(
            verifier={**_JUDGED, "checks": [{**_CHECK, "claim": ITS_WORDS}]},
            composer={**_WRITTEN, "confirmed": [{"text": "", "claims": [ITS_WORDS]}]},
        ),
        INVALID,
        "broke_rules",
        "breaks the rules",
        (1, 2),
        agents=("verifier", "composer"),
    ),
    Fault(
        "invented reference",
        saying(verifier={**_JUDGED, "checks": [{**_CHECK, "refs": [ITS_WORDS]}]}),
        INVALID,
        "broke_rules",
        "breaks the rules",
        (1, 2),
        agents=("verifier",),
    ),
    Fault(
        "a claim without its check",
        saying(verifier={**_JUDGED, "checks": []}),
        INVALID,
        "broke_rules",
        "breaks the rules",
        (1, 2),
        agents=("verifier",),
    ),
    Fault(
        "a reason and advice of its own",
        saying(
            composer={
                **_WRITTEN,
                "summary": [{"text": f"All failed because of {ITS_WORDS}; restart it.", "claims": ["c2"]}],
            }
        ),
        INVALID,
        "broke_rules",
        "breaks the rules",
        (1, 2),
        agents=("composer",),
    ),
    Fault(
        "invented text",
        saying(composer={**_WRITTEN, "summary": [{"text": f'It is "{ITS_WORDS}" 4711.', "claims": ["c1"]}]}),
        INVALID,
        "broke_rules",
        "breaks the rules",
        (1, 2),
        agents=("composer",),
    ),
)

ANSWERED: Final = (
    Answer("as it should be", sensible, "PASS", 0),
    Answer(
        "text around the JSON", rewritten(lambda text: r.message(f"Sure:\n```\n{text}\n```\n:)")), "PASS", 0
    ),
    Answer("thoughts before it", rewritten(lambda text: r.message(f"<think>{{}}</think>{text}")), "PASS", 0),
    Answer("single quotes", rewritten(lambda text: r.message(repr(json.loads(text)))), "PASS", 0),
    Answer(
        "a call of a tool, as text",
        rewritten(
            lambda text: r.message(f'<tool_call>{{"name": "answer", "arguments": {text}}}</tool_call>')
        ),
        "PASS",
        0,
    ),
    Answer(
        "a real call of a tool",
        rewritten(lambda text: r.message(None, "tool_calls", tool_calls=_calls(text))),
        "PASS",
        0,
    ),
    # The refused one, three tiny ones to find a form, and the question in that form.
    Answer("400 on json_schema", without_schemas, "PASS", 0, requests=5),
    Answer("invented pointer", with_claim(refs=["2/nowhere/7"]), "LOW_CONFID", 3, agents=("executor",)),
    Answer("invented call", with_claim(refs=["77/elements/0"]), "LOW_CONFID", 3, agents=("executor",)),
    Answer(
        "invented text",
        with_claim(statement=f'api: "{ITS_WORDS}" failed with code 4711.'),
        "REJECT",
        3,
        agents=("executor",),
    ),
)
