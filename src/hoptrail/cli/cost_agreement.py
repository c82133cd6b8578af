"""Forecasts what a run costs, and asks before money is spent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

HINT = "agree with --yes, cap it with --max-usd, or look first with --dry-run"


def has_model(role: str, choice: str | None) -> bool:
    """Return whether a role has a model, by this choice or the settings."""
    from hoptrail.core.settings import load_settings
    from hoptrail.models.chat import DEFAULT_CHOICE, ChatModels

    choices = {DEFAULT_CHOICE: choice} if choice else {}
    return ChatModels(load_settings(), choices).name_of(role) is not None


def _model_and_server(role: str, choice: str | None) -> tuple[str, str]:
    """Return the model of a role, and who will be sent its prompts."""
    from hoptrail.core.settings import load_settings
    from hoptrail.models.chat import DEFAULT_CHOICE, GRAPH_LLM, ChatModels

    settings = load_settings()
    name = ChatModels(settings, {DEFAULT_CHOICE: choice} if choice else {}).name_of(role) or ""
    provider = name.partition(":")[0]
    if name == GRAPH_LLM:
        return name, settings.graph_llm or name
    return name, (provider == "openai" and settings.base_url) or f"the servers of {provider}"


def agree_on_cost(
    forecast: dict[str, Any], table: Table, role: str, choice: str | None, *, as_json: bool
) -> None:
    """Show a forecast and ask whether to go ahead; where nobody can be asked, refuse.

    Where the price is not known that is said, and how to set it.

    Args:
        forecast: With `calls` and `usd`; without calls nobody is asked.
        table: The forecast as the terminal shows it.
        role: The role whose model is called.
        choice: The model that was chosen for it, if any.
        as_json: Whether the output is for a program.

    Raises:
        SettingsError: If the run would cost money and no terminal can be asked.
        typer.Exit: If the user says no.
    """
    from hoptrail.cli.output import notes, warn
    from hoptrail.core.errors import SettingsError
    from hoptrail.core.money import dollars
    from hoptrail.indexing.model_calls.prices import how_to_set

    if not forecast["calls"]:
        return
    model, server = _model_and_server(role, choice)
    if forecast["usd"] is None:
        warn(f"the price of {model} is not known ({how_to_set(model)})")
    if as_json or not sys.stdin.isatty():
        if forecast["usd"]:
            cost = dollars(forecast["usd"])
            raise SettingsError(f"this run is forecast to cost {cost} ({model})", hint=HINT)
        return
    notes().print(table)
    calls = f"{forecast['calls']:,} calls of {model} at {server}"
    if not typer.confirm(f"Go ahead with {calls}?", default=False, err=True):
        warn("nothing was spent or stored")
        raise typer.Exit


def print_forecast(forecast: dict[str, Any], table: Table, *, as_json: bool) -> None:
    """Print what `--dry-run` was asked for.

    Args:
        forecast: The forecast.
        table: The forecast as the terminal shows it.
        as_json: Whether the output is for a program.
    """
    from hoptrail.cli.output import emit_json, results

    if as_json:
        emit_json({"forecast": forecast})
    else:
        results().print(table)
