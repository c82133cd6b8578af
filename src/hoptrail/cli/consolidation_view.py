"""How the tidying of a graph and its forecast look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.cost_view import cost_table, spent
from hoptrail.cli.output import grid

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def forecast_table(forecast: dict[str, Any]) -> Table:
    """Return the forecast of `--dry-run` as a table."""
    return cost_table(forecast, "types", "entities")


def show_report(report: dict[str, Any], console: Console) -> None:
    """Print what was decided."""
    table = grid()
    table.add_row("pairs merged", f"{report['merged']:,}")
    table.add_row("pairs kept apart", f"{report['apart']:,}")
    if report["labelled"] or report["unlabelled"]:
        table.add_row("types relabelled", f"{report['labelled']:,}")
        table.add_row("types left", f"{report['unlabelled']:,}")
    table.add_row("model", spent(report["usage"]))
    console.print(table)
    if report["failed"]:
        console.print(
            f"{report['failed']:,} calls failed; run again to repeat them", style="yellow"
        )
