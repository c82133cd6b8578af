"""Find what a text mentions: known names, capitalised names, dates and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.agents.language.spans import without_overlaps
from hoptrail.agents.language.value_patterns import (
    COMPACT_DATE,
    DAY_OF_WEEK,
    DECIMAL_COMMA,
    IBAN,
    MAIL,
    MONTHS,
    PHONE,
    POSTCODE,
    RATE,
    UNITS,
)
from hoptrail.core.text import STOP_WORDS, name_key

MentionKind = Literal["entity", "name", "date", "number"]

_FIRST_DAY = (
    # "14 to 18 April" is one time, "28 July to 1 August" as well.
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?:\s(?:{MONTHS}))?(?:\s(?:to|until|–)\s|[–-]))?"
)
_DATE = re.compile(
    rf"\b(?:{_FIRST_DAY}\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{MONTHS}),?\s+\d{{3,4}}"
    rf"|(?:{MONTHS})\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{3,4}}|(?:{MONTHS}),?\s+\d{{3,4}}"
    rf"|{_FIRST_DAY}\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{MONTHS})|(?:{MONTHS})\s+\d{{1,2}}\b"
    rf"|\d{{4}}-\d{{2}}-\d{{2}}|{COMPACT_DATE}(?!\d)|\d{{1,2}}(?:st|nd|rd|th)\s+century|\d{{3,4}}s"
    r"|(?<![\d,.$€£])(?:1\d{3}|20\d{2})(?![\d,.]*\d)(?!\s*(?:km|m|people|metres|meters|miles)\b)"
    r"(?:\s*(?:BC|AD|BCE|CE))?)(?!\w)"
)
_DAY_OF_WEEK = re.compile(DAY_OF_WEEK)
# A duration is as often meant by its number alone: "aged 25 years".
_UNIT = "|".join(unit for measure, unit in UNITS.items() if measure != "duration")
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:[$€£]\s?)?(?:{DECIMAL_COMMA}|\d+(?:,\d+)*(?:\.\d+)?)(?:\s?%|\s(?:million|billion|trillion|thousand|percent|"
    rf"hundred))?(?:[\s-]?(?:{_UNIT})(?!\w))?(?:{RATE})?(?!\w)"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|twenty|thirty|forty|fifty|sixty|hundred|dozen|twice)\b",
    re.IGNORECASE,
)
_CODE = re.compile(rf"(?<![\w.,/-])(?:{PHONE}|{MAIL}|{IBAN}|{POSTCODE})")
_TOKEN = re.compile(r"\w+")
_LONGEST_NAME = 10


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a text; `key` is the `name_key` that equal names share."""

    key: str
    text: str
    start: int
    end: int
    kind: MentionKind


class KnownNames:
    """Names by `name_key`, found in a text by their first word."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = frozenset(keys)
        self._longest: dict[str, int] = {}
        for key in self._keys:
            parts = key.split()
            size = max(len(parts), self._longest.get(parts[0], 0))
            self._longest[parts[0]] = min(size, _LONGEST_NAME)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def longest_from(self, word: str) -> int:
        """Return the most words that a known name beginning with this word has, 0 if none does."""
        return self._longest.get(word, 0)


def find_mentions(text: str, known: KnownNames) -> list[Mention]:
    """Return the mentions in a text in order, without overlaps.

    Phone numbers and codes win over dates, dates over names, the longest known name over shorter
    ones, known names over capitalised words, and other numbers come last.

    Args:
        text: A sentence.
        known: Names to look for.
    """
    codes, dates, names, numbers = _unknown_mentions(text)
    return without_overlaps((codes, dates, known_names(text, known), names, numbers))


@lru_cache(maxsize=16384)
def _unknown_mentions(text: str) -> tuple[tuple[Mention, ...], ...]:
    """Return the codes, dates, capitalised names and numbers of a text, known or not."""
    codes = _by_pattern(text, _CODE, "number")
    return (
        codes,
        _by_pattern(text, _DATE, "date"),
        capitalised_mentions(_CODE.sub(_blank, text) if codes else text),
        _by_pattern(text, _NUMBER, "number"),
    )


def known_names(text: str, known: KnownNames) -> list[Mention]:
    """Return the longest known names in a text from left to right.

    A single word counts where the text spells it with a capital or a digit, or has no capital.
    """
    tokens = _tokens(text)
    has_capitals = text != text.lower()
    found: list[Mention] = []
    place = 0
    while place < len(tokens):
        size = _longest(tokens, place, text, known, has_capitals)
        if size:
            start, end = tokens[place][1], tokens[place + size - 1][2]
            key = " ".join(token for token, _, _ in tokens[place : place + size])
            found.append(Mention(key, text[start:end], start, end, kind_of(text[start:end])))
        place += size or 1
    return found


@lru_cache(maxsize=16384)
def _tokens(text: str) -> tuple[tuple[str, int, int], ...]:
    return tuple(
        (match.group().casefold(), match.start(), match.end()) for match in _TOKEN.finditer(text)
    )


def has_date(text: str) -> bool:
    """Return whether a text has a date or a year."""
    return _DATE.search(text) is not None


def has_number(text: str) -> bool:
    """Return whether a text has a number beside its dates."""
    return _NUMBER.search(_DATE.sub(" ", text)) is not None


def is_amount(text: str) -> bool:
    """Return whether a text is a number and no more, with its currency, unit and rate."""
    return _NUMBER.fullmatch(text.strip()) is not None


def kind_of(name: str) -> MentionKind:
    """Return "date" or "number" for a name that is nothing else, units included."""
    if _DATE.fullmatch(name.strip()) or _DAY_OF_WEEK.fullmatch(name.strip()):
        return "date"
    number = _NUMBER.match(name.strip())
    is_quantity = number is not None and re.fullmatch(r"[\s\-–]*[^A-Z]*", name[number.end() :])
    return "number" if is_quantity else "entity"


def _longest(
    tokens: tuple[tuple[str, int, int], ...],
    place: int,
    text: str,
    known: KnownNames,
    has_capitals: bool,
) -> int:
    for size in range(min(known.longest_from(tokens[place][0]), len(tokens) - place), 0, -1):
        words = tokens[place : place + size]
        key = " ".join(token for token, _, _ in words)
        if key not in known or all(token in STOP_WORDS for token, _, _ in words):
            continue
        span = text[words[0][1] : words[-1][2]]
        if not has_capitals or span != span.lower() or any(c.isdigit() for c in span):
            return size
    return 0


def _by_pattern(text: str, pattern: re.Pattern[str], kind: MentionKind) -> tuple[Mention, ...]:
    return tuple(
        Mention(name_key(match.group()), match.group(), match.start(), match.end(), kind)
        for match in pattern.finditer(text)
    )


def _blank(code: re.Match[str]) -> str:
    return "|" * len(code.group())  # "York YO10 4QB" names York.


def capitalised_mentions(text: str) -> tuple[Mention, ...]:
    """Return the names of a text as its capital letters show them, in order."""
    return tuple(
        Mention(name_key(text[start:end]), text[start:end], start, end, "name")
        for start, end in capitalised_spans(text)
    )
