"""Mutations of evidence documents: of the parsed document, and of its bytes. Some leave it true.

A mutation of a document changes it in place. It gets the document, one of its bindings and what to draw from.
"""

import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

Document: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Literal:
    """A scalar of a recorded output: where it stands, and its text or token."""

    invocation_id: str
    tool: str
    pointer: str
    text: str


@dataclass(frozen=True)
class Chance:
    """What a mutation may draw from."""

    random: Random
    literals: Sequence[Literal]

    def literal(self) -> Literal:
        """Draw a true literal."""
        return self.random.choice(self.literals)

    def position(self, text: str) -> int:
        """Draw an offset in a text."""
        return self.random.randrange(len(text)) if text else 0


Mutation: TypeAlias = Callable[[Document, dict[str, Any], Chance], None]
ByteMutation: TypeAlias = Callable[[bytes, Chance], bytes]

_LOOK_ALIKES: Final = dict(zip("aceopxyABEHKMOPT019", "асеорхуАВЕНКМОРТ𝟎𝟏𝟗", strict=True))  # noqa: RUF001 - they are the point
_INVISIBLE: Final = "\u200b\u200c\u00ad\u2060\ufeff\u0301"
_HIDING: Final = "\u202e\u2066\u200f\u061c\r\x1b\x00\x7f\x85\U000e0041\U000e0100\b"
_SPACES: Final = (" ", "  ", "\t", "\n", "\u00a0", "\u2009", "")
_WRONG_VALUES: Final[tuple[object, ...]] = (None, True, 0, 1.5, [], {}, "", ["x"], {"a": 1}, "x" * 9000)


