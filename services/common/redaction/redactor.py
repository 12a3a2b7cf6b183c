"""The redactor: what the rules find is replaced by a marker, in texts and in whole documents."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import re2

from services.common.evidence.redacted import marker
from services.common.evidence.strict_json import Json, NumberToken
from services.common.redaction import blocks, shapes
from services.common.redaction.leaves import Leaf, leaves_of, rebuilt
from services.common.redaction.rules import Rule
from services.common.redaction.table import RULES

CONFIGURED: Final = "configured"
_PRIVATE_KEY: Final = "private-key"
_KUBERNETES: Final = "kubernetes-secret"
_MIN_CHARS: Final = 6
# What of the text before a value is looked at: a name and its sign.
_BEFORE_BYTES: Final = 24
MAX_PATTERNS: Final = 64
MAX_PATTERN_CHARS: Final = 1024


class PatternError(ValueError):
    """A configured pattern cannot be used; the message says which and why, and quotes nothing of it."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many were replaced."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class RedactedDocument:
    """A document without its secrets, and how many were replaced."""

    document: Json
    count: int


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    rule_id: str


class Redactor:
    """Knows the table of rules, and the patterns that somebody configured; the former are always on.

    Work is linear in the text for every pattern, since RE2 runs them. Raises PatternError.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = tuple(patterns)
        self._configured = [compiled(number, pattern) for number, pattern in enumerate(patterns, 1)]

    def __reduce__(self) -> tuple[type["Redactor"], tuple[Sequence[str]]]:
        """Pickle as what it is made of: a worker compiles its own."""
        return type(self), (self._patterns,)

    def text(self, text: str) -> Redacted:
        """Redact one text, of one line or several."""
        found = self._redacted([Leaf(text)])
        return Redacted(found.texts[0], found.count)

    def document(self, document: Json) -> RedactedDocument:
        """Redact every string and key of a JSON value, and what a name beside it says to be a secret."""
        leaves = list(leaves_of(document))
        found = self._redacted(leaves)
        if not found.count:
            return RedactedDocument(document, 0)
        return RedactedDocument(rebuilt(document, iter(found.texts)), found.count)

    def _redacted(self, leaves: Sequence[Leaf]) -> "_Texts":
        data = [leaf.text.encode("utf-8", "surrogatepass") for leaf in leaves]
        spans: dict[int, list[_Span]] = defaultdict(list)
        for number, leaf in enumerate(leaves):
            if _is_named_secret(leaf):
                spans[number].append(_Span(0, len(data[number]), "named-value"))
            elif isinstance(leaf.text, NumberToken) or len(data[number]) < _MIN_CHARS:
                continue
            elif found := list(self._spans(data[number])):
                spans[number] += found
        for number, span in _spans_of_blocks(leaves, data):
            spans[number].append(span)
        texts, count = [leaf.text for leaf in leaves], 0
        for number, found in spans.items():
            merged = _merged(found)
            texts[number] = _replaced(data[number], merged)
            count += len(merged)
        return _Texts(texts, count)

    def _spans(self, data: bytes) -> Iterator[_Span]:
        for pattern in self._configured:
            matches = pattern.finditer(data)
            yield from (_Span(match.start(), match.end(), CONFIGURED) for match in matches if match.group())
        for number in sorted({_keywords().rules[hit] for hit in _keywords().matcher.Match(data) or ()}):
            yield from _spans_of_rule(RULES[number], data)


@dataclass(frozen=True, slots=True)
class _Texts:
    texts: list[str]
    count: int


class _Keywords(NamedTuple):
    """A matcher of all keywords at once, and the number of the rule that each of them is of."""

    matcher: Any
    rules: list[int]


def compiled(number: int, pattern: str) -> Any:  # noqa: ANN401 - the library has no types
    """Compile the `number`-th configured pattern; raises PatternError."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise PatternError(f"pattern {number} is longer than {MAX_PATTERN_CHARS} characters")
    try:
        made = re2.compile(pattern.encode(), _options())
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace").partition(":")[0]
        raise PatternError(f"pattern {number} is no regular expression of RE2: {reason}") from None
    if made.search(b""):
        raise PatternError(
            f"pattern {number} matches an empty text, so that it would find nothing to replace"
        )
    return made


