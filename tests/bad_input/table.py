"""What a row of the table is, what was seen of it, and how the table is printed."""

import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assay.orchestrator.v1 import run_pb2
from grpc.aio import Channel

MAX_SHOWN = 150
# What the command, or the log of a service, writes of an exception that nobody expected.
_DEFECTS = ("Traceback", "unexpected error")


@dataclass(frozen=True)
class Shared:
    """A running stack for the rows that do it no harm: where it is and reads, and a run that it stored."""

    address: str
    channel: Channel
    root: Path
    database: Path
    run_id: str


@dataclass(frozen=True)
class Place:
    """What a row may use: an empty folder and a state folder of its own, and the shared stack."""

    folder: Path
    home: Path
    shared: Shared

    @property
    def database(self) -> Path:
        """The database of a command that uses the row's own state folder."""
        return self.home / "assay.sqlite3"


@dataclass(frozen=True)
class Seen:
    """What a person or a caller saw: the line that matters, how it ended, and all that was written."""

    line: str
    ends: str
    everything: str


@dataclass(frozen=True)
class Row:
    """One bad input: what it is, what is done with it, and what must come of it.

    `says` stands in the line that the person sees. `ends` is the exit code or the gRPC status. `stored` is
    the status of the one run that is stored, empty when nothing is.
    """

    bad: str
    run: Callable[[Place], Awaitable[Seen]]
    says: str
    ends: str
    stored: str = ""


class CannotHappenError(Exception):
    """What a row is about cannot be brought about on this machine; the text says why."""


@dataclass(frozen=True)
class Stored:
    """What a database holds: the status of each run, and the number of its tool calls."""

    runs: dict[str, str]
    calls: dict[str, int]

    def since(self, before: "Stored") -> "Stored":
        """Return what was not there before."""
        new = {run_id: status for run_id, status in self.runs.items() if run_id not in before.runs}
        return Stored(new, {run_id: self.calls.get(run_id, 0) for run_id in new})

    def statuses(self) -> str:
        """Return the statuses of the runs, as a row states them."""
        return ", ".join(sorted(self.runs.values()))

    def __str__(self) -> str:
        if not self.runs:
            return "nothing"
        counted = sorted(Counter(self.runs.values()).items())
        calls = sum(self.calls.values())
        return ", ".join(f"{count} run {status}" for status, count in counted) + f", {calls} tool calls"


NOTHING = Stored({}, {})


def stored_in(database: Path) -> Stored:
    """Return what a database holds; nothing when there is none that can be read."""
    if not database.is_file():
        return NOTHING
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
            statuses = dict(opened.execute("SELECT run_id, status FROM diagnosis_run"))
            calls = dict(opened.execute("SELECT run_id, COUNT(*) FROM tool_invocation GROUP BY run_id"))
    except sqlite3.Error:
        return NOTHING
    names = {
        run_id: run_pb2.RunStatus.Name(status).removeprefix("RUN_STATUS_")
        for run_id, status in statuses.items()
    }
    return Stored(names, calls)


@dataclass(frozen=True)
class Result:
    """A row, what was seen, and what was stored."""

    row: Row
    seen: Seen
    stored: Stored
    logged: str = ""
    """What the services wrote meanwhile, those of the shared stack included."""

    def faults(self) -> list[str]:
        """Return what is not as the row states it; a traceback is wrong in every row."""
        found = []
        if self.row.says not in self.seen.line:
            found.append(f"says {self.seen.line!r}, not {self.row.says!r}")
        if self.seen.ends != self.row.ends:
            found.append(f"ends with {self.seen.ends}, not {self.row.ends}")
        if self.stored.statuses() != self.row.stored:
            found.append(f"stores {self.stored}, not {self.row.stored or 'nothing'}")
        if not self.seen.line.isprintable():
            found.append(f"shows control characters: {self.seen.line!r}")
        everything = self.seen.everything + self.logged
        found += [f"holds {word!r}" for word in _DEFECTS if word in everything]
        return [f"{fault}\n{everything}" for fault in found]


async def result_of(row: Row, place: Place) -> Result:
    """Do what a row is about; raises CannotHappenError where that is not possible."""
    before, sizes = stored_in(place.shared.database), _log_sizes(place)
    seen = await row.run(place)
    shared = stored_in(place.shared.database).since(before)
    own = stored_in(place.database)
    return Result(row, seen, Stored(shared.runs | own.runs, shared.calls | own.calls), _logged(place, sizes))


def _log_sizes(place: Place) -> Mapping[Path, int]:
    """Return the logs of every service that a row may reach: its own, and the shared stack's."""
    folders = (place.home, place.shared.database.parent)
    return {
        path: path.stat().st_size for folder in folders for path in folder.rglob("*.log") if path.is_file()
    }


def _logged(place: Place, before: Mapping[Path, int]) -> str:
    new = (path.read_bytes()[before.get(path, 0) :] for path in _log_sizes(place))
    return b"".join(new).decode("utf-8", "backslashreplace")


def lines(results: Iterable[Result | str]) -> Sequence[str]:
    """Return the table as lines of Markdown; a text stands for a row that could not be brought about."""
    head = ["| input | what is seen | ends | stored |", "|---|---|---|---|"]
    return head + [_line(result) for result in results]


def _line(result: Result | str) -> str:
    if isinstance(result, str):
        return f"| {_cell(result)} | | | |"
    seen = result.seen
    return f"| {_cell(result.row.bad)} | {_cell(seen.line)} | {seen.ends} | {result.stored} |"


def _cell(text: str) -> str:
    short = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
    return short.replace("|", "\\|")
