"""Recall of the redactor on public test data, printed by rule; of ordinary logs it takes out nothing.

The corpus of gitleaks holds rules and no samples: random texts are made of each rule's pattern, and kept when
that pattern and the rule's least entropy accept them. A secret counts as found when no quarter of it is left.
"""

import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import re2

from services.common.redaction.redactor import Redactor
from services.common.redaction.shapes import entropy
from tests.fakes.regex_samples import Sampler

SAMPLES: Final = 20
TRIES: Final = 10 * SAMPLES
FLOOR: Final = 0.94
_SHOWN_MISSES: Final = 40
REDACTOR: Final = Redactor()

# The lines of the files of detect-secrets that hold a secret, each by a part that must go.
DETECT_SECRETS: Final = {
    "config.env": ["gX69YO4CvBsVjzAwYxdGyDd30t5+9ez31gKATtj4"],
    "config.ini": ["123456789a1234", "12345678901234", "vh987tyw9ehy8ghis7vwyhiwbwitefy7w3ASDGYDGUASDG"],
    "config.md": ["ToCynx5Se4e2PtoZxEhW7lUJcOX15c54"],
    "config.yaml": ["AKIATESTTESTTESTTEST", "MjNjcnh1IDJieXJpdXYyeXJpaTJidnl1MnI4OXkyb3UwMg"],
    "config2.yaml": ["MmIwMDA0MmY3NDgxYzdiMDU2YzRiNDEwZDI4ZjMzY2Y"],
    "each_secret.py.txt": [
        "c2VjcmV0IG1lc3NhZ2Ugc28geW91J2xsIG5ldmVyIGd1ZXNzIG15IHBhc3N3b3Jk",
        "8b1118b376c313ed420e5133ba91307817ed52c2",
        "whywouldyouusehttpforpasswords",
        "AKIAIOSFODNN7EXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ],
    "files/private_key": ["somethingSuperRandomAndSecretHereThatShouldNeverBeShared"],
    "files/file_with_secrets.py.txt": [
        "c3VwZXIgbG9uZyBzdHJpbmcgc2hvdWxkIGNhdXNlIGVub3VnaCBlbnRyb3B5",
        "f6CGV4aMM9zedoh3OUNbSakBymo7yplB",
    ],
    "files/tmp/file_with_secrets.py.txt": [
        "60b725f10c9c85c70d97880dfe8191b3",
        "3b5d5c3712955042212316173ccf37be",
    ],
    "short_files/first_line.php": ["notHighEnoughEntropy"],
    "short_files/last_line.ini": ["hunter2"],
    "short_files/middle_line.yml": ["thequickbrownfoxjumpsoverthelazydog"],
}


def _samples(rule: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield texts and the secrets in them, as the rule itself sees them."""
    pattern = re2.compile(rule["regex"])
    sampler = Sampler(rule["regex"], random.Random(rule["id"]))  # noqa: S311 - repeatable
    made = 0
    for _ in range(TRIES):
        text = sampler.sample()
        match = pattern.search(text)
        if match is None:
            continue
        secret = match.group(rule.get("secretGroup", 0)) if "secretGroup" in rule else _secret(match)
        if entropy(secret) >= rule.get("entropy", 0.0):
            made += 1
            yield text, secret
        if made == SAMPLES:
            return


def _secret(match: Any) -> str:  # noqa: ANN401 - the library has no types
    found: str = next((group for group in match.groups() if group), match.group())
    return found


def _is_left(secret: str, text: str) -> bool:
    """Tell whether a piece of a secret is left: a quarter of it, at least eight characters."""
    size = max(8, len(secret) // 4)
    pieces = (secret[start : start + size] for start in range(max(1, len(secret) - size + 1)))
    return any(piece in text for piece in pieces)


def test_recall_on_the_rules_of_gitleaks(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tomllib.loads((shared / "corpora/gitleaks/config/gitleaks.toml").read_text())["rules"]
    tried: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for rule in rules:
        # Two rules are about names of files.
        for text, secret in _samples(rule) if "regex" in rule else ():
            tried[rule["id"]] += 1
            missed[rule["id"]] += _is_left(secret, REDACTOR.text(text).text)
    recall = 1 - missed.total() / tried.total()
    misses = [
        f"  {name}: {count} of {tried[name]}" for name, count in missed.most_common(_SHOWN_MISSES) if count
    ]
    head = f"gitleaks: recall {recall:.3f}, {tried.total()} samples of {len(tried)} rules; missed:"
    with capsys.disabled():
        sys.stdout.write("\n".join(["", head, *misses, ""]))
    assert len(tried) > 215
    assert recall >= FLOOR


def test_recall_on_the_files_of_detect_secrets(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / "corpora/detect-secrets/test_data"
    missed = []
    for name, secrets in DETECT_SECRETS.items():
        text = (folder / name).read_text(encoding="utf-8")
        assert all(secret in text for secret in secrets), name
        found = REDACTOR.text(text).text
        missed += [f"  {name}: {secret}" for secret in secrets if secret in found]
    count = sum(map(len, DETECT_SECRETS.values()))
    with capsys.disabled():
        sys.stdout.write(
            "\n".join(["", f"detect-secrets: {count - len(missed)} of {count}; missed:", *missed, ""])
        )
    # Words below a name on lines of their own, the second of two values of one name, and a value that stands
    # a second time under a name that says it is an id.
    assert len(missed) <= 4


@pytest.mark.parametrize(
    "name",
    ["file_with_no_secrets.py.txt", "file_with_custom_secrets.py.txt", "tmp/file_with_no_secrets.py.txt"],
)
def test_files_without_secrets_stay(shared: Path, name: str) -> None:
    text = (shared / "corpora/detect-secrets/test_data/files" / name).read_text()
    assert REDACTOR.text(text).count == 0


@pytest.mark.parametrize("folder", ["incidents", "cases", "metric-cases"])
def test_nothing_is_taken_out_of_ordinary_logs_and_states(shared: Path, folder: str) -> None:
    """A false find costs a citation: trace ids, hashes, UUIDs, names of pods and SQL stay."""
    read = 0
    for file in (shared / folder).rglob("*"):
        if file.suffix not in {".log", ".json", ".yaml", ".txt", ".md"} or "truth" in file.name:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        read += len(text)
        assert [line for line in text.split("\n") if REDACTOR.text(line).count] == [], file
    assert read > 100_000


def test_nothing_is_taken_out_of_the_recorded_examples(project: Path) -> None:
    for file in (project / "examples/incidents").glob("*/bundle/**/*.*"):
        text = file.read_text(encoding="utf-8", errors="replace")
        assert [line for line in text.split("\n") if REDACTOR.text(line).count] == [], file