def _options() -> Any:  # noqa: ANN401
    options = re2.Options()
    # It would write the pattern to standard error.
    options.log_errors = False
    return options


@cache
def _keywords() -> _Keywords:
    options = _options()
    options.case_sensitive = False
    options.encoding = re2.Options.Encoding.LATIN1
    matcher, rules = re2.Set.SearchSet(options), []
    for number, rule in enumerate(RULES):
        for keyword in rule.keywords:
            matcher.Add(keyword)
            rules.append(number)
    matcher.Compile()
    return _Keywords(matcher, rules)


@cache
def _compiled(pattern: str) -> Any:  # noqa: ANN401
    options = _options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.encode(), options)


def _is_named_secret(leaf: Leaf) -> bool:
    if leaf.shape is None or not leaf.text or shapes.is_placeholder(leaf.text):
        return False
    return shapes.has(leaf.shape, leaf.text)


def _spans_of_rule(rule: Rule, data: bytes) -> Iterator[_Span]:
    compiled = _compiled(rule.pattern)
    name_group = compiled.groupindex.get(b"name", 0)
    for match in compiled.finditer(data):
        if name_group and shapes.is_about(match.group(name_group).decode("latin-1")):
            continue
        span = _captured(match, name_group)
        secret = data[span[0] : span[1]].decode("utf-8", "replace")
        if shapes.is_placeholder(secret) or not shapes.has(rule.shape, secret):
            continue
        before = data[max(0, span[0] - _BEFORE_BYTES) : span[0]].decode("utf-8", "replace")
        if shapes.is_working_folder(before, secret):
            continue
        if not rule.entropy or shapes.entropy(secret) >= rule.entropy:
            yield _Span(*span, rule.id)


def _captured(match: Any, name_group: int) -> tuple[int, int]:  # noqa: ANN401
    """Return where the first group that took part stands, other than the name; else the whole match."""
    for group in range(1, len(match.groups()) + 1):
        if group != name_group and match.start(group) >= 0:
            start, end = match.span(group)
            return start, end
    start, end = match.span()
    return start, end


def _spans_of_blocks(leaves: Sequence[Leaf], data: Sequence[bytes]) -> Iterator[tuple[int, _Span]]:
    """Yield what goes over several of the leaves that stand in one column, each by the leaf's number."""
    columns = [number for number, leaf in enumerate(leaves) if leaf.in_column]
    joined = b"\n".join(data[number] for number in columns)
    found: list[_Span] = []
    if blocks.PRIVATE_KEY in joined.upper():
        found += [_Span(*place, _PRIVATE_KEY) for place in blocks.private_keys(joined)]
    found += [_Span(*place, _KUBERNETES) for place in blocks.secret_data(joined)]
    if found:
        yield from _by_leaf(found, columns, data)


def _by_leaf(
    found: Iterable[_Span], columns: Sequence[int], data: Sequence[bytes]
) -> Iterator[tuple[int, _Span]]:
    start = 0
    merged = _merged(found)
    for number in columns:
        end = start + len(data[number])
        for span in merged:
            if span.start < end and span.end > start:
                yield number, _Span(max(span.start, start) - start, min(span.end, end) - start, span.rule_id)
        start = end + 1


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """Return spans in order, those that touch each other as one."""
    result: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if result and span.start < result[-1].end:
            last = result.pop()
            result.append(_Span(last.start, max(last.end, span.end), last.rule_id))
        else:
            result.append(span)
    return result


def _replaced(data: bytes, spans: Sequence[_Span]) -> str:
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(data)]
    kept = [data[end:start].decode("utf-8", "surrogatepass") for end, start in zip(ends, starts, strict=True)]
    marks = [marker(span.rule_id) for span in spans]
    return "".join(part for pair in zip(kept, [*marks, ""], strict=True) for part in pair)
