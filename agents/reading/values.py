"""Find what a text may give as a short answer: dates, times of day, amounts with units, names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.agents.language.spans import without_overlaps
from hoptrail.agents.language.value_patterns import (
    CLOCK,
    COMPACT_DATE,
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    DAY_HOURS,
    DAY_OF_WEEK,
    DECIMAL_COMMA,
    IBAN,
    MAIL,
    MONTHS,
    PHONE,
    POSTCODE,
    RATE,
    UNIT,
    UNITS,
    Measure,
)

ValueKind = Literal["date", "time", "number", "name", "mail", "cell", "hours", "words"]

_MONTH = (
    rf"(?:{MONTHS}|"
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?)"
)
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"(?<![\w./-])(?:(?:{_ORDINAL}(?:\s{_MONTH})?(?:\s(?:to|until|–)\s|[–-]))?{_ORDINAL}\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?"
    rf"|{_MONTH}\s{_ORDINAL}(?:,?\s\d{{4}})?|{_MONTH}\s\d{{4}}"
    rf"|\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|{COMPACT_DATE}|(?:1[0-9]|20)\d{{2}})"
    r"(?![\w-]|[.,]\d)"
)
# Before a date it is that date's weekday.
_WEEKDAY = re.compile(rf"(?<![\w-]){DAY_OF_WEEK}(?!,?\s(?:the\s)?\d|,?\s{_MONTH})")
_TIME = re.compile(rf"(?<![\w.:]){CLOCK}")
_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred)"
)
_NUMBER = re.compile(
    rf"(?<![\w.,/:-])(?P<currency>{CURRENCY_SIGNS}\s?|(?:{CURRENCY_CODES})\s)?"
    rf"(?P<digits>{DECIMAL_COMMA}|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:[.]\d+)*|{_WORDS}(?:-[a-z]{{3,5}})?)"
    rf"(?P<scale>\s?(?:million|billion|thousand|hundred))?(?:[\s-]?(?:{UNIT}))?(?!\w)",
    re.IGNORECASE,
)
_RATE = re.compile(RATE)
_MAIL = re.compile(MAIL)
_PHONE = re.compile(rf"(?<![\w.,/-]){PHONE}")
_CODES: tuple[tuple[Measure, re.Pattern[str]], ...] = (
    ("iban", re.compile(rf"(?<!\w){IBAN}")),
    ("postcode", re.compile(rf"(?<!\w){POSTCODE}")),
)
_DAY_HOURS = re.compile(DAY_HOURS)
_LISTS = re.compile(r"(?:,|;|,?\s(?:and|or))\s(?:on\s)?")
_GREETING = re.compile(r"(?:Dear|Hello|Hi|Hallo|Thanks|Regards|Greetings|(?:Good\s)?Morning)\s")
_ENUMERATION = re.compile(r"^\W{0,4}(?:\d{1,2}(?:\.\d{1,2}){0,2}[.)]?\s|\d{1,2}[.)](?!\d))")
_DURATION_MORE = re.compile(
    r"(?:,|\sand)?\s\d{1,3}\s?(?:seconds?|sec|s|minutes?|min|hours?|h|days?|nights?|weeks?|months?)(?!\w)"
)


# No end of a line within a word: "the Pro-\nducer".
_LINE_END = re.compile(r"(?<!-)[ \t]{0,20}\n[ \t]*(?:>[ \t]*)*")


@dataclass(frozen=True, slots=True)
class Value:
    """A span of a text that may answer a question.

    `measure` is what a number counts where its unit tells, `digits` the number without its unit. A
    "cell" is all that stands behind a label, in words; "hours" are days with their times,
    "words" any others that a reader takes for an answer.
    """

    text: str
    start: int
    end: int
    kind: ValueKind
    measure: Measure | None = None
    digits: str = ""


def find_values(text: str) -> list[Value]:
    """Return the values of a text in order; a number within a date or name is none of its own.

    A value may run across the end of a line, and is spelled with a space there.
    """
    flat, places = _in_one_line(text)
    codes = list(_codes(flat))
    plain = _blanked(flat, codes)
    kinds = (_mails, _phones, _dates, _times, _numbers, _names)
    found = without_overlaps((codes, *(find(plain) for find in kinds)))
    found += _numbered_names(plain, found)
    found += _hours(plain)
    if flat == text:
        return found
    return [replace(one, start=places[one.start], end=places[one.end - 1] + 1) for one in found]


def _numbered_names(text: str, found: Sequence[Value]) -> list[Value]:
    """Return the names that end with a number, beside that number: "Solvex 12"."""
    return [
        name
        for name in _names(text)
        if name.text[-1].isdigit()
        and all(
            one.kind == "number" and one.measure is None
            for one in found
            if one.start < name.end and name.start < one.end
        )
    ]


def _in_one_line(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without its line ends, and where each of its characters stood."""
    if "\n" not in text:
        return text, range(len(text))
    flat: list[str] = []
    places: list[int] = []
    last = 0
    for match in _LINE_END.finditer(text):
        flat.append(text[last : match.start()])
        places += range(last, match.start())
        flat.append(" ")
        places.append(match.start())
        last = match.end()
    flat.append(text[last:])
    places += range(last, len(text))
    return "".join(flat), places


