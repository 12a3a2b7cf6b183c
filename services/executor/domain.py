"""Policy of the executor. Pure: a legal request, which calls may run, how many, what counts as a document."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.common.v1 import context_pb2, tool_pb2
from assay.executor.v1 import executor_pb2
from pydantic import ValidationError

from services.common import validation
from services.common.bounds import MAX_ARGUMENT_BYTES, MAX_QUESTION_CHARS, MAX_STEPS
from services.common.errors import InvalidArgumentError
from services.common.evidence import strict_json
from services.common.evidence.document import is_outline
from services.common.evidence.strict_json import Json
from services.common.reasoning import FailedAs, ReasoningFailedError
from services.executor.tools.tool import Arguments, Tool

MAX_CALLS: Final = 64
MAX_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True)
class Admitted:
    """A call that policy allows."""

    tool: Tool
    arguments: Arguments
    plain: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that policy does not allow. `reason` is for a person."""

    reason: str


def check_request(request: executor_pb2.ExecuteRequest) -> None:
    """Refuse what the contract refuses; raises InvalidArgumentError that names the field."""
    validation.required_text(request.context.question, "context.question", MAX_QUESTION_CHARS)
    validation.specified(request.context.intent, context_pb2.Intent.DESCRIPTOR, "context.intent")
    validation.legal_window(request.context.window, "context.window")
    if not 1 <= len(request.steps) <= MAX_STEPS:
        raise InvalidArgumentError(
            f"the plan has {len(request.steps)} steps; 1 to {MAX_STEPS} are allowed", field="steps"
        )


def admit(tools: Mapping[str, Tool], tool_name: str, arguments_json: bytes) -> Admitted | Refused:
    """Decide about one call: the tool must exist and the arguments must fit its model."""
    tool = tools.get(tool_name)
    if tool is None:
        return Refused(f"there is no such tool; there are {', '.join(tools)}")
    try:
        plain = strict_json.loads(arguments_json, max_bytes=MAX_ARGUMENT_BYTES)
    except strict_json.StrictJsonError as error:
        return Refused(f"the arguments are no JSON object: {error}")
    if not isinstance(plain, dict):
        return Refused("the arguments are no JSON object")
    try:
        arguments = tool.arguments.model_validate_json(arguments_json)
    except ValidationError as error:
        return Refused(f"the arguments do not fit {tool_name}: {_problems(error, tool.arguments)}")
    return Admitted(tool, arguments, plain)


def follow_ups(
    wanted: Sequence[tool_pb2.PlanStep], made: Sequence[tool_pb2.Invocation]
) -> list[tool_pb2.PlanStep]:
    """Return the wanted calls that were not made before, as many as the run may still make."""
    seen = {_key(call.tool_name, call.arguments_json) for call in made}
    found = []
    for step in wanted:
        key = _key(step.tool_name, step.arguments_json)
        if key not in seen:
            seen.add(key)
            found.append(step)
    return found[: max(0, MAX_CALLS - len(made))]


def all_refused(made: Collection[tool_pb2.Invocation]) -> bool:
    """Tell whether policy refused every call."""
    return all(call.status == tool_pb2.INVOCATION_STATUS_BLOCKED for call in made)


def result_of(document: bytes) -> executor_pb2.ExecutorResult:
    """Return the end: COMPLETED when the bytes are one JSON object of the version with a claims list.

    Everything stricter is the Gatekeeper's to say. What was refused is not shown.
    """
    if is_outline(document):
        return executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_COMPLETED, document=document)
    return executor_pb2.ExecutorResult(status=executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT)


def failed_result(error: ReasoningFailedError) -> executor_pb2.ExecutorResult:
    """Return the end of an execution whose reasoner gave no result; the executor is never asked again."""
    invalid = error.failed_as is FailedAs.INVALID_OUTPUT
    return executor_pb2.ExecutorResult(
        status=executor_pb2.EXECUTOR_STATUS_INVALID_OUTPUT
        if invalid
        else executor_pb2.EXECUTOR_STATUS_FAILED,
        reasoning=error.reasoning,
    )


def _key(tool_name: str, arguments_json: bytes) -> tuple[str, bytes]:
    """Return what makes two calls the same: the order of arguments does not."""
    try:
        arguments = strict_json.loads(arguments_json, max_bytes=MAX_ARGUMENT_BYTES)
    except strict_json.StrictJsonError:
        return tool_name, arguments_json
    if not isinstance(arguments, dict):
        return tool_name, arguments_json
    return tool_name, strict_json.dumps(dict(sorted(arguments.items())))


def _problems(error: ValidationError, model: type[Arguments]) -> str:
    shown = []
    for item in error.errors():
        # An unknown key is a stranger's text: it is not shown.
        known = [str(part) for part in item["loc"] if isinstance(part, int) or part in model.model_fields]
        shown.append(f"{'.'.join(known) or 'arguments'}: {item['msg']}")
    return "; ".join(shown[:8])
