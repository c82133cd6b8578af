"""The words of a question, and which of them a part of a table tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hoptrail.agents.language.number_words import NUMBER_WORDS
from hoptrail.agents.language.quantities import UNITS
from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.agents.language.word_groups import everyday_group, everyday_groups
from hoptrail.core.text import STOP_WORDS

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[£€$%°]")
_OWNER = re.compile(r"['’]s?$")
# Words of questions that say nothing of a table, one of each group; what they ask for is read
# apart.
_LIGHT = everyday_groups(
    "name named kind type sort get got go come take put many long thing people person ones "
    "every per need according listed table entry row say tell please still number amount day "
    "year time place town want use used make made give show"
) | frozenset("who what which when where how whose whom why at be so far mr mrs ms".split())
_WEEK = [day[:3] for day in WEEKDAYS.lower().split("|")]
_CALENDAR = {
    name[:length]: name
    for name in f"{WEEKDAYS}|{MONTHS}".lower().split("|")
    for length in (3, 4)
    if name.isalpha()
}
_OWNS = re.compile(r"(?:I|we|you|they|he|she|it|one) own\b", re.IGNORECASE)
"""A verb, where "my own" is none."""
_NEGATIONS = frozenset("not no without never neither nor cannot except excluding besides".split())
_ORDERS = frozenset("after before following preceding".split())
_LEFT_OUT = re.compile(r"\b(?:other than|apart from|leaving out|aside from)\b", re.IGNORECASE)
_DAY = r"(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b"  # no "Wedding"
_DAY_RANGE = re.compile(rf"\b{_DAY}\.?\s?[-–—]\s?{_DAY}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question, its group of like meaning, and where it begins.

    `is_content` is whether a table has to tell it, `is_name` whether it is such a word with a
    capital that does not begin the question, `is_owner` whether it stands in the genitive.
    """

    text: str
    group: str
    start: int
    is_content: bool
    is_name: bool
    is_owner: bool


@lru_cache(maxsize=65536)
def cell_groups(text: str) -> frozenset[str]:
    """Return the groups of a cell's or a head's words; days and months as their full names."""
    groups = frozenset(
        _group(bare)
        for match in _WORD.finditer(text)
        if (bare := _OWNER.sub("", match.group().lower())) not in STOP_WORDS
        or _is_letter(match.group())
    )
    days = _DAY_RANGE.search(text)
    return groups if days is None else groups.union(_days_between(days[1], days[2]))


def _days_between(first: str, last: str) -> list[str]:
    """Return the weekdays of a range such as "Wed-Sun", which may go over the end of a week."""
    begin, end = (_WEEK.index(day[:3].lower()) for day in (first, last))
    count = (end - begin) % len(_WEEK) + 1
    return [_group(_WEEK[(begin + at) % len(_WEEK)]) for at in range(count)]


def _is_letter(word: str) -> bool:
    """Return whether a word is one letter that names something: "Side room A"."""
    return len(word) == 1 and word.isupper() and word != "I"


@lru_cache(maxsize=65536)
def _group(word: str) -> str:
    if word in _CALENDAR or word.rstrip("s") in _CALENDAR.values():
        return _CALENDAR.get(word, word.rstrip("s"))
    if unit := UNITS.get(word) or UNITS.get(word.removesuffix("s")):
        return f"{unit[1]:g} {unit[0]}"  # "hrs" and "hours", "kg" and "kilos"
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
    return everyday_group(word)


WEEKDAY_GROUPS = frozenset(map(_group, WEEKDAYS.lower().split("|")))


class QuestionWords:
    """A question's words in their order.

    Args:
        question: The standalone question.
    """

    def __init__(self, question: str) -> None:
        self.text = question
        owns = {match.end() - len("own") for match in _OWNS.finditer(question)}
        self.words = tuple(
            self._word(match.group(), match.start(), is_verb=match.start() in owns)
            for match in _WORD.finditer(question)
        )

    @staticmethod
    def _word(text: str, start: int, *, is_verb: bool = False) -> Word:
        bare = _OWNER.sub("", text.lower())
        group = _group(bare)
        is_letter = start > 0 and _is_letter(text)
        is_content = is_letter or is_verb or bare not in STOP_WORDS and group not in _LIGHT
        is_name = start > 0 and text[:1].isupper() and is_content
        return Word(bare, group, start, is_content, is_name, bare != text.lower())

    @cached_property
    def content(self) -> frozenset[int]:
        """The places of the words that a table has to tell."""
        return frozenset(at for at, word in enumerate(self.words) if word.is_content)

    @cached_property
    def groups(self) -> frozenset[str]:
        """The groups of all words."""
        return frozenset(word.group for word in self.words)

    def told_by(self, groups: frozenset[str]) -> frozenset[int]:
        """Return the places of the words whose group is among these."""
        return frozenset(at for at, word in enumerate(self.words) if word.group in groups)

    def within(self, start: int, end: int) -> frozenset[int]:
        """Return the places of the words that begin between two offsets of the question."""
        return frozenset(at for at, word in enumerate(self.words) if start <= word.start < end)

    def without(self, places: frozenset[int]) -> str:
        """Return the question with blanks for some of its words, each word where it was."""
        text = self.text
        for word in (self.words[at] for at in places):
            end = word.start + len(word.text)
            text = f"{text[: word.start]}{' ' * len(word.text)}{text[end:]}"
        return text

    def is_denied(self, places: frozenset[int]) -> bool:
        """Return whether a word of denial stands right before some words, or two before."""
        first = min(places, default=0)
        return any(first - 3 <= at < first for at in self.denials)

    def is_passed(self, places: frozenset[int]) -> bool:
        """Return whether what comes before or after something is asked for: "after the Gannet"."""
        first = min(places, default=0)
        return any(word.text in _ORDERS for word in self.words[max(0, first - 2) : first])

    @cached_property
    def denials(self) -> frozenset[int]:
        """The places of the words that deny something."""
        left_out = {match.end() for match in _LEFT_OUT.finditer(self.text)}
        return frozenset(
            at
            for at, word in enumerate(self.words)
            if word.text in _NEGATIONS
            or word.text.endswith(("n't", "n’t"))
            or word.start + len(word.text) in left_out
        )

    def rest(self, told: frozenset[int]) -> frozenset[int]:
        """Return the places of the words that are still to be told."""
        return self.content - told
