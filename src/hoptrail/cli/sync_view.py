"""How a plan and the rounds of `hoptrail sync` look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.index_view import forecast_table, list_left_out
from hoptrail.cli.output import counted, printable

if TYPE_CHECKING:
    from rich.console import Console

_SIGNS = {"added": "+", "replaced": "~", "deleted": "-"}
_NAMED = 3


def show_plan(plan: dict[str, Any], console: Console) -> None:
    """Print what a sync would do, a document a line, and what it would take."""
    for kind, sign in _SIGNS.items():
        for doc_id in plan[kind]:
            console.print(f"{sign} {printable(doc_id)}", soft_wrap=True)
    for moved in plan["moved"]:
        line = f"> {moved['former_id']} is {moved['doc_id']} from then on"
        console.print(printable(line), soft_wrap=True)
    told = [f"{len(plan[kind]):,} {kind}" for kind in (*_SIGNS, "moved")]
    console.print(", ".join([*told, f"{plan['unchanged']:,} unchanged"]) + "; nothing was changed")
    if _takes_something(plan["forecast"]):
        console.print(forecast_table(plan["forecast"]))
    list_left_out(console, "skipped", [(row["path"], row["reason"]) for row in plan["skipped"]])


def _takes_something(forecast: dict[str, Any]) -> bool:
    return bool(forecast["calls"] or forecast["embedding"]["calls"] or forecast["chunks"])


def round_line(report: dict[str, Any], seconds: float) -> str:
    """Return one round in one line, without the time of day."""
    counts = report["documents"]
    told = [f"{counts[kind]:,} {kind}" for kind in (*_SIGNS, "moved") if counts[kind]]
    told.append(f"{counts['unchanged']:,} unchanged")
    line = f"{', '.join(told)} ({seconds:.1f} s)"
    skipped = report["skipped"]
    if skipped:
        named = "; ".join(f"{row['path']}: {row['reason']}" for row in skipped[:_NAMED])
        more = f"; and {len(skipped) - _NAMED:,} more" if len(skipped) > _NAMED else ""
        line += f"; {counted(len(skipped), 'files')} skipped: {named}{more}"
    return printable(" ".join(line.split()))
