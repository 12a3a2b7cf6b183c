"""Targets of the executor's readers: every format of a file, and whole bundles through every tool."""

import codecs
import gzip
import io
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from hypothesis import strategies as st

from services.common.errors import FailedPreconditionError
from services.common.evidence.strict_json import StrictJsonError
from services.executor import domain
from services.executor.sources import encodings, log_fields, log_names, metrics_csv
from services.executor.sources.instants import from_epoch, from_iso, from_seconds
from services.executor.sources.kubernetes.reader import read_objects
from services.executor.sources.kubernetes.tree import ShapeError
from services.executor.sources.log_formats import parse_line
from services.executor.sources.log_reader import LogReader
from services.executor.sources.packed import Unpacked
from services.executor.sources.positioned_json import PositionedJson
from services.executor.sources.stop import never
from services.executor.tools.log_masks import shape_of
from services.executor.tools.registry import tools
from tests.fakes.bundles import TOPOLOGY, a_response, a_stop, write
from tests.fakes.clusters import described_pod, event_objects, pod_object
from tests.fakes.investigation import investigate
from tests.fuzz.inputs import JSON, TEXTS, damaged_bytes, damaged_texts
from tests.fuzz.target import Input, Target

LINES: Sequence[str] = (
    '2026-11-30T09:00:00.123Z ERROR [main] api - request 17 failed status=502 took 12 ms user="x y"',
    '2026-11-30 09:00:00,123 +0100 stdout F {"level": "error", "msg": "refused", "status": 503}',
    "2026/11/30 09:00:00 [error] 12#12: *7 connect() failed (111: Connection refused) while connecting",
    "1:M 30 Nov 2026 09:00:00.123 # Out of memory allocating 17 bytes",
    '10.0.0.1 - bob [30/Nov/2026:09:00:00 +0000] "GET /a?b=c HTTP/1.1" 502 17 "-" "agent" rt=0.120',
    "[Mon Nov 30 09:00:00.123 2026] [proxy:error] [pid 7] AH01114: failed to make connection",
    "30-Nov-2026 09:00:00.123 WARN slow",
    '<11>1 2026-11-30T09:00:00Z host api 17 ID [a b="c"] refused',
    "<11>Nov 30 09:00:00 host api[17]: refused",
    "Feb 29 09:00:00 host kernel: Out of memory: Killed process 17 (api)",
    "E1130 09:00:00.123456       1 controller.go:17] Unable to sync",
    'ts=2026-11-30T09:00:00Z level=error msg="refused by \\"db\\"" duration_ms=12 err=timeout',
    '{"ts": 1796029200.5, "level": 50, "message": "x", "error": {"message": "y"}, "duration_ms": 1e3}',
    "WARNING: deprecated",
    "Traceback (most recent call last):",
    '  File "a.py", line 3, in f',
    "app.errors.PoolError: exhausted after 5 s",
    "Caused by: java.io.IOException: broken pipe",
)
_LOGS: Sequence[bytes] = (
    "\n".join(LINES).encode(),
    "\r\n".join(LINES).encode("utf-16"),
    "\r".join(LINES[:3]).encode("latin-1"),
    codecs.BOM_UTF8 + "\n".join(LINES[4:9]).encode(),
)
_PACKED: Sequence[bytes] = (
    gzip.compress(_LOGS[0], mtime=0),
    gzip.compress(b"a" * 9000, mtime=0) + gzip.compress(b"b", mtime=0),
    b"\x1f\x8b",
)
_TABLES: Sequence[str] = (
    'time,up{job="api",instance="a:1"},"latency{le=""0.5""}",api_cpu\n2026-11-30T09:00:00Z,1,0.2,\n1796029260,0,5e-3,NaN\n',
    "timestamp,x\n1796029200123,1\nnever,2\n2026-11-30 09:01:00,3,4\n",
)
_NAMES: Sequence[str] = (
    "logs/api-access.log.2.gz",
    "syslog",
    "app.log-20261130_0900",
    "x.json.gz",
    "a.2026-11-30",
)
_METRIC = a_response(({"__name__": "up", "job": "api"}, [(1796029200 + 15 * n, str(n)) for n in range(12)]))
_STRUCTURED: Sequence[bytes] = tuple(
    json.dumps(value).encode()
    for value in (
        TOPOLOGY,
        _METRIC,
        {
            "status": "success",
            "data": {"alerts": [{"labels": {"alertname": "A"}, "activeAt": "2026-11-30T09:00:00Z"}]},
        },
        [
            {
                "time": "2026-11-30T09:00:00Z",
                "type": "config_change",
                "service": "api",
                "summary": "pool 20 -> 200",
            }
        ],
        [{"file": "metrics/a.json", "name": "latency", "query": "rate(x[5m])"}],
    )
)
_OBJECTS: Sequence[bytes] = tuple(
    each.encode()
    for each in (
        described_pod(("Failed", "Failed to pull image: manifest unknown"), more={"Reason": "ErrImagePull"}),
        pod_object({"phase": "Pending", "containerStatuses": [{"name": "main", "ready": False}]}),
        event_objects(("Pod", "a", "BackOff", "Back-off restarting failed container")),
        "NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE\nshop   └── Pod/a   0/1   Pending   0   3d\n",
        "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n- &b [x, *b]\n",
    )
)
_FILES = (
    "logs/api.log",
    "logs/db.log.1.gz",
    "metrics/a.json",
    "metrics/b.csv",
    "alerts.json",
    "events.json",
    "x.json",
    "pod.txt",
    "pods.json",
    "logs/kubectl_logs.log",
)
_ARGUMENTS: Sequence[bytes] = (
    b'{"source": "logs/api.log", "contains": ["x"], "start": "2026-11-30T09:00:00Z", "limit": 5}',
    b'{"sources": ["a"], "end": "2026-11-30T09:00:00+01:00"}',
    b'{"source": "a", "source": "b"}',
)
_TOOLS = tools(1 << 20, 30)
_NEAR = from_seconds(1796029200)
_CONTENTS = st.one_of(
    damaged_bytes(_LOGS),
    damaged_bytes(_PACKED),
    damaged_bytes([table.encode() for table in _TABLES]),
    damaged_bytes(_STRUCTURED),
    damaged_bytes(_OBJECTS),
)


