"""How a pairwise comparison looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoptrail.cli.cost_view import spent
from hoptrail.cli.output import printable

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.eval.judges.pairwise_report import CriterionResult, PairwiseReport


def show_pairwise(report: PairwiseReport, console: Console) -> None:
    """Print who won how often by each criterion, how steady the judge was, and what it cost."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    table.add_column("criterion", no_wrap=True)
    for heading in ("A wins %", "B wins %", "tie %", "p", "unsteady %"):
        table.add_column(heading, justify="right")
    for name, result in report.criteria.items():
        table.add_row(name, *_cells(result))
    console.print(f"A: {printable(report.first)}\nB: {printable(report.second)}")
    console.print(table)
    decided = ", ".join(f"{count} by {how}" for how, count in report.decided_by.items())
    console.print(f"{report.n} pairs: {decided.replace('by unjudged', 'unjudged')}", style="dim")
    position = report.position
    console.print(
        f"position: {_percent(position.inconsistency_rate)} % of the verdicts change with the "
        f"order, {_percent(position.first_shown_share)} % of the votes go to the one shown first",
        style="dim",
    )
    console.print(spent(report.usage.to_json()), style="dim")


def _cells(result: CriterionResult) -> tuple[str, ...]:
    shares = {"first": result.first, "second": result.second, "tie": result.tie}
    rates = [_with_interval(share, result.ci95[name]) for name, share in shares.items()]
    return (*rates, f"{result.p:.3f}", _percent(result.position.inconsistency_rate))


def _with_interval(share: float | None, bounds: tuple[float, float] | None) -> str:
    if share is None or bounds is None:
        return "-"
    return f"{_percent(share)} ({_percent(bounds[0])}-{_percent(bounds[1])})"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.0f}"
