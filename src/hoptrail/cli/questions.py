"""`hoptrail questions`: questions about a corpus as a whole, for `eval` and `judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options

if TYPE_CHECKING:
    from rich.table import Table

    from hoptrail.eval.generation.writer import Catalogue


def questions(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="JSONL file to write.")],
    kb: Annotated[
        str | None,
        typer.Option("--kb", metavar="DIR", help="Describe the corpus by this base's titles."),
    ] = None,
    description: Annotated[
        Path | None,
        typer.Option("--description", metavar="FILE", help="Text that describes the corpus."),
    ] = None,
    model: options.Models = None,
    personas: Annotated[
        int, typer.Option("--personas", metavar="N", min=1, max=50, help="Kinds of users.")
    ] = 5,
    tasks: Annotated[
        int, typer.Option("--tasks", metavar="N", min=1, max=50, help="Tasks of each.")
    ] = 5,
    per_task: Annotated[
        int, typer.Option("--questions", metavar="N", min=1, max=50, help="Questions for each.")
    ] = 5,
    max_usd: options.MaxUsd = None,
    concurrency: options.Concurrency = 4,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Write questions that need the whole corpus, from its description alone.

    The questions have no gold answers: answer them with `hoptrail eval`, compare with `hoptrail
    judge`. The same command again continues a stopped run.
    """
    from hoptrail.cli.choices import context_fields

    if (kb is None) == (description is None):
        raise typer.BadParameter("give --kb or --description, and not both")
    fields = context_fields(assignments, models=model, seed=seed)

    from hoptrail.cli.output import emit_json, notes, results
    from hoptrail.cli.role_model import model_for_role
    from hoptrail.eval.generation.runner import generate_questions, read_description_file
    from hoptrail.eval.generation.writer import GenerationPlan

    judge_eval, prompts = model_for_role("judge_eval", fields)
    corpus = read_description_file(description) if description is not None else _catalogue(str(kb))
    with notes().status("writing questions"):
        report = generate_questions(
            corpus,
            judge_eval,
            out,
            plan=GenerationPlan(personas, tasks, per_task),
            concurrency=concurrency,
            max_usd=max_usd,
            prompts=prompts,
        )
    if as_json:
        emit_json(report.to_json())
    else:
        results().print(_summary(report.to_json(), out))


def _catalogue(kb: str) -> Catalogue:
    from hoptrail.api import Hoptrail
    from hoptrail.eval.generation.writer import read_catalogue

    with Hoptrail.open(kb) as hoptrail:
        return read_catalogue(hoptrail.stored)


def _summary(report: dict[str, Any], out: Path) -> Table:
    from hoptrail.cli.cost_view import spent
    from hoptrail.cli.output import grid, printable

    table = grid()
    table.add_row("corpus", printable(report["description"]))
    table.add_row("questions", f"{report['questions']} of {report['wanted']}, in {out}")
    for failed in report["failed"]:
        table.add_row("no reply", printable(failed))
    table.add_row("spent", spent(report["usage"]))
    return table
