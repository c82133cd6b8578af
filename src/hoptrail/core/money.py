"""Dollars as people read them, everywhere in the same way."""

from __future__ import annotations

import math


def dollars(usd: float) -> str:
    """Return an amount with two significant digits at least: $0, $0.00026, $0.26, $26.43."""
    if usd <= 0:
        return "$0"
    decimals = max(2, 1 - math.floor(math.log10(usd)))
    return f"${usd:,.{decimals}f}"


def cost(usd: float, unpriced_calls: int) -> str:
    """Return what calls cost; those whose price is not known never count as free."""
    if not unpriced_calls:
        return dollars(usd)
    return f"{dollars(usd)} and calls of unknown price" if usd else "price unknown"
