"""Costs of a run: how they look in a terminal, and the agreement before it is spent."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from hoptrail.cli.output import emit_json, grid, notes, results, warn
from hoptrail.core.errors import SettingsError
from hoptrail.core.text import cost, counted, dollars

if TYPE_CHECKING:
    from rich.table import Table

    from hoptrail.models.chat import ChatModels

HINT = "agree with --yes, cap it with --max-usd, or look first with --dry-run"


def has_model(role: str, choice: str | None) -> bool:
    """Return whether a role has a model, by this choice or the settings."""
    return _models(choice).name_of(role) is not None


def _models(choice: str | None) -> ChatModels:
    from hoptrail.core.settings import load_settings
    from hoptrail.models.chat import DEFAULT_CHOICE, ChatModels

    return ChatModels(load_settings(), {DEFAULT_CHOICE: choice} if choice else {})


def may_spend(extractor: str, model: str | None, embedder: str | None) -> bool:
    """Return whether a run that extracts may cost: by its model, or by an embedder that is called.

    Args:
        extractor: Who extracts.
        model: The model that was chosen for it, if any.
        embedder: The served embedder, if any.
    """
    asks_model = extractor == "llm" or (
        extractor == "auto" and not _models(model).is_small("extractor")
    )
    return embedder is not None or (asks_model and has_model("extractor", model))


def served_embedder(name: str | None = None) -> str | None:
    """Return the embedder of the settings, or the one of this name, where it is called."""
    from hoptrail.core.settings import load_settings
    from hoptrail.models.embedder import is_remote

    chosen = name or load_settings().embedder
    return chosen if is_remote(chosen) else None


@dataclass(frozen=True, slots=True)
class PaidCalls:
    """Calls of one model that a run would make: how many, of which model, and where it is."""

    number: str
    model: str
    server: str
    is_priced: bool

    def __str__(self) -> str:
        return f"{self.number} of {self.model} at {self.server}"


def _paid_calls(
    forecast: dict[str, Any], role: str, choice: str | None, embedder: str | None
) -> list[PaidCalls]:
    from hoptrail.core.settings import load_settings
    from hoptrail.models.embedder_provider import embedder_server
    from hoptrail.models.prices import known_price
    from hoptrail.models.provider import model_server

    settings = load_settings()
    paid: list[PaidCalls] = []
    if forecast["calls"]:
        name = _models(choice).name_of(role) or ""
        is_priced = known_price(name, settings.prices) is not None
        calls = counted(forecast["calls"], "call")
        paid.append(PaidCalls(calls, name, model_server(name, settings), is_priced))
    if embedder is not None and forecast["embedding"]["calls"]:
        is_priced = known_price(embedder, settings.prices) is not None
        calls = counted(forecast["embedding"]["calls"], "embedding call")
        paid.append(PaidCalls(calls, embedder, embedder_server(embedder, settings), is_priced))
    return paid


def agree_on_cost(
    forecast: dict[str, Any],
    table: Table,
    role: str,
    choice: str | None,
    *,
    embedder: str | None = None,
    as_json: bool,
) -> None:
    """Show a forecast and ask whether to go ahead; where nobody can be asked, refuse.

    Where a price is not known that is said, and how to set it.

    Args:
        forecast: With `calls` and `usd`, and `embedding` where a served embedder is called; without
            calls nobody is asked.
        table: The forecast as the terminal shows it.
        role: The role whose model is called.
        choice: The model that was chosen for it, if any.
        embedder: The served embedder, if any.
        as_json: Whether the output is for a program.

    Raises:
        SettingsError: If the run would cost money and no terminal can be asked.
        typer.Exit: If the user says no.
    """
    from hoptrail.indexing.spending import how_to_set

    paid = _paid_calls(forecast, role, choice, embedder)
    if not paid:
        return
    for calls in paid:
        if not calls.is_priced:
            warn(f"the price of {calls.model} is not known ({how_to_set(calls.model)})")
    if as_json or not sys.stdin.isatty():
        known = forecast["usd"] or forecast.get("embedding", {}).get("usd")
        if known:
            models = " and ".join(calls.model for calls in paid)
            raise SettingsError(
                f"this run is forecast to cost {dollars(known)} ({models})", hint=HINT
            )
        return
    notes().print(table)
    if not typer.confirm(f"Go ahead with {' and '.join(map(str, paid))}?", default=False, err=True):
        warn("nothing was spent or stored")
        raise typer.Exit


def print_forecast(forecast: dict[str, Any], table: Table, *, as_json: bool) -> None:
    """Print what `--dry-run` was asked for.

    Args:
        forecast: The forecast.
        table: The forecast as the terminal shows it.
        as_json: Whether the output is for a program.
    """
    if as_json:
        emit_json({"forecast": forecast})
    else:
        results().print(table)


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
        parts += [counted(usage["llm_calls"], "call"), f"{tokens:,} tokens"]
    if usage["embedding_calls"]:
        calls = counted(usage["embedding_calls"], "embedding call")
        parts += [calls, f"{usage['embedding_tokens']:,} tokens"]
    return ", ".join([*parts, cost(usage["usd"], usage["unpriced_calls"])])
