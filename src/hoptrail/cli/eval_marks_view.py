"""How the marks of planted claims look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.eval.planted.evaluation import MarkReport


def show_marks(report: MarkReport, console: Console) -> None:
    """Print by kind how often claims were marked as stated, partly stated and not stated."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    table.add_column("kind", no_wrap=True)
    for heading in ("claims", "stated %", "95 %", "partly", "none"):
        table.add_column(heading, justify="right")
    for kind, result in report.kinds.items():
        low, high = (f"{bound * 100:.1f}" for bound in result.ci95)
        rate = f"{result.stated_rate * 100:.1f}"
        table.add_row(
            kind, str(result.n), rate, f"{low}-{high}", str(result.partly), str(result.none)
        )
    console.print(table)
    console.print(f"drawn from {report.claims:,} true claims", style="dim")
