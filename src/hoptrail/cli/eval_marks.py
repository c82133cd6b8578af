"""`hoptrail eval-marks`: how often a trail marks a false claim as stated, and a true one not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


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
    from hoptrail.cli.eval_marks_view import show_marks
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
