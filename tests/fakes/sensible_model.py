"""A model behind the scripted endpoint that reads its material and answers as an able one would."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.model_endpoint.replies import answer
from tests.fakes.model_endpoint.server import Asked, Reply, Script

# Lines of the executor's records, as their own names tell.
_FAILED = re.compile(r"severity failure, count (\d+), .*first “([^”]+)”")
_ALERT = re.compile(r"labels.alertname (\S+),.* labels.service (\S+),")
_CHANGE = re.compile(r"^time (\S+), type \S+, service (\S+), summary “([^”]+)”")
_FINDING = re.compile(r"fault \S+, kind Pod, .*? name (\S+),.* excerpts.message “([^”]+)”")
_CLAIM = re.compile(r"(c\d+) ([^\[|]+?)(?: \[([^\]]*)\])?\| ")
# Tools that read all sources, and those that need one, with its kind.
_TOOLS = {
    "topology_get": "topology",
    "alerts_list": "alert",
    "change_events_list": "change_event",
    "metrics_change_points": "",
    "metrics_saturation": "",
    "kubernetes_findings": "",
    "logs_templates": "log",
}
_DOUBTED = {"status": "possible", "critical": False}
_FEW = ("alerts_list", "change_events_list", "logs_templates", "metrics_change_points", "kubernetes_findings")


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


def with_four_calls(log: str = "") -> Script:
    """Return a script that plans one call for each kind of source, at most four; of logs the one so named."""

    def answered(asked: Asked) -> Reply:
        if agent_of(asked) != "Plan":
            return sensible(asked)
        planned = _plan(material_of(asked))["steps"]
        steps = {
            each["tool"]: each for each in planned if each["tool"] != "logs_templates" or log in each["args"]
        }
        return answer({"steps": [steps[tool] for tool in _FEW if tool in steps][:4]})

    return answered


def _plan(lines: list[str]) -> dict[str, Any]:
    """Call each tool that reads all sources, and each that needs one for every source of its kind."""
    steps = []
    for tool, kind in _TOOLS.items():
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
    """State what logs say as failed, every alert, what is wrong with a pod, and the last change as the cause.

    A change after which nothing is logged as failed is only a possible cause.
    """
    claims: list[dict[str, Any]] = []
    effect = next((line for line in lines if _FAILED.search(line)), "")
    for line in lines:
        label, _, shown = line.partition("| ")
        if found := _FAILED.search(shown):
            told = f'It was logged {found[1]} times: "{found[2]}"'
            claims.append(_claim("symptom", f"symptom-{len(claims)}", told, "", label))
        elif found := _ALERT.search(shown):
            told = f"{found[2]}: the alert {found[1]} is firing."
            claims.append(_claim("symptom", f"symptom-{len(claims)}", told, found[2], label))
        elif found := _FINDING.search(shown):
            told = f'Of the pod it is told: "{found[2]}"'
            claims.append(_claim("symptom", f"symptom-{len(claims)}", told, found[1], label))
        elif found := _CHANGE.search(shown):
            told = f'{found[2]}: the change "{found[3]}" is recorded at {found[1]}.'
            claims = [each for each in claims if each["type"] != "cause"]
            cause = _claim("cause", "cause-1", told, found[2], label)
            claims.append(_with_effect(cause, effect) if effect else cause | _DOUBTED)
    return {"calls": [], "claims": claims}


def _with_effect(cause: dict[str, Any], line: str) -> dict[str, Any]:
    """Return a cause that cites what failed, too: a change alone proves nothing."""
    label, _, shown = line.partition("| ")
    found = _FAILED.search(shown)
    assert found is not None
    told = f"{cause['statement'].removesuffix('.')}; lines that report a failure of one kind: {found[1]}."
    return {**cause, "statement": told, "refs": [*cause["refs"], label]}


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
