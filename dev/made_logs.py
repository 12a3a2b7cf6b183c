"""Large invented bundles for measurements: every line distinct, one failure that begins in the middle."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGIN = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
HOURS = 6
_ERRORS_EVERY = 7
_LINE_BYTES = 150


def _postgres(at: datetime, n: int, failing: bool) -> str:
    stamp = f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} UTC [{1000 + n % 977}]"
    if failing:
        return f"{stamp} app@shop FATAL:  sorry, too many clients already (attempt {n})\n"
    return (
        f"{stamp} app@shop LOG:  duration: {n * 7 % 90}.{n % 1000:03d} ms  execute read_orders: "
        f"customer = {n}, day > '2026-11-{1 + n % 30:02d}', page = {n % 17} of the list\n"
    )


def _nginx(at: datetime, n: int, failing: bool) -> str:
    status, took = (502, 3.0) if failing else (200, n % 300 / 1000)
    return (
        f"10.{n % 200}.{n % 251}.{n % 253} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] "
        f'"GET /api/orders/{n}?page={n % 17} HTTP/1.1" {status} {n * 13 % 9000} '
        f'"-" "Mozilla/5.0 (X11; Linux x86_64)" rt={took:.3f}\n'
    )


def _json_lines(at: datetime, n: int, failing: bool) -> str:
    level, message = ("error", "payment refused by peer") if failing else ("info", f"order {n} accepted")
    return (
        f'{{"ts":"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z","level":"{level}","msg":"{message}",'
        f'"request_id":"{n * 2654435761 % (1 << 32):08x}","order":{n},"ms":{n * 7 % 90}}}\n'
    )


SHAPES: dict[str, Callable[[datetime, int, bool], str]] = {
    "postgres": _postgres,
    "nginx": _nginx,
    "json": _json_lines,
}


def large_log(folder: Path, shape: str, size_bytes: int) -> None:
    """Write `logs/app.log` of about a size below a folder."""
    (folder / "logs").mkdir(parents=True)
    line_of, count = SHAPES[shape], size_bytes // _LINE_BYTES
    step = timedelta(hours=HOURS) / count
    written = n = 0
    with (folder / "logs/app.log").open("w", encoding="utf-8") as file:
        while written < size_bytes:
            failing = written > size_bytes // 2 and n % _ERRORS_EVERY == 0
            written += file.write(line_of(BEGIN + n * step, n, failing))
            n += 1


def many_files(folder: Path, count: int) -> None:
    """Write so many small logs, one line in ten seconds for ten minutes each; one of them fails."""
    (folder / "logs").mkdir(parents=True)
    for number in range(count):
        text = "".join(_small_lines(failing=number == count // 2))
        (folder / f"logs/part-{number:04d}.log").write_text(text, encoding="utf-8")


def _small_lines(*, failing: bool) -> Iterator[str]:
    for n in range(60):
        at = BEGIN + timedelta(seconds=10 * n)
        word = "ERROR disk is full" if failing and n > 30 else f"INFO item {n} served"
        yield f"{at:%Y-%m-%dT%H:%M:%SZ} {word}\n"
