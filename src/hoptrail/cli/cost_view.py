"""How what a model takes looks in a terminal, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.output import grid
from hoptrail.core.money import dollars

if TYPE_CHECKING:
    from rich.table import Table


def cost_table(forecast: dict[str, Any], *items: str) -> Table:
    """Return a forecast as a table: the number of these items, then calls, tokens and dollars."""
    table = grid()
    for name in (*items, "calls", "prompt_tokens", "completion_tokens"):
        table.add_row(name.replace("_", " "), f"{forecast[name]:,}")
    usd = forecast["usd"]
    table.add_row("dollars", "price unknown" if usd is None else dollars(usd))
    if "minutes" in forecast:
        table.add_row("minutes", f"{forecast['minutes']:,.1f}")
    return table


def spent(usage: dict[str, Any]) -> str:
    """Return what was spent: calls, tokens and dollars."""
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    return f"{usage['llm_calls']:,} calls, {tokens:,} tokens, {dollars(usage['usd'])}"
