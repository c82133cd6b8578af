"""Dollars as people read them."""

from __future__ import annotations

import math


def dollars(usd: float) -> str:
    """Return an amount with two significant digits at least: $0, $0.00026, $0.26, $26.43."""
    if usd <= 0:
        return "$0"
    decimals = max(2, 1 - math.floor(math.log10(usd)))
    return f"${usd:,.{decimals}f}"
