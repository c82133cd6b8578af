"""`hoptrail presets`: the ways of answering, and which one to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli import options
from hoptrail.cli.output import emit_json, results

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.graphs.presets import Preset

_ADVICE = (
    "--preset NAME chooses one. Without it that is auto, and offline where no model is set. Model"
    " calls are means per question over four question sets, with perfect replies"
    " (docs/results.md); where it says some, they were not measured."
)


def presets(as_json: options.AsJson = False) -> None:
    """List the presets, and say which one to take."""
    from hoptrail.graphs.presets import PRESETS

    packages = {plugin.name: plugin.distribution for plugin in PRESETS.plugins}
    rows = [_row(PRESETS[name], packages.get(name)) for name in PRESETS]
    if as_json:
        emit_json({"presets": rows})
    else:
        show_presets(rows, results())


def _row(preset: Preset, package: str | None) -> dict[str, Any]:
    calls = preset.mean_calls
    return {
        "name": preset.name,
        "does": preset.does,
        "choose_for": preset.choose_for,
        "needs_model": preset.needs_model,
        "model_calls": {"lowest": calls[0], "highest": calls[1]} if calls else None,
        "package": package,
    }


def show_presets(rows: list[dict[str, Any]], console: Console) -> None:
    """Print a row per preset, what it does above what to choose it for."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    table.add_column("preset", no_wrap=True, style="bold")
    table.add_column("model calls", no_wrap=True)
    table.add_column("what it does, and what to choose it for")
    for row in rows:
        told = Text(row["does"] or f"of the package {row['package']}")
        if row["choose_for"]:
            told.append("\n")
            told.append(f"for {row['choose_for']}", "cyan")
        table.add_row(row["name"], _calls(row), told)
    console.print(table)
    console.print(_ADVICE, style="dim")


def _calls(row: dict[str, Any]) -> str:
    if not row["needs_model"]:
        return "none"
    calls = row["model_calls"]
    return f"{calls['lowest']} to {calls['highest']}" if calls else "some"
