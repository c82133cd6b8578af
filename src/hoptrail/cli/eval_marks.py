"""`hoptrail eval-marks`: how often a trail marks a false claim as stated, and a true one not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.eval.planted.evaluation import MarkReport


def eval_marks(
    source: Annotated[
        Path, typer.Argument(metavar="PATH", help="True claims, or what they are read from.")
    ],
    form: Annotated[
        str,
        typer.Option("--form", help="What PATH holds: claims, questions, triples or documents."),
    ] = "claims",
    per_kind: Annotated[
        int, typer.Option("--per-kind", metavar="N", min=1, help="Claims of each kind at most.")
    ] = 300,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder of the claims with their marks."),
    ] = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure the marks of trails on true claims and on corrupted ones.

    No model is called. The same claims and seed give the same corrupted claims.
    """
    from hoptrail.cli.choices import context_fields
    from hoptrail.cli.output import emit_json, notes, results
    from hoptrail.eval.planted.evaluation import evaluate_marks
    from hoptrail.graphs.context import resolve_context

    context = resolve_context(context_fields(assignments, seed=seed))
    report = evaluate_marks(source, form, per_kind=per_kind, seed=context.seed, out=out)
    if as_json:
        emit_json(report.to_json())
        return
    show_marks(report, results())
    if out is not None:
        notes().print(f"claims and marks: {out}", style="dim")


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
