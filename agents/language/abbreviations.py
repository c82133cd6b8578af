"""Abbreviations and what they stand for, as lists and running text explain them.

In running text the long form is found by the algorithm of Schwartz and Hearst, "A simple algorithm
for identifying abbreviation definitions in biomedical text" (PSB 2003): each letter of the short
form stands in the words before it, in order, its first letter at the beginning of a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_SHORT = r"[^\W_a-z](?:[^\W_]|[&/.+-](?=[^\W_])){0,7}\.?"
_LINE = re.compile(
    rf"^[ \t>*•-]{{0,6}}\*{{0,2}}(?P<short>{_SHORT})\*{{0,2}}"
    r"[ \t]{0,9}(?:=|:|–|—|\s-\s|\t)[ \t]{0,9}"
    r"(?P<long>[^\W\d_][^\n=]{1,80}?)[ \t]{0,9}[.;,]?[ \t]{0,9}$",
    re.MULTILINE,
)
_FEWEST_LINES = 2
_IN_BRACKETS = re.compile(rf"\((?P<short>{_SHORT})\)")
_WORD = re.compile(r"[^\s(),;:]{1,40}")
_MOST_BEFORE = 150  # characters in which the long form is looked for


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form, what it stands for, and where a text says so."""

    short: str
    long: str
    start: int
    end: int


@lru_cache(maxsize=512)
def abbreviations_in(text: str) -> tuple[Abbreviation, ...]:
    """Return the abbreviations that a text explains, in order: lines of a list, and brackets."""
    found = [*_listed(text), *_in_brackets(text)]
    return tuple(sorted(found, key=lambda one: one.start))


def _listed(text: str) -> Iterator[Abbreviation]:
    """Yield those of lines "OC = on call": "=" tells it alone, other signs in a list of several."""
    lines = [one for one in _LINE.finditer(text) if _is_short_form(one["short"])]
    is_list = len(lines) >= _FEWEST_LINES
    for line in lines:
        if is_list or "=" in text[line.end("short") : line.start("long")]:
            yield Abbreviation(line["short"], line["long"].strip(" *"), *line.span())


def _is_short_form(text: str) -> bool:
    """Return whether a word may be a short form: most of its letters are capitals."""
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(map(str.isupper, letters)) > len(letters)


def _in_brackets(text: str) -> Iterator[Abbreviation]:
    for match in _IN_BRACKETS.finditer(text):
        short = match["short"]
        if len(short) > 1 and _is_short_form(short):
            before = text[max(0, match.start() - _MOST_BEFORE) : match.start()]
            long = _long_form(short, before)
            if long:
                start = match.start() - len(before) + before.rindex(long)
                yield Abbreviation(short, long, start, match.end())


def _long_form(short: str, before: str) -> str:
    """Return the shortest end of a text that has the letters of a short form, "" without one."""
    letters = [letter.casefold() for letter in short if letter.isalnum()]
    words = list(_WORD.finditer(before))[-min(len(letters) + 5, 2 * len(letters)) :]
    begins = {word.start() for word in words}
    at = len(before)
    for number in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and (
            before[at].casefold() != letters[number] or (number == 0 and at not in begins)
        ):
            at -= 1
        if at < 0:
            return ""
    long = before[at:].strip()
    is_one_clause = not re.search(r"[.;:!?\n]\s", long)
    return long if at in begins and is_one_clause and short not in long.split() else ""
