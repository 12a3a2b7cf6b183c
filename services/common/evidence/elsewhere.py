"""Where a name in a statement may come from when no evidence holds it: what was asked, how it was read."""

from collections.abc import Iterable, Iterator

from assay.common.v1 import context_pb2, evidence_pb2

from services.common.evidence import strict_json
from services.common.evidence.names import rfc3339
from services.common.evidence.strict_json import Json


def frame_texts(
    context: context_pb2.DiagnosisContext, evidence: Iterable[evidence_pb2.VerifiedEvidence]
) -> Iterator[str]:
    """Yield the texts that the verifier knows beside its evidence: the context, the tools, the pointers."""
    yield from {name: None for item in evidence for name in (item.tool_name, item.raw_path)}
    yield from (context.question, context.scope.bundle)
    for name in ("start", "end"):
        if context.window.HasField(name):
            yield rfc3339(getattr(context.window, name))


def arguments_of(data: bytes) -> dict[str, Json]:
    """Return the arguments of a tool call; empty when the bytes are no JSON object."""
    try:
        value = strict_json.loads(data)
    except strict_json.StrictJsonError:
        # What cannot be read holds nothing.
        return {}
    return value if isinstance(value, dict) else {}


def argument_texts(data: bytes) -> Iterator[str]:
    """Yield the names, texts and number tokens of a call's arguments."""
    return _texts(arguments_of(data))


def _texts(value: Json) -> Iterator[str]:
    match value:
        case dict():
            for name, member in value.items():
                yield name
                yield from _texts(member)
        case list():
            for member in value:
                yield from _texts(member)
        case str():
            yield value