def _line(text: Input) -> None:
    for near in (None, _NEAR):
        parsed = parse_line(text, near)
        if parsed is not None:
            shape_of(parsed.message)


def _log(data: Input) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        reader = LogReader(lambda: os.fdopen(os.dup(_rewound(file.fileno())), "rb"), _NEAR, 1 << 20)
        first = list(reader.read(a_stop()))
        # A second reading goes by the index of the first.
        assert list(reader.read(a_stop())) == first
    assert [line.n for line in first] == list(range(1, len(first) + 1))


def _rewound(descriptor: int) -> int:
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _recoded(data: Input) -> None:
    head = encodings.as_utf8(io.BytesIO(data)).read()
    encodings.is_text(head)
    log_fields.constant_component(head.decode("utf-8", "replace").splitlines())


def _unpacked(data: Input) -> None:
    unpacked = Unpacked(io.BufferedReader(io.BytesIO(data)))
    unpacked.stream.read(1 << 22)


def _table(text: Input) -> None:
    columns, last = metrics_csv.read_table(text)
    for column in columns:
        assert column.samples == sorted(column.samples, key=lambda sample: sample[0])
        assert all(1 <= line <= last for line in column.lines.values())


def _positioned(parts: Input) -> None:
    data, path = parts
    for element in PositionedJson(data, max_bytes=1 << 20).elements(path):
        assert 1 <= element.first_line <= element.last_line <= data.count(b"\n") + 1


def _named(text: Input) -> None:
    log_names.is_log(text)
    log_names.unrotated(text)


def _time(text: Input) -> None:
    from_iso(text)
    from_epoch(text)


def _objects(data: Input) -> None:
    for each in read_objects("a.txt", data, 1 << 20, never):
        assert all(leaf.line > 0 for _, leaf in each.root.leaves())


def _admitted(parts: Input) -> None:
    domain.admit(_TOOLS, *parts)


def _bundle(files: Input) -> None:
    contents: Mapping[str, bytes] = files
    with tempfile.TemporaryDirectory() as folder:
        investigate(write(Path(folder) / "b", contents), "Why does api fail since 09:00?")


def targets() -> list[Target]:
    """Return the targets."""
    paths = st.lists(st.sampled_from(("a", "data", "result", "alerts", "lines", "services", "0")), max_size=3)
    return [
        Target("log line", st.one_of(damaged_texts(LINES), TEXTS), _line),
        Target("log file", damaged_bytes(_LOGS), _log),
        Target("encoding", damaged_bytes(_LOGS), _recoded),
        Target("gzip", damaged_bytes(_PACKED), _unpacked),
        Target("CSV metrics", damaged_texts(_TABLES), _table, (metrics_csv.TableError,)),
        Target(
            "positioned JSON",
            st.tuples(st.one_of(damaged_bytes(_STRUCTURED), JSON), paths.map(tuple)),
            _positioned,
            (StrictJsonError,),
        ),
        Target("objects of a cluster", damaged_bytes(_OBJECTS), _objects, (ShapeError,)),
        Target("name of a log", damaged_texts(_NAMES), _named),
        Target("time of a source", damaged_texts(("2026-11-30T09:00:00.5+01:00", "1796029200.123")), _time),
        Target("shape of a message", damaged_texts(LINES), shape_of),
        Target(
            "tool arguments",
            st.tuples(st.sampled_from([*_TOOLS, "shell"]), st.one_of(damaged_bytes(_ARGUMENTS), JSON)),
            _admitted,
        ),
        Target(
            "whole bundle",
            st.dictionaries(st.sampled_from(_FILES), _CONTENTS, min_size=1, max_size=4),
            _bundle,
            (FailedPreconditionError,),
        ),
    ]
