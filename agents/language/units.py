"""Units of measurement, by their names and signs."""

from __future__ import annotations

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
