"""How what a model takes looks in a terminal, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.output import counted, grid
from hoptrail.core.money import cost, dollars

if TYPE_CHECKING:
    from rich.table import Table


def cost_table(forecast: dict[str, Any], *items: str) -> Table:
    """Return a forecast as a table: the number of these items, then calls, tokens and dollars."""
    table = grid()
    for name in (*items, "calls", "prompt_tokens", "completion_tokens"):
        table.add_row(name.replace("_", " "), f"{forecast[name]:,}")
    if forecast.get("embedding", {}).get("calls"):
        _add_embedding(table, forecast["embedding"])
    _add_dollars(table, forecast["usd"])
    if "minutes" in forecast:
        table.add_row("minutes", f"{forecast['minutes']:,.1f}")
    return table


def embedding_table(embedding: dict[str, Any]) -> Table:
    """Return the forecast of vectors alone as a table."""
    table = grid()
    _add_embedding(table, embedding)
    _add_dollars(table, embedding["usd"])
    return table


def _add_embedding(table: Table, embedding: dict[str, Any]) -> None:
    for name in ("texts", "calls", "tokens"):
        table.add_row(f"embedding {name}", f"{embedding[name]:,}")


def _add_dollars(table: Table, usd: float | None) -> None:
    table.add_row("dollars", "price unknown" if usd is None else dollars(usd))


def has_spent(usage: dict[str, Any]) -> bool:
    """Return whether a model or a served embedder was called."""
    return bool(usage["llm_calls"] or usage["embedding_calls"])


def spent(usage: dict[str, Any]) -> str:
    """Return what was spent: calls of models and of a served embedder, tokens and dollars."""
    parts: list[str] = []
    if usage["llm_calls"] or not usage["embedding_calls"]:
        tokens = usage["prompt_tokens"] + usage["completion_tokens"]
        parts += [counted(usage["llm_calls"], "calls"), f"{tokens:,} tokens"]
    if usage["embedding_calls"]:
        calls = counted(usage["embedding_calls"], "embedding calls")
        parts += [calls, f"{usage['embedding_tokens']:,} tokens"]
    return ", ".join([*parts, cost(usage["usd"], usage["unpriced_calls"])])
