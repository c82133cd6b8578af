"""Units of measurement, and dates and numbers as values that can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.value_patterns import DECIMAL_COMMA

UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("mm", "millimetre", "millimeter"), ("m", 1e-3)),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), ("m", 1e-2)),
    **dict.fromkeys(("m", "metre", "meter"), ("m", 1.0)),
    **dict.fromkeys(("km", "kilometre", "kilometer"), ("m", 1e3)),
    "mile": ("m", 1609.344),
    **dict.fromkeys(("ft", "foot", "feet"), ("m", 0.3048)),
    "mg": ("g", 1e-3),
    **dict.fromkeys(("g", "gram"), ("g", 1.0)),
    **dict.fromkeys(("kg", "kilo", "kilogram"), ("g", 1e3)),
    "tonne": ("g", 1e6),
    **dict.fromkeys(("sec", "second"), ("s", 1.0)),
    **dict.fromkeys(("min", "minute"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("s", 3600.0)),
    **dict.fromkeys(("day", "night"), ("s", 86_400.0)),
    **dict.fromkeys(("wk", "week"), ("s", 604_800.0)),
    "month": ("s", 2_629_746.0),
    "year": ("s", 31_556_952.0),
    **dict.fromkeys(("ml", "millilitre"), ("l", 1e-3)),
    **dict.fromkeys(("l", "litre", "liter"), ("l", 1.0)),
    **dict.fromkeys(("kn", "knot"), ("kn", 1.0)),
}
"""Units by their singular: what they are counted in here, and how much of it each one is."""


_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_DIGITS = re.compile(rf"(?P<comma>{DECIMAL_COMMA})|\d[\d,]{{0,20}}(?:\.\d{{1,15}})?")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

_SCALE_WORD = re.compile(rf"\b(?:{'|'.join(_SCALES)})\b", re.IGNORECASE)
_BASES = frozenset(base for base, _ in UNITS.values())


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount in the base unit of its kind (m, g, s, l), else in the unit that the text gives."""

    amount: float
    unit: str

    def is_comparable(self, other: Quantity) -> bool:
        """Return whether two amounts count the same; what is counted may be left out of one."""
        units = {self.unit, other.unit} - {""}
        return len(units) <= 1 and (self.unit == other.unit or not units & _BASES)


def quantity_of(text: str) -> Quantity | None:
    """Return the amount that a text is, None where it has none or several.

    "1.2 kg" is 1,200 g, "18,000 pounds a year" is 18,000 of "pound a year".
    """
    number = _number(text)
    if number is None or len(_DIGITS.findall(text)) != 1:
        return None
    around = _SCALE_WORD.sub(" ", _DIGITS.sub(" ", text)).lower()
    unit = " ".join(re.sub(r"s$", "", word) for word in around.split())
    base, factor = UNITS.get(unit, (unit, 1.0))
    return Quantity(number[0] * factor, base)


def value_of(mention: Mention) -> tuple[float, ...] | None:
    """Return a date as (year, month, day) with 0 for what is missing, a number as (number,).

    None where the mention is neither, or is written in words.
    """
    if mention.kind == "number":
        return _number(mention.text)
    return _date(mention.text) if mention.kind == "date" else None


def _number(text: str) -> tuple[float] | None:
    match = _DIGITS.search(text)
    if match is None:
        return None
    scale = next((factor for word, factor in _SCALES.items() if word in text.lower()), 1.0)
    decimal_comma = match["comma"]
    digits = match.group().replace(".", "") if decimal_comma else match.group()
    plain = digits.replace(",", "." if decimal_comma else "")
    return (float(plain) * scale,)


def _date(text: str) -> tuple[float, float, float] | None:
    year = re.search(r"\b\d{3,4}(?:s\b|\b)", text)
    if year is None:
        return None
    month = next((n for n, name in enumerate(_MONTHS, 1) if name in text.lower()), 0)
    day = re.search(r"\b\d{1,2}(?=\D|$)", text.replace(year.group(), ""))
    return (float(year.group().rstrip("s")), float(month), float(day.group()) if day else 0.0)