def _invocation(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    own = str(binding["source_invocation_id"])
    other = chance.literal().invocation_id
    binding["source_invocation_id"] = chance.random.choice(
        [other, own.upper(), f" {own}", f"{own} ", own[:-1] or "x", f"{own}0", "", "call-999", "../" + own]
    )


def _tool(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    own = str(binding["tool_name"])
    other = chance.literal().tool
    binding["tool_name"] = chance.random.choice([other, own.upper(), own + " ", own[:-1], "kubectl", ""])


def _pointer(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    parts = str(binding["raw_path"]).split("/")
    place = chance.random.randrange(len(parts))
    part = parts[place]
    changed = [
        f"0{part}",
        f"+{part}",
        f" {part}",
        f"{part}.0",
        "-",
        "~",
        f"~2{part}",
        f"{part}~",
        "~01",
        "~1",
    ]
    changed += [
        part.upper(),
        part.replace("a", "%61"),
        "",
        "n",
        "time",
        "source",
        "inputs",
        "value",
        "99999999999",
    ]
    changed += [part.translate({48 + digit: 0xFF10 + digit for digit in range(10)}), f"-{part}", f"{part}_0"]
    if part.isascii() and part.isdigit():
        changed += [str(int(part) + 1), str(int(part) - 1), f"{int(part):_}", hex(int(part))]
    parts[place] = chance.random.choice(changed)
    binding["raw_path"] = "/".join(parts)


def _pointer_shape(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    own = str(binding["raw_path"])
    cut, other = own.rpartition("/")[0], chance.literal().pointer
    changed = [cut, other, own.lstrip("/"), own + "/", own + "/0", "/" + own, "#" + own, "", "/", cut + "/-"]
    changed += [
        own.replace("~", "~0"),
        own.replace("~0", "~"),
        own.replace("~1", "/"),
        own.replace("/", "~1"),
        own + "x" * 1024,
        own.replace("/", "."),
    ]
    binding["raw_path"] = chance.random.choice(changed)


def _elsewhere(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    """A true literal of any place, whole."""
    _cite(binding, chance.literal())


def _part(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    """A part of a literal: true from four characters on, in a text."""
    literal = chance.literal()
    _cite(binding, literal)
    start = chance.position(literal.text)
    binding["matched_text"] = literal.text[start : start + chance.random.choice([1, 2, 3, 4, 5, 40, 400])]


def _one_character(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    text = str(binding["matched_text"])
    position = chance.position(text)
    other = chance.random.choice(
        ["", "q", "Q", "0", "7", "-", ".", " ", "é", text[position : position + 1] * 2]
    )
    binding["matched_text"] = text[:position] + other + text[position + 1 :]


def _case(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    text = str(binding["matched_text"])
    change = chance.random.choice(
        [str.upper, str.lower, str.swapcase, str.title, str.casefold, str.capitalize]
    )
    binding["matched_text"] = change(text)


def _digits(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    text = str(binding["matched_text"])
    digits = [index for index, char in enumerate(text) if char.isdigit()]
    position = chance.random.choice(digits) if digits else 0
    written = chance.random.choice(["1", "9", "00", "٣", "²", "1.0", "1e0", "+1"])
    changed = text[:position] + written + text[position + 1 :]
    forms = [
        changed,
        f"{text}.0",
        f"0{text}",
        f"+{text}",
        f"-{text}",
        f"{text}e0",
        text.replace(",", ""),
        text[:-1],
    ]
    binding["matched_text"] = chance.random.choice(forms)


def _unicode(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    text = str(binding["matched_text"])
    position = chance.position(text)
    invisible = chance.random.choice(_INVISIBLE)
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    alike = [index for index, char in enumerate(text) if char in _LOOK_ALIKES]
    if alike:
        index = chance.random.choice(alike)
        forms.append(text[:index] + _LOOK_ALIKES[text[index]] + text[index + 1 :])
    forms += [text[:position] + invisible + text[position:], "".join(map(_wide, text))]
    binding["matched_text"] = chance.random.choice(forms)


def _wide(char: str) -> str:
    return chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char


def _hidden(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    text = str(binding["matched_text"])
    position = chance.position(text)
    binding["matched_text"] = text[:position] + chance.random.choice(_HIDING) + text[position:]


def _space(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    text = str(binding["matched_text"])
    space = chance.random.choice(_SPACES)
    forms = [space + text, text + space, text.replace(" ", space, 1), text.strip(), " ".join(text.split())]
    binding["matched_text"] = chance.random.choice(forms)


def _word_order(_document: Document, binding: dict[str, Any], chance: Chance) -> None:
    words = str(binding["matched_text"]).split(" ")
    chance.random.shuffle(words)
    binding["matched_text"] = " ".join(words)


def _as_written(_document: Document, binding: dict[str, Any], _chance: Chance) -> None:
    """The text as a JSON file would hold it."""
    binding["matched_text"] = json.dumps(binding["matched_text"])[1:-1]


def _wrong_type(document: Document, binding: dict[str, Any], chance: Chance) -> None:
    owner = chance.random.choice([document, document["claims"][0], binding])
    owner[chance.random.choice(list(owner))] = chance.random.choice(_WRONG_VALUES)


def _missing_key(document: Document, binding: dict[str, Any], chance: Chance) -> None:
    owner = chance.random.choice([document, document["claims"][0], binding])
    del owner[chance.random.choice(list(owner))]


def _unknown_key(document: Document, binding: dict[str, Any], chance: Chance) -> None:
    owner = chance.random.choice([document, document["claims"][0], binding])
    names = [
        "diagnosis_summary",
        "user_facing_answer",
        "extra",
        "claims ",
        "Statement",
        "__class__",
        "model_config",
    ]
    owner[chance.random.choice(names)] = chance.random.choice(_WRONG_VALUES)


def _version(document: Document, _binding: dict[str, Any], chance: Chance) -> None:
    versions = ["executor_evidence_v1", "executor_evidence_v3", "EXECUTOR_EVIDENCE_V2", "v2", 2, None, ""]
    document["version"] = chance.random.choice([*versions, "executor_evidence_v2 ", "executor_evidence_v2"])


def _closed_lists(document: Document, _binding: dict[str, Any], chance: Chance) -> None:
    claim = document["claims"][0]
    values: dict[str, list[object]] = {
        "claim_type": ["symptom", "cause", "impact", "context", "Cause", "guess", ""],
        "status": ["confirmed", "possible", "CONFIRMED", "certain", ""],
        "critical": [True, False, 1, 0, "true", None],
        "component_kind": ["", "service", "database", "Service", "server"],
        "fault": ["", "config.changed", "Config.Changed", "invented.fault"],
    }
    for name in chance.random.sample(list(values), 2):
        claim[name] = chance.random.choice(values[name])


def _lengths(document: Document, binding: dict[str, Any], chance: Chance) -> None:
    claim = document["claims"][0]
    owner, name, most = chance.random.choice(
        [(claim, "claim_id", 256), (claim, "statement", 2048), (claim, "component", 256),
         (binding, "raw_path", 1024), (binding, "matched_text", 8192), (binding, "tool_name", 256)]
    )  # fmt: skip
    owner[name] = "é" * (most + chance.random.choice([-1, 0, 1]))


def _counts(document: Document, binding: dict[str, Any], chance: Chance) -> None:
    """As many bindings, claims or gaps as the bounds allow, or one more, or none."""
    claim = document["claims"][0]
    match chance.random.choice(["bindings", "gaps", "claims", "none"]):
        case "bindings":
            claim["evidence_bindings"] = [binding] * chance.random.choice([31, 32, 33])
        case "gaps":
            document["evidence_gaps"] = ["no events"] * chance.random.choice([127, 128, 129])
        case "claims":
            bare = {**claim, "evidence_bindings": [], "status": "possible"}
            number = chance.random.choice([127, 128])
            document["claims"] += [{**bare, "claim_id": f"more-{index}"} for index in range(number)]
        case _:
            claim["evidence_bindings"] = []


def _same_id(document: Document, _binding: dict[str, Any], _chance: Chance) -> None:
    document["claims"].append(dict(document["claims"][0]))


def _order(document: Document, _binding: dict[str, Any], chance: Chance) -> None:
    """Another order of claims, bindings and keys means the same."""
    chance.random.shuffle(document["claims"])
    for claim in document["claims"]:
        chance.random.shuffle(claim["evidence_bindings"])
        members = list(claim.items())
        chance.random.shuffle(members)
        claim.clear()
        claim.update(members)


def _nothing(_document: Document, _binding: dict[str, Any], _chance: Chance) -> None:
    """The document as it is."""


def _cite(binding: dict[str, Any], literal: Literal) -> None:
    binding.update(
        source_invocation_id=literal.invocation_id,
        tool_name=literal.tool,
        raw_path=literal.pointer,
        matched_text=literal.text,
    )


def _cut(data: bytes, chance: Chance) -> bytes:
    return data[: chance.random.randrange(len(data))]


def _another_byte(data: bytes, chance: Chance) -> bytes:
    position = chance.random.randrange(len(data))
    return data[:position] + bytes([chance.random.randrange(256)]) + data[position + 1 :]


def _spread(data: bytes, chance: Chance) -> bytes:
    """Whitespace between tokens means nothing; this is one kind of it or another."""
    indent: str = chance.random.choice(["", " ", "    ", "\t", "\r\n"])
    return json.dumps(json.loads(data), indent=indent, ensure_ascii=chance.random.random() < 0.5).encode()


def _repeated_key(data: bytes, chance: Chance) -> bytes:
    keys = ("claims", "version", "raw_path", "matched_text", "status", "critical", "statement", "tool_name")
    key = chance.random.choice(keys).encode()
    other = chance.random.choice([key, b"\\u%04x" % key[0] + key[1:]])
    return data.replace(b'"%s":' % key, b'"%s": null, "%s":' % (other, key), 1)


def _no_json(data: bytes, chance: Chance) -> bytes:
    number = chance.random.choice(
        [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"01", b"1" * 600, b"[" * 70 + b"]" * 70]
    )
    forms = [
        data.replace(b"true", number, 1),
        data.replace(b"[]", number, 1),
        b"\xef\xbb\xbf" + data,
        data + data,
    ]
    forms += [
        data + b"\x00",
        data[:-1] + b",}",
        data.replace(b'"', b"'"),
        data.replace(b": ", b":/**/", 1),
        b"[%s]" % data,
    ]
    forms += [
        data + b" " * (1 << 20),
        data.decode().encode("utf-16"),
        data.replace(b"{", b'{"\\ud800": 1,', 1),
    ]
    return chance.random.choice(forms)


def _character_form(data: bytes, chance: Chance) -> bytes:
    """A letter of a text written as an escape, which means the same, or as what is none."""
    position = chance.random.randrange(len(data))
    char = data[position : position + 1]
    if not char.isalpha():
        return data
    forms = [
        b"\\u%04x" % ord(char),
        b"\\u%04X" % ord(char),
        b"\\ud83d\\ude00",
        b"\\ud83d",
        b"\\x41",
        b"\\",
        b"\n",
        b"\t",
    ]
    return data[:position] + chance.random.choice(forms) + data[position + 1 :]


MUTATIONS: Final[dict[str, Mutation]] = {
    "invocation id": _invocation,
    "tool": _tool,
    "pointer token": _pointer,
    "pointer shape": _pointer_shape,
    "another literal": _elsewhere,
    "part of a literal": _part,
    "one character": _one_character,
    "case": _case,
    "digits": _digits,
    "Unicode form": _unicode,
    "hidden character": _hidden,
    "whitespace": _space,
    "word order": _word_order,
    "text as written": _as_written,
    "wrong type": _wrong_type,
    "missing key": _missing_key,
    "unknown key": _unknown_key,
    "version": _version,
    "closed lists": _closed_lists,
    "lengths": _lengths,
    "counts": _counts,
    "two claims of one id": _same_id,
    "order": _order,
    "unchanged": _nothing,
}
BYTE_MUTATIONS: Final[dict[str, ByteMutation]] = {
    "cut off": _cut,
    "another byte": _another_byte,
    "spread": _spread,
    "repeated key": _repeated_key,
    "no JSON": _no_json,
    "character form": _character_form,
}
