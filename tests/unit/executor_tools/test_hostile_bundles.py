"""Whatever JSON a bundle holds, a tool answers or says in a sentence why it cannot."""

import json
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from services.common.errors import FailedPreconditionError
from services.common.evidence import strict_json
from services.executor.sources.directory import SourceError
from services.executor.tools.registry import tools
from services.executor.tools.tool import ToolError
from tests.fakes.bundles import Tree, a_stop, opened, write

SPLIT = datetime(2026, 11, 30, 9, tzinfo=UTC)
KEYS = st.sampled_from(
    [
        *(
            "status",
            "data",
            "resultType",
            "result",
            "alerts",
            "services",
            "calls",
            "events",
            "metric",
            "values",
        ),
        *(
            "value",
            "labels",
            "name",
            "kind",
            "logs",
            "file",
            "query",
            "time",
            "activeAt",
            "startsAt",
            "summary",
        ),
        *("__name__", "job", "instance"),
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-10, 2 * 10**9)
    | st.sampled_from(["", "x", "1", "NaN", "-Inf", "1e999", "2026-11-30T09:00:00Z", "matrix", "x.json"])
    | st.just([1796029530, "4"])
)
NOISE = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
SHAPED = st.one_of(
    st.builds(lambda inner: {"data": {"resultType": "matrix", "result": inner}}, st.lists(NOISE, max_size=3)),
    st.builds(
        lambda pairs: {
            "data": {"resultType": "matrix", "result": [{"metric": {"job": "x"}, "values": pairs}]}
        },
        st.lists(
            st.tuples(st.integers(-(10**12), 10**12), st.sampled_from(["1", "0", "NaN", "5e3"])), max_size=12
        ),
    ),
    st.builds(lambda inner: {"alerts": inner}, st.lists(NOISE, max_size=3)),
    st.builds(lambda inner: {"services": inner, "calls": inner}, st.lists(NOISE, max_size=3)),
    st.lists(st.dictionaries(KEYS, LEAVES, max_size=6), max_size=3),
    NOISE,
)
TOOLS = tools(1 << 20, 30)


_LAST = [253_402_300_800, "5e3"]
AFTER_ALL_CALENDARS: Tree = {
    "data": {
        "resultType": "matrix",
        "result": [{"metric": {"job": "x"}, "values": [[0, "1"], [0, "1"], [0, "1"], [0, "1"], _LAST]}],
    }
}


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=150)
@given(SHAPED, NOISE)
@example(first=AFTER_ALL_CALENDARS, second=None)
def test_every_tool_answers_or_says_why_not(first: Tree, second: Tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        # One level down, so that a bundle has a name of its own.
        path = write(Path(folder) / "b", {"x.json": json.dumps(first), "y.json": json.dumps(second)})
        try:
            bundle = opened(path)
        except FailedPreconditionError:
            return
        for tool in TOOLS.values():
            for name in ("x.json", "y.json"):
                given = {"sources": [name], "source": name, "split": SPLIT}
                fields = tool.arguments.model_fields
                arguments = {field: value for field, value in given.items() if field in fields}
                with suppress(ToolError, SourceError):
                    output = tool.run(bundle, tool.arguments(**arguments), a_stop())
                    strict_json.loads(strict_json.dumps(output.document))
