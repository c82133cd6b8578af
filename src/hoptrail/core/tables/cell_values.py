"""The values of cells: numbers with their units, days and times, whatever way they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import inf

_SPACES = " \u00a0\u202f"  # plain, no-break and narrow no-break: all separate thousands
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+−–])?\s?(?P<before>[£€$¥]|[A-Z]{{2,3}}\s?[£€$]?|ca\.?\s|c\.\s|~|≈)?\s?"
    rf"(?P<minus>[-−])?(?P<digits>\d{{1,3}}(?:[{_SPACES}'’]\d{{3}})+(?:[.,]\d{{1,10}})?"
    rf"|\d[\d.,]{{0,25}})"
    rf"(?P<dash>[.,][-–—]{{1,2}})?(?P<close>\))?\s?(?P<after>(?!-[^\W\d_])[^\d\s][^\d]{{0,29}})?"
)
# "5A" is a class, a flat or a seat; no amount begins with a nought as "UK0341" does.
_CODE = re.compile(r"\d{1,4}[A-Z]|[A-Z]{2,3}0\d{1,12}")
_GROUPED_BY_POINT = re.compile(r"\d{1,3}(?:\.\d{3})+")
_GROUPED_BY_COMMA = re.compile(r"\d{1,3}(?:,\d{3})+")
_COMMA_DECIMAL = re.compile(r"\d{1,12},\d{1,2}|\d{1,3}(?:\.\d{3}){1,4},\d{1,9}|0,\d{1,9}")
_POINT_DECIMAL = re.compile(r"\d{1,12}\.\d{1,2}|\d{1,3}(?:,\d{3}){1,4}\.\d{1,9}|0\.\d{1,9}")
_MISSING = re.compile(r"[-–—.?*/ ]*|n\.?/?a\.?|tb[acd]\.?|unknown|k\.\s?a\.", re.IGNORECASE)
_FREE = re.compile(r"free(?: of charge)?|gratis|no charge|kostenlos|gratuit", re.IGNORECASE)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan jän gen ene", "feb fév fev", "mar mär mrz", "apr avr abr", "may mai mag mei",
            "jun juin giu", "jul juil lug", "aug aoû aou ago", "sep set", "oct okt ott",
            "nov", "dec dez déc dic",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_WORD = r"(?P<month>[^\W\d_]{3,10})\.?"
_WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,?\s)?"
_DAY_FORMS = tuple(
    re.compile(_WEEKDAY + form + r"(?:[ T,]+(?P<time>\d{1,2}:\d{2})(?::\d{2})?)?", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})-(?P<number>\d{1,2})-(?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})[./-](?P<number>\d{1,2})[./-](?P<year>\d{4}|\d{2})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s)?{_WORD}(?:,?\s(?P<year>\d{{4}}))?",
        rf"{_WORD}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<year>\d{{4}}))?",
        r"(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.",  # without its second point it is a number
        rf"{_WORD}\s?(?P<year>\d{{4}})?",
        r"(?P<year>\d{4})[-/](?P<number>\d{1,2})",
    )
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))(?:\s?(?P<half>[ap])\.?m\.?)?"
    r"|(?P<full>\d{1,2})\s?(?P<full_half>[ap])\.?m\.?",
    re.IGNORECASE,
)
_LONGEST = 60  # characters of a cell that may be a value
_BOUND = r"(\d{1,7}(?:[.,]\d{1,3})?)"
_UNIT = r"\s?(?P<unit>[^\W\d_]{1,10}|%|€|£|\$)?"
_TO = r"to|up to|under|below|less than|until|bis|<|≤|max\.?"
_FROM = r"over|above|more than|from|ab|über|>|≥|min\.?"
_FORMS = (
    (re.compile(rf"{_BOUND}\s?(?:-|–|to|bis)\s?{_BOUND}{_UNIT}", re.IGNORECASE), "both"),
    (re.compile(rf"(?:{_TO})\s?{_BOUND}{_UNIT}", re.IGNORECASE), "high"),
    (re.compile(rf"(?:{_FROM})\s?{_BOUND}{_UNIT}", re.IGNORECASE), "low"),
    (re.compile(rf"{_BOUND}\s?{_UNIT}\s?(?:and over|and more|or more|\+)", re.I), "low"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and the signs and words around it that say of what it is one: "€", "kg"."""

    value: float
    unit: str


def is_free(text: str) -> bool:
    """Return whether a cell says that something costs nothing."""
    return _FREE.fullmatch(text.strip()) is not None


def is_missing(text: str) -> bool:
    """Return whether a cell says that there is no value: empty, a dash, "n/a", "tbc"."""
    return _MISSING.fullmatch(text) is not None


