"""How figures are written."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.money import dollars

ABSENT = "–"


def figure(value: float | None, name: str = "") -> str:
    """Return a figure with as many digits as it bears, a dash for None.

    Args:
        value: The figure.
        name: The metric that it belongs to, which decides on its unit.
    """
    if value is None:
        return ABSENT
    if name.startswith("usd"):
        return dollars(value)
    if name.startswith("seconds"):
        return f"{value:.3f} s" if value < 1 else f"{value:.1f} s"
    if isinstance(value, int) or (abs(value) >= 100 and name.startswith("tokens")):
        return f"{value:,.0f}"
    if name.startswith(("llm_calls", "tokens", "nodes")):
        return f"{value:.1f}"
    return f"{value:.3f}"


def signed(value: float, name: str = "") -> str:
    """Return a difference with its sign, a true minus for a negative one."""
    text = figure(abs(value), name)
    if not any(digit in "123456789" for digit in text):
        return "±0"
    return f"+{text}" if value > 0 else f"\N{MINUS SIGN}{text}"


def interval(bounds: Sequence[float] | None, name: str = "") -> str:
    """Return an interval as `low to high`, nothing for None."""
    return f"{figure(bounds[0], name)} to {figure(bounds[1], name)}" if bounds else ""


def figure_with_interval(value: float, bounds: Sequence[float] | None) -> str:
    """Return a figure followed by its interval in parentheses, where it has one."""
    return f"{figure(value)} ({interval(bounds)})" if bounds else figure(value)


def p_value(p: float) -> str:
    """Return a p-value the way papers print it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
