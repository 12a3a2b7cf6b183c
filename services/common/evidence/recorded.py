"""What a recorded tool output is worth, and how it is read: one rule for the gate and for the projection."""

from typing import Final

from assay.common.v1 import tool_pb2

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json

# In bytes; a larger output is not parsed and nothing can be cited from it.
MAX_OUTPUT_BYTES: Final = 16 << 20


def may_confirm(kind: "tool_pb2.DocumentKind.ValueType") -> bool:
    """Tell whether a document of this kind is about this system; an unknown kind is not trusted to be."""
    return kind in (tool_pb2.DOCUMENT_KIND_RAW, tool_pb2.DOCUMENT_KIND_DERIVED)


def parse_output(output: bytes) -> Json:
    """Parse a recorded output; raises StrictJsonError when it is too large or not one unambiguous text."""
    return strict_json.loads(output, max_bytes=MAX_OUTPUT_BYTES)
