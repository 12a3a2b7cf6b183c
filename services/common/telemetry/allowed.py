"""All that may leave in a span: one table, and what it does not name stays here. Pure.

No key is for content, that is for a question, an argument, an output, a statement, a prompt or the text of
an error. A word has no space in it, so that no sentence passes under an allowed key either.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

Value = str | int | float | bool
Allowed = Mapping[str, type[str] | type[int]]

RPC_SYSTEM: Final = "rpc.system.name"
RPC_METHOD: Final = "rpc.method"
RPC_STATUS: Final = "rpc.response.status_code"
RUN_ID: Final = "assay.run.id"
RUN_STATUS: Final = "assay.run.status"
RUN_REASON: Final = "assay.run.reason"
NODE: Final = "assay.node.name"
ATTEMPT: Final = "assay.node.attempt"
OUTCOME: Final = "assay.node.outcome"
REASON: Final = "assay.node.reason"
OPERATION: Final = "gen_ai.operation.name"
AGENT: Final = "gen_ai.agent.name"
PROVIDER: Final = "gen_ai.provider.name"
MODEL: Final = "gen_ai.request.model"
MAX_TOKENS: Final = "gen_ai.request.max_tokens"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
TOOL: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOOL_CALL: Final = "gen_ai.tool.call.id"
SERVER: Final = "server.address"
PORT: Final = "server.port"
ERROR: Final = "error.type"

ATTRIBUTES: Final[Allowed] = MappingProxyType(
    {
        RPC_SYSTEM: str,
        RPC_METHOD: str,
        RPC_STATUS: str,
        RUN_ID: str,
        RUN_STATUS: str,
        RUN_REASON: str,
        NODE: str,
        ATTEMPT: int,
        OUTCOME: str,
        REASON: str,
        OPERATION: str,
        AGENT: str,
        PROVIDER: str,
        MODEL: str,
        MAX_TOKENS: int,
        INPUT_TOKENS: int,
        OUTPUT_TOKENS: int,
        TOOL: str,
        TOOL_TYPE: str,
        TOOL_CALL: str,
        SERVER: str,
        PORT: int,
        ERROR: str,
    }
)

EVALUATION: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
EVALUATION_LABEL: Final = "gen_ai.evaluation.score.label"

EVENTS: Final[Mapping[str, Allowed]] = MappingProxyType(
    {EVALUATION: MappingProxyType({EVALUATION_NAME: str, EVALUATION_LABEL: str})}
)

_WORD: Final = re.compile(r"[A-Za-z0-9_.:/@+\[\]-]{1,200}")
# What a span is called: a word, after the operation and a space where the conventions have one.
_NAME: Final = re.compile(rf"((run|node|execute_tool|chat) )?{_WORD.pattern}")
UNNAMED: Final = "unnamed"


def allowed(attributes: Mapping[str, object], table: Allowed = ATTRIBUTES) -> dict[str, Value]:
    """Return those attributes that may leave."""
    return {
        key: value
        for key, value in attributes.items()
        if isinstance(value, str | int) and key in table and _fits(value, table[key])
    }


def allowed_name(name: str) -> str:
    """Return the name of a span if it may leave, else one that says nothing."""
    return name if _NAME.fullmatch(name) else UNNAMED


def _fits(value: Value, kind: type[str] | type[int]) -> bool:
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    return not isinstance(value, str) or _WORD.fullmatch(value) is not None
