"""A model behind the scripted endpoint that reads its material and answers as an able one would."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.model_endpoint.replies import answer
from tests.fakes.model_endpoint.server import Asked, Reply

# Lines of the executor's records, as their own names tell.
_FAILED = re.compile(r"severity failure, count (\d+), .*first “([^”]+)”")
_ALERT = re.compile(r"labels.alertname (\S+), labels.service (\S+),")
_CHANGE = re.compile(r"^time (\S+), type \S+, service (\S+), summary “([^”]+)”")
_CLAIM = re.compile(r"(c\d+) ([^\[|]+?)(?: \[([^\]]*)\])?\| ")


def sensible(asked: Asked) -> Reply:
    """Answer whichever agent asks."""
    return answer(said(agent_of(asked), asked))


def said(name: str, asked: Asked) -> dict[str, Any]:
    """Return the answer of a name to a question, in whatever form that asks."""
    return _ANSWERS[name](material_of(asked))


def agent_of(asked: Asked) -> str:
    """Return the name of the answer that is asked for: Plan, Step, Judgement or Composition."""
    return str(asked.json["response_format"]["json_schema"]["name"])


def material_of(asked: Asked) -> list[str]:
    """Return the lines that the model is shown."""
    return str(asked.json["messages"][1]["content"]).split("\n")


def _plan(lines: list[str]) -> dict[str, Any]:
    """Call each tool that reads all sources, and each that needs one for every source of its kind."""
    steps = []
    for tool, kind in (
        ("topology_get", "topology"),
        ("alerts_list", "alert"),
        ("change_events_list", "change_event"),
        ("metrics_change_points", ""),
        ("metrics_saturation", ""),
        ("logs_templates", "log"),
    ):
        if not any(line.startswith(f"tool| {tool}(") for line in lines):
            continue
        names = [line.removeprefix(f"{kind}| ").partition(" (")[0] for line in lines if _is_of(line, kind)]
        arguments = [f'{{"source": "{name}"}}' for name in names] if kind else ["{}"]
        steps += [{"goal": "find what changed", "tool": tool, "args": args, "gap": ""} for args in arguments]
    return {"steps": steps}


def _is_of(line: str, kind: str) -> bool:
    return line.startswith(f"{kind}| ")


def _judgement(lines: list[str]) -> dict[str, Any]:
    """Believe every claim; a cause is inferred."""
    checks = [
        {
            "claim": found[1],
            "judged": "reasonable_inference" if " cause " in f" {found[2]} " else "direct_observation",
            "refs": found[3].replace("-", " ").split()[:1],
            "invented": False,
            "why": "the evidence says so",
        }
        for found in map(_CLAIM.match, lines)
        if found
    ]
    return {"checks": checks, "verdict": "pass", "score": 0.9, "why": "the evidence carries the claims"}


def _composition(lines: list[str]) -> dict[str, Any]:
    """Restate every claim as it stands, the first one in the summary."""
    claims = [(found[1], found[2].split()[0]) for found in map(_CLAIM.match, lines) if found]
    return {
        "summary": [{"text": "", "claims": [label]} for label, _ in claims[:1]],
        "confirmed": [{"text": "", "claims": [label]} for label, status in claims if status == "confirmed"],
        "directions": [{"text": "", "claims": [label]} for label, status in claims if status == "possible"],
    }


def _step(lines: list[str]) -> dict[str, Any]:
    """State what logs say most often as failed, every alert, and the last change as the cause."""
    claims: list[dict[str, Any]] = []
    for line in lines:
        label, _, shown = line.partition("| ")
        if found := _FAILED.search(shown):
            told = f'It was logged {found[1]} times: "{found[2]}"'
            claims.append(_claim("symptom", f"symptom-{len(claims)}", told, "", label))
        elif found := _ALERT.search(shown):
            told = f"{found[2]}: the alert {found[1]} is firing."
            claims.append(_claim("symptom", f"symptom-{len(claims)}", told, found[2], label))
        elif found := _CHANGE.search(shown):
            told = f'{found[2]}: the change "{found[3]}" is recorded at {found[1]}.'
            claims = [each for each in claims if each["type"] != "cause"]
            claims.append(_claim("cause", "cause-1", told, found[2], label))
    return {"calls": [], "claims": claims}


def _claim(kind: str, claim_id: str, statement: str, component: str, label: str) -> dict[str, Any]:
    is_cause = kind == "cause"
    return {
        "id": claim_id,
        "type": kind,
        "status": "confirmed",
        "critical": True,
        "statement": statement,
        "component": component,
        "kind": "service" if is_cause else "",
        "fault": "config.changed" if is_cause else "",
        "refs": [label],
    }


_ANSWERS: Mapping[str, Callable[[list[str]], dict[str, Any]]] = {
    "Plan": _plan,
    "Judgement": _judgement,
    "Composition": _composition,
    "Step": _step,
}