@lru_cache(maxsize=65536)
def number_of(text: str, *, decimal_comma: bool = False) -> Number | None:
    """Return the number that a whole cell is, None for words, several numbers or a date.

    Args:
        text: The cell: "1,250", "£14.20", "12,5 %", "(30)", "18.-".
        decimal_comma: Whether "1.250" is more than a thousand, and "12,5" is not.
    """
    match = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        return None
    digits = re.sub(rf"[{_SPACES}'’]", "", match["digits"]).rstrip(".,")
    plain = _plain(digits, decimal_comma=decimal_comma)
    if plain is None:
        return None
    unit = (match["before"] or match["after"] or "").strip(" .-–—")
    if _CODE.fullmatch(text.strip()) or month_number(unit):  # "3 May"
        return None
    is_negative = (match["sign"] or match["minus"] or "+") in "-−–" or bool(
        match["open"] and match["close"]
    )
    return Number(-plain if is_negative else plain, unit)


def _plain(digits: str, *, decimal_comma: bool) -> float | None:
    has_comma, has_point = "," in digits, "." in digits
    if has_comma and has_point:
        decimal_comma = digits.rindex(",") > digits.rindex(".")
    elif decimal_comma and has_point:
        if _GROUPED_BY_POINT.fullmatch(digits) is None:
            decimal_comma = False
    elif has_comma and not decimal_comma:
        decimal_comma = _GROUPED_BY_COMMA.fullmatch(digits) is None
    if decimal_comma:
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = digits.replace(",", "")
    return float(digits) if digits.count(".") <= 1 else None


def has_decimal_comma(texts: Iterable[str]) -> bool:
    """Return whether the numbers of a table are written with a comma: more of them need it."""
    commas = points = 0
    for text in texts:
        match = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST else None
        if match is not None:
            digits = re.sub(rf"[{_SPACES}'’]", "", match["digits"])
            commas += _COMMA_DECIMAL.fullmatch(digits) is not None
            points += _POINT_DECIMAL.fullmatch(digits) is not None
    return commas > points


@lru_cache(maxsize=65536)
def day_of(text: str, *, month_first: bool = False) -> str | None:
    """Return the day that a whole cell is, so that days in order are texts in order.

    "3 May 2024" is "2024-05-03", "May 2024" is "2024-05", and without a year "3 May" is "05-03" and
    "May" is "05". A time of day stands behind it: "2024-05-03 14:30".

    Args:
        text: The cell.
        month_first: Whether "03/05/2024" is the fifth of March.
    """
    bare = text.strip()
    if len(bare) > _LONGEST or not bare:
        return None
    for form in _DAY_FORMS:
        match = form.fullmatch(bare)
        if match is not None and (found := _day(match.groupdict(), month_first=month_first)):
            return found
    return None


def _day(parts: dict[str, str | None], *, month_first: bool) -> str | None:
    name, number, day = parts.get("month"), parts.get("number"), parts.get("day")
    month = month_number(name) if name else int(number or 0)
    on = int(day or 0)
    if month_first and number and parts.get("day") and not str(parts.get("year")).startswith("-"):
        month, on = on, month
    if number and day and month > 12 >= on:
        month, on = on, month
    if not month or month > 12 or on > 31:
        return None
    year = parts.get("year") or ""
    year = f"20{year}" if len(year) == 2 else year
    told = "-".join(filter(None, (year, f"{month:02}", f"{on:02}" if on else "")))
    time = parts.get("time")
    return f"{told} {time:0>5}" if time else told


def month_number(name: str) -> int:
    """Return the number of a month by its first letters, 0 for another word."""
    folded = name.casefold()
    number = _MONTHS.get(folded[:4]) or _MONTHS.get(folded[:3]) or 0
    return number if folded in _FULL_MONTHS or folded in _SHORT_MONTHS else 0


_SHORT_MONTHS = _MONTHS.keys() | frozenset("sept janv févr juil".split())
_FULL_MONTHS = frozenset(
    """january february march april may june july august september october november december
    januar jänner februar märz april mai juni juli august september oktober november dezember
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre""".split()
)


def time_of(text: str) -> float | None:
    """Return the minutes since midnight that a whole cell tells as a time of day: "9.30", "4 pm".

    Hours of more than a day, as of a sum of hours, count on.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None or int(match["minute"] or 0) > 59:
        return None
    hour = int(match["hour"] or match["full"])
    half = (match["half"] or match["full_half"] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour * 60 + int(match["minute"] or 0)


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers above `low`, up to `high`, in a unit that may be left out."""

    low: float
    high: float
    unit: str

    def holds(self, number: float) -> bool:
        """Return whether a number lies in it; where two meet it is the lower one's."""
        return self.low < number <= self.high or self.low == number == 0


@lru_cache(maxsize=8192)
def interval_of(text: str) -> Interval | None:
    """Return the interval that a whole text names, None for any other text."""
    for pattern, form in _FORMS:
        match = pattern.fullmatch(text.strip())
        if match is None:
            continue
        numbers = [float(one.replace(",", ".")) for one in match.groups()[:-1] if one]
        unit = (match["unit"] or "").lower()
        if form == "both":
            return Interval(numbers[0], numbers[1], unit)
        return (
            Interval(-inf, numbers[0], unit) if form == "high" else Interval(numbers[0], inf, unit)
        )
    return None
