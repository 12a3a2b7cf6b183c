"""What the options of `assay diagnose` mean: checked values out of what a person typed."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_letters, digits

from assay.common.v1 import context_pb2
from assay.orchestrator.v1 import diagnosis_pb2

from orchestrator.cli.errors import wrong_input
from services.common.bounds import MAX_BUNDLE_CHARS, MAX_QUESTION_CHARS

_MAX_SHOWN = 200
_MAX_PORT = 65535
# A name, an IPv4 address, or an IPv6 address in brackets.
_HOST = frozenset("[]:.-_" + ascii_letters + digits)
INTENTS = {
    "cause": context_pb2.INTENT_CAUSE,
    "lookup": context_pb2.INTENT_LOOKUP,
}


@dataclass(frozen=True)
class Bundle:
    """A recorded incident's folder or zip file: the root that the executor may read below, the name under it.

    With a remote target the root is the remote's own and None here.
    """

    root: Path | None
    name: str


# Archives that people have, beside zip files.
_PACKED = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".7z", ".rar")


def text(option: str, value: str) -> str:
    """Return a value that a request can carry; raises CommandError for a blank one or one that is no text."""
    if not value.strip():
        raise wrong_input(f"{option} is empty")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise wrong_input(f"{option}: {shown(value)} is not UTF-8 text") from None
    return value


def shown(value: object) -> str:
    """Return what was typed for a message; of what is too long to be read, the beginning."""
    typed = str(value)
    return typed if len(typed) <= _MAX_SHOWN else f"{typed[:_MAX_SHOWN]}... ({len(typed)} characters)"


def path(option: str, value: str) -> Path:
    """Return a path; an empty one, such as that of a variable that is not set, does not mean "here"."""
    if not value:
        raise wrong_input(f"{option} is empty")
    return Path(value)


def address(target: str | None, option: str = "--target") -> str:
    """Return the address that an option gives, empty when it is not given; raises CommandError."""
    if target is None:
        return ""
    host, _, port = text(option, target).rpartition(":")
    if (
        not host
        or not set(host) <= _HOST
        or not port.isascii()
        or not port.isdigit()
        or int(port) > _MAX_PORT
    ):
        raise wrong_input(f"{option}: {shown(target)} is not host:port, such as 127.0.0.1:50051")
    return target


def bundle(typed: str, target: str) -> Bundle:
    """Return a bundle of this machine, or of the target when there is one; raises CommandError."""
    where = path("--bundle", typed)
    return remote_bundle(where) if target else local_bundle(where)


def _is_a_file(path: Path) -> str:
    if path.name.lower().endswith(_PACKED):
        return f"--bundle: {path} is packed in a form that is not read; unpack it, and give the folder"
    return (
        f"--bundle: {path} is a file; a bundle is a folder of logs, metrics and events, or a zip file; "
        "of one file give the folder that it lies in"
    )


def local_bundle(path: Path) -> Bundle:
    """Return a folder or a zip file on this machine; raises CommandError when it is neither, or is empty."""
    try:
        folder = path.resolve()
        if not folder.exists():
            raise wrong_input(f"--bundle: there is no folder or zip file {shown(path)}")
        is_zip = folder.suffix.lower() == ".zip" and folder.is_file()
        if not folder.is_dir() and not is_zip:
            raise wrong_input(_is_a_file(path))
        if not is_zip and next(folder.iterdir(), None) is None:
            raise wrong_input(f"--bundle: the folder {path} is empty; there is nothing to read in it")
    except (OSError, ValueError, RuntimeError) as error:
        # RuntimeError is what this version of Python says of a link that leads to itself.
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise wrong_input(f"--bundle: {shown(path)} cannot be read: {shown(reason)}") from None
    if not folder.name:
        raise wrong_input(f"--bundle: {path} is the root of the file system; name one incident's folder")
    return Bundle(folder.parent, text("--bundle", folder.name))


def remote_bundle(path: Path) -> Bundle:
    """Return a name under a remote executor's root; raises CommandError when it is a local folder's path.

    The remote cannot see this machine: only a plain relative name, without "..", means something there.
    """
    name = text("--bundle", path.as_posix())
    if path.is_absolute() or ".." in path.parts or name == "." or "\0" in name:
        raise wrong_input(
            f"--bundle: with --target, {path} is not a bundle's name: a remote service reads "
            "its own bundles, named relative to its root (such as incidents/2026-11-30), never a folder of "
            "this machine"
        )
    if len(name) > MAX_BUNDLE_CHARS:
        raise wrong_input(f"--bundle: a name has at most {MAX_BUNDLE_CHARS} characters")
    return Bundle(None, name)


def request(
    question: str, bundle: Bundle, window_start: str, window_end: str, intent: str
) -> diagnosis_pb2.DiagnoseRequest:
    """Build the request of one diagnosis; raises CommandError that names the option to blame."""
    if not question.strip():
        raise wrong_input("QUESTION is empty: ask what is wrong, and since when if you know it")
    text("QUESTION", question)
    if len(question) > MAX_QUESTION_CHARS:
        raise wrong_input(
            f"QUESTION has {len(question)} characters; at most {MAX_QUESTION_CHARS} are allowed"
        )
    if intent and intent not in INTENTS:
        raise wrong_input(f"--intent: {shown(intent)!r} is neither 'cause' nor 'lookup'")
    message = diagnosis_pb2.DiagnoseRequest(
        question=question,
        scope=context_pb2.Scope(bundle=bundle.name),
        intent=INTENTS.get(intent, context_pb2.INTENT_UNSPECIFIED),
    )
    start = instant("--window-start", window_start)
    end = instant("--window-end", window_end)
    if start and end and end <= start:
        raise wrong_input("--window-end is not after --window-start")
    if start:
        message.window.start.FromDatetime(start)
    if end:
        message.window.end.FromDatetime(end)
    return message


def instant(option: str, typed: str) -> datetime | None:
    """Return a time in UTC, None when none was typed; raises CommandError."""
    if not typed:
        return None
    example = "such as 2026-11-30T09:05:00Z"
    try:
        instant = datetime.fromisoformat(typed.upper())
    except ValueError:
        raise wrong_input(f"{option}: {shown(typed)!r} is not a time in RFC 3339, {example}") from None
    if instant.tzinfo is None:
        raise wrong_input(f"{option}: {shown(typed)!r} has no time zone; write a time {example}")
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise wrong_input(f"{option}: {shown(typed)!r} is out of range") from None
