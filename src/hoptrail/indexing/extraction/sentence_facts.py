"""Which mentions of a sentence are related, and in which words: read by the order of the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.indexing.extraction.mentions import Mention
from hoptrail.indexing.extraction.predicates import (
    AUXILIARIES,
    DETERMINERS,
    LONGEST,
    PREPOSITIONS,
    Link,
    is_verb,
    opens_noun,
    read_link,
)

_BRACKETS = re.compile(r"\([^()]{0,400}\)")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_WORD_BEHIND = re.compile(r"[™®]?(?P<owner>['’]s?)?[ \n](?P<word>[a-z][\w-]{0,40})")
_BORN = frozenset({"born", "died", "founded", "established", "formed"})
_BORN_HELPERS = frozenset("in on at c circa around about near b d".split())
_PLAIN_LINKS = frozenset({"of", "in", "at", "from", "near"})
_LAST_CLAUSE = re.compile(r"[;:.!?…|–—\n\t]")
_BEING = AUXILIARIES | frozenset("became become becomes remained remain remains".split())
_COPULAS = frozenset({"is", "was", "are", "were"})


@dataclass(frozen=True, slots=True)
class Fact:
    """A subject and an object by their places among the mentions, and the words between."""

    subject: int
    predicate: str
    object: int


def sentence_facts(text: str, start: int, end: int, mentions: Sequence[Mention]) -> list[Fact]:
    """Return what a sentence states of its mentions, each pair once.

    A subject is followed by its verb; what comes further behind the verb belongs to it too ("was
    born in 1921 in Oslo"), as does what is listed ("stars A, B and C"). Where the order of the
    words leaves a doubt, nothing is returned. What stands in brackets is left out, but for
    "(born 1921)".
    """
    asides = [match.span() for match in _BRACKETS.finditer(text, start, end)]
    reader = _Reader(text, mentions, asides)
    for place in range(len(mentions)):
        reader.read(place, start)
    return reader.facts()


class _Reader:
    """The state of reading a sentence from left to right; mentions go by their places.

    `_anchor` is the mention before, `_head` a name that waits for its verb, `_subject` and `_stem`
    what a further complement belongs to, `_said` subject and predicate of the last fact,
    `_describes` whether the anchor follows "is a", as in "is an American actress", and `_is_within`
    whether it follows a preposition.
    """

    def __init__(
        self, text: str, mentions: Sequence[Mention], asides: Sequence[tuple[int, int]]
    ) -> None:
        self._text = text
        self._mentions = mentions
        self._asides = asides
        self._found: dict[tuple[int, int], str] = {}
        self._anchor: int | None = None
        self._head: int | None = None
        self._subject: int | None = None
        self._stem: tuple[str, ...] = ()
        self._said: tuple[int, str] | None = None
        self._describes = False
        self._is_within = False

    def facts(self) -> list[Fact]:
        """Return the facts found."""
        return [Fact(subject, said, other) for (subject, other), said in self._found.items()]

    def read(self, place: int, start: int) -> None:
        """Read the next mention of a sentence that begins at `start`."""
        mention = self._mentions[place]
        aside = _around(mention, self._asides)
        if aside is not None:
            self._read_aside(place, aside)
        elif self._is_modifier(mention):
            return
        elif self._anchor is None:
            self._begin(place, self._text[start : mention.start])
        else:
            self._follow(place, self._anchor)

    def _read_aside(self, place: int, aside: tuple[int, int]) -> None:
        """Read "(born 1921)" behind a name."""
        anchor = self._anchor
        if anchor is None:
            return
        if self._text[self._mentions[anchor].end : aside[0]].strip(" \"”'"):
            return
        words = self._text[aside[0] + 1 : self._mentions[place].start].lower().split()
        if words and words[0] in _BORN and all(word in _BORN_HELPERS for word in words[1:]):
            self._add(anchor, " ".join(words), place)

    def _is_modifier(self, mention: Mention) -> bool:
        """Return whether a date only describes a noun: "a 1999 horror film"."""
        after = self._text[mention.end : mention.end + 2]
        if mention.kind != "date" or not (after[:1] == " " and after[1:].isalpha()):
            return False
        before = self._text[max(0, mention.start - 4) : mention.start].split()
        return bool(before) and before[-1] in DETERMINERS

    def _is_described(self, mention: Mention) -> bool:
        """Return whether a name only describes a noun: "Hailey's bakery", "FPS games"."""
        after = _WORD_BEHIND.match(self._text, mention.end)
        if after is None or mention.is_value:
            return False
        return after["owner"] is not None or opens_noun(after["word"])

    def _between(self, start: int, end: int) -> str:
        """Return the text between two places without what stands in brackets."""
        parts: list[str] = []
        for first, last in self._asides:
            if start <= first and last <= end:
                parts.append(self._text[start:first].rstrip())
                start = last
        parts.append(self._text[start:end])
        return _unquoted("".join(parts))

    def _begin(self, place: int, before: str) -> None:
        """Start a clause whose first mention this is, behind some words of it."""
        words = [word.lower() for word in _WORD.findall(before.rpartition(",")[2])]
        is_blocked = any(word in PREPOSITIONS or is_verb(word) for word in words)
        is_head = not (is_blocked or self._mentions[place].is_value)
        self._anchor, self._head = place, place if is_head else None
        self._is_within = False
        self._subject, self._stem, self._said, self._describes = None, (), None, False

    def _follow(self, place: int, anchor: int) -> None:
        between = self._between(self._mentions[anchor].end, self._mentions[place].start)
        link = read_link(between)
        if link.kind == "verb":
            self._read_verb(place, anchor, link)
        elif link.kind == "preposition":
            self._read_preposition(place, anchor, link)
        elif link.kind == "apposition":
            self._read_apposition(place, anchor, link)
        elif link.kind == "description":
            self._read_description(place, link)
        elif link.kind == "listed":
            self._read_listed(place, anchor, between)
        else:
            self._begin(place, _LAST_CLAUSE.split(between)[-1])

    def _read_verb(self, place: int, anchor: int, link: Link) -> None:
        subject = self._subject_of(anchor, link)
        if subject is None:
            self._begin(place, "is")
            return
        self._anchor, self._head = place, None
        self._is_within = link.words[-1:] != () and link.words[-1] in PREPOSITIONS
        self._subject, self._stem, self._said = subject, link.stem, None
        self._describes = link.words[:1] != () and link.words[0] in _COPULAS and not self._is_within
        if link.words:
            self._add(subject, " ".join(_without_date(link.words)), place)

    def _subject_of(self, anchor: int, link: Link) -> int | None:
        is_name = not self._mentions[anchor].is_value
        if link.relative:
            return anchor if is_name and (link.relative == "who" or not self._is_within) else None
        is_reduced = bool(link.words) and link.stem[0] not in AUXILIARIES
        is_reduced = is_reduced and link.words[-1] in PREPOSITIONS
        if link.goes_on or link.is_apart and is_reduced and self._subject is not None:
            return self._subject
        if self._head is not None:
            return self._head
        return anchor if is_name and is_reduced and not link.is_apart else None

    def _read_preposition(self, place: int, anchor: int, link: Link) -> None:
        are_names = not (self._mentions[anchor].is_value or self._mentions[place].is_value)
        is_span = link.words[0] in {"to", "until"} and self._mentions[anchor].is_value
        if link.words == ("of",) and are_names:
            if not self._is_broken(anchor, place):
                self._add(anchor, "of", place)
        elif link.words == ("as",) and are_names:
            said_before = self._said
            self._add(anchor, "as", place)
            self._said = said_before
        elif self._subject is not None:
            said = (*self._stem, *link.words)
            is_lexical = any(word not in _BEING for word in self._stem)
            if len(said) <= LONGEST and is_lexical and not is_span:
                self._add(self._subject, " ".join(said), place)
            else:
                self._said = None
        elif are_names and len(link.words) == 1 and link.words[0] in _PLAIN_LINKS:
            self._add(anchor, link.words[0], place)
        self._describes = False
        self._anchor, self._is_within = place, True

    def _is_broken(self, one: int, other: int) -> bool:
        """Return whether a line ends between two mentions: they may be halves of a name."""
        return "\n" in self._text[self._mentions[one].end : self._mentions[other].start]

    def _read_apposition(self, place: int, anchor: int, link: Link) -> None:
        self._add(anchor, " ".join(link.words), place)
        self._anchor = place

    def _read_description(self, place: int, link: Link) -> None:
        """Read what follows a name that only describes a noun: "American", "film directed by"."""
        if self._describes and self._subject is not None:
            self._add(self._subject, " ".join(link.words), place)
            self._anchor = place
        else:
            self._begin(place, "of")

    def _read_listed(self, place: int, anchor: int, between: str) -> None:
        one, other = self._mentions[anchor], self._mentions[place]
        is_same = one.is_value == other.is_value
        if self._said is not None and is_same and " of " not in one.name:
            self._add(*self._said, place)
        elif self._head is not None and is_same and "," not in between:
            self._head = place
        self._anchor = place

    def _add(self, subject: int, predicate: str, object_: int) -> None:
        one, other = self._mentions[subject], self._mentions[object_]
        if one.is_value:
            return
        self._said = (subject, predicate)
        if one.key != other.key and (self._describes or not self._is_described(other)):
            self._found.setdefault((subject, object_), predicate)


def _without_date(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return "is" for "is a 1999", where the words end in what describes the object."""
    if len(words) > 1 and words[-1].isdigit():
        words = words[:-1]
        return words[:-1] if len(words) > 1 and words[-1] in DETERMINERS else words
    return words


def _around(mention: Mention, asides: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the brackets in which a mention stands."""
    return next((one for one in asides if one[0] < mention.start and mention.end <= one[1]), None)


def _unquoted(between: str) -> str:
    """Return the text without the quotation mark that ends or begins a title at either end."""
    left = between.lstrip(" ")
    if left[:1] in {'"', "”", "»"}:
        between = left[1:]
    right = between.rstrip(" ")
    if right[-1:] in {'"', "“", "«"}:
        between = right[:-1] + " "
    return between