def _blanked(text: str, codes: Sequence[Value]) -> str:
    """Return a text with a sign in place of codes: "York YO10 4QB" names York."""
    for one in codes:
        text = f"{text[: one.start]}{'|' * (one.end - one.start)}{text[one.end :]}"
    return text


def _mails(text: str) -> Iterator[Value]:
    for match in _MAIL.finditer(text):
        yield Value(match.group(), *match.span(), "mail")


def _dates(text: str) -> Iterator[Value]:
    for pattern in (_DATE, _WEEKDAY):
        for match in pattern.finditer(text):
            yield Value(match.group(), *match.span(), "date")


def _times(text: str) -> Iterator[Value]:
    for match in _TIME.finditer(text):
        yield Value(match.group(), *match.span(), "time")


def _hours(text: str) -> Iterator[Value]:
    """Yield the hours of days, and days with their hours: "Tuesdays 9 to 12 and Fridays 2 to 6"."""
    first: re.Match[str] | None = None
    last: re.Match[str] | None = None
    for match in _DAY_HOURS.finditer(text):
        yield Value(match["hours"], *match.span("hours"), "time")
        if first and last and not _LISTS.fullmatch(text[last.end() : match.start()]):
            yield from _listed(text, first, last)
            first = None
        first, last = first or match, match
    if first and last:
        yield from _listed(text, first, last)


def _listed(text: str, first: re.Match[str], last: re.Match[str]) -> Iterator[Value]:
    """Yield a list of days with their hours; one day alone is a day and a time."""
    if first is not last:
        yield Value(text[first.start() : last.end()], first.start(), last.end(), "hours")


def _codes(text: str) -> Iterator[Value]:
    for measure, pattern in _CODES:
        for match in pattern.finditer(text):
            yield Value(match.group(), *match.span(), "number", measure, match.group())


def _phones(text: str) -> Iterator[Value]:
    for match in _PHONE.finditer(text):
        yield Value(match.group(), *match.span(), "number", "phone", match.group())


def _numbers(text: str) -> Iterator[Value]:
    enumeration = _ENUMERATION.match(text)
    first = enumeration.end() if enumeration else 0
    for match in _NUMBER.finditer(text, first):
        measure: Measure | None = next((unit for unit in UNITS if match[unit]), None)
        end = match.end()
        if measure == "duration" and (more := _DURATION_MORE.match(text, end)):
            end = more.end()
        if match["currency"]:
            measure = "money"
        if measure is not None and (rate := _RATE.match(text, end)):
            end = rate.end()
        start = match.start()
        yield Value(text[start:end], start, end, "number", measure, match["digits"])


def _names(text: str) -> Iterator[Value]:
    for start, end in capitalised_spans(text):
        greeting = _GREETING.match(text, start, end)
        start = greeting.end() if greeting else start
        name = text[start:end].rstrip(" .")
        is_broken = text.startswith("-\n", end)
        if re.search(r"[^\W\d_]{2}", name) and not is_broken:
            yield Value(name, start, start + len(name), "name")
