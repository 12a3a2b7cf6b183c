"""The words of a question held against the names that exist: each is taken once, what is left is too much."""

import ipaddress
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from services.common.evidence.refusals import not_understood
from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Refused
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.question import Question, Word


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


@dataclass
class Reader:
    """Takes words of a question, by what they are."""

    question: Question
    known: Known
    left: list[Word] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = sorted([*self.question.words, *self._named_by_kind()], key=lambda word: word.place)
        self.take(words.ASKING)

    def _named_by_kind(self) -> list[Word]:
        """Return the words that say nothing elsewhere, and are the name of an object beside its kind."""
        tokens = self.question.tokens
        return [
            Word(token, place)
            for place, token in enumerate(tokens)
            if token in words.SILENT
            and token in self.known.object_names
            and {*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2]}
            & words.KINDS_BY_WORD.keys()
        ]

    def take(self, some: Collection[str]) -> list[str]:
        """Take the words that are among some, in small letters."""
        return self._taken(lambda word: word.lower in some, lambda word: word.lower)

    def names(self, known: Mapping[str, str]) -> tuple[str, ...]:
        """Take the words that are names, given by the same in small letters."""
        found = self._taken(lambda word: word.lower in known, lambda word: known[word.lower])
        return tuple(dict.fromkeys(found))

    def components(self) -> tuple[str, ...]:
        """Take the names of components, and the words for what exactly one of them is."""
        found = [*self.names(self.known.components)]
        topology = self.known.material.topology
        for word in list(self.left):
            meant = topology.of_kind(word.lower)
            if len(meant) == 1:
                self.left.remove(word)
                found += meant
        return tuple(dict.fromkeys(found))

    def sources(self) -> tuple[str, ...]:
        """Take the names of logs, with or without their folder."""
        by_name = {source.lower(): source for source in self.known.logs}
        files: dict[str, list[str]] = {}
        for source in self.known.logs:
            files.setdefault(source.rpartition("/")[2].lower(), []).append(source)
        return self.names({name: found[0] for name, found in files.items() if len(found) == 1} | by_name)

    def levels(self) -> tuple[str, ...]:
        """Take the levels that are written as logs write them."""
        exact = self._taken(lambda word: word.text.removesuffix("s") in words.LEVELS, lambda word: word.text)
        small = self._taken(
            lambda word: word.lower in words.SMALL_LEVELS, lambda word: words.SMALL_LEVELS[word.lower]
        )
        beside = self._beside_level()
        return tuple(dict.fromkeys([*(each.removesuffix("s") for each in exact), *small, *beside]))

    def _beside_level(self) -> list[str]:
        """Take the words beside "level" that are levels in any case of letters."""
        places = [word.place for word in self.left if word.lower in ("level", "levels")]
        beside = {near for place in places for near in (place - 1, place + 1)}
        found = [word for word in self.left if word.place in beside and word.text.upper() in words.LEVELS]
        self.left = [word for word in self.left if word not in found]
        if found:
            self.take(("level", "levels"))
        return [word.text.upper() for word in found]

    def paths(self) -> tuple[str, ...]:
        """Take the paths of requests; raises Refused for one that stands in every other."""
        found = self._taken(lambda word: word.text.startswith("/"), lambda word: word.text)
        if "/" in found:
            raise Refused("the path / stands in every other path, so that its requests are not told apart")
        return tuple(found)

    def methods(self) -> tuple[str, ...]:
        """Take the methods of requests, which are written in capitals."""
        found = self._taken(
            lambda word: word.text.removesuffix("s") in words.METHODS,
            lambda word: word.text.removesuffix("s"),
        )
        return tuple(dict.fromkeys(found))

    def clients(self) -> tuple[str, ...]:
        """Take the addresses of clients."""
        return tuple(dict.fromkeys(self._taken(lambda word: _is_address(word.text), lambda word: word.text)))

    def phrase(self) -> str:
        """Take what is left where it is a text that lines hold: together, before "lines" or behind "say"."""
        places, tokens = [word.place for word in self.left], self.question.tokens
        if not places or places != list(range(places[0], places[0] + len(places))):
            return ""
        before = tokens[places[0] - 1] if places[0] else ""
        behind = tokens[places[-1] + 1] if places[-1] + 1 < len(tokens) else ""
        said = before in words.VERBS_OF_LINES and (not behind or behind in words.BOUNDARIES)
        named = (
            behind in words.NOUNS_OF_LINES and len(places) > 1 and tokens[places[0]] not in words.ADJECTIVES
        )
        if not said and not named:
            return ""
        found, self.left = " ".join(word.text for word in self.left), []
        return found

    def done(self) -> None:
        """Raise Refused where a word is left: it may be a condition, and then the answer would be wrong."""
        if self.left:
            raise Refused(not_understood([word.text for word in self.left]))

    def _taken(self, fits: Callable[[Word], bool], text: Callable[[Word], str]) -> list[str]:
        found = [word for word in self.left if fits(word)]
        self.left = [word for word in self.left if not fits(word)]
        return [text(word) for word in found]
