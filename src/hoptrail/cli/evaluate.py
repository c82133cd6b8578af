"""`hoptrail eval`: a retriever or a preset over questions with gold answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


def evaluate(
    questions: Annotated[
        Path, typer.Option("--questions", metavar="FILE", help="JSONL of questions with gold.")
    ],
    kb: options.KnowledgeBase,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of rows and summary.")],
    preset: options.Preset = None,
    retriever: Annotated[
        str | None, typer.Option("--retriever", metavar="R", help="ket, vector or bm25, alone.")
    ] = None,
    model: options.Models = None,
    k: Annotated[
        int | None, typer.Option("-k", metavar="N", min=1, help="Passages.  [default: 10]")
    ] = None,
    budget: options.Budget = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="First N questions only.")
    ] = None,
    concurrency: options.Concurrency = 1,
    allow_missing_gold: Annotated[
        bool,
        typer.Option("--allow-missing-gold", help="Count gold that is not indexed as a failure."),
    ] = False,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Score a retriever or preset on gold questions.

    The same command again continues an interrupted run.
    """
    from hoptrail.cli.choices import context_fields

    if (preset is None) == (retriever is None):
        raise typer.BadParameter("give --preset or --retriever, and not both")
    context = context_fields(assignments, models=model, k=k, budget=budget, seed=seed)

    from hoptrail.cli.evaluation_view import ScoreBar, show_summary
    from hoptrail.cli.output import emit_json, notes, results
    from hoptrail.eval.runner import run_eval

    with ScoreBar(notes()) as bar:
        summary = run_eval(
            questions,
            kb,
            out,
            preset=preset,
            retriever=retriever,
            context=context,
            limit=limit,
            concurrency=concurrency,
            allow_missing_gold=allow_missing_gold,
            report=bar.update,
        )
    if as_json:
        emit_json(summary)
    else:
        show_summary(summary, results())
        notes().print(f"rows and summary: {out}", style="dim")
