"""Questions for evaluations: `hoptrail questions` writes them, `hoptrail dataset` draws them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.costs import spent
from hoptrail.cli.output import emit_json, emit_text, grid, notes, printable, results

if TYPE_CHECKING:
    from rich.table import Table

    from hoptrail.eval.questions.question_writer import Catalogue


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
    if (kb is None) == (description is None):
        raise typer.BadParameter("give --kb or --description, and not both")
    fields = options.context_fields(assignments, models=model, seed=seed)

    from hoptrail.cli.compare import judge_model
    from hoptrail.eval.questions.generation import generate_questions, read_description_file
    from hoptrail.eval.questions.question_writer import GenerationPlan

    judge_eval, prompts = judge_model(fields)
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
    from hoptrail.eval.questions.question_writer import read_catalogue

    with Hoptrail.open(kb) as hoptrail:
        return read_catalogue(hoptrail.stored)


def _summary(report: dict[str, Any], out: Path) -> Table:
    table = grid()
    table.add_row("corpus", printable(report["description"]))
    table.add_row("questions", f"{report['questions']} of {report['wanted']}, in {out}")
    for failed in report["failed"]:
        table.add_row("no reply", printable(failed))
    table.add_row("spent", spent(report["usage"]))
    return table


def dataset(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="hotpotqa, musique, 2wiki, metaqa, webqsp, cwq or multihop_rag.",
        ),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="Folder or file as its authors publish it, or hub for the Hugging Face hub.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")],
    split: Annotated[
        str, typer.Option("--split", metavar="SPLIT", help="train, dev or test.")
    ] = "dev",
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="Questions to draw; 0 for all.")
    ] = 500,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw questions of a public set, with one corpus for all of them."""
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.eval.datasets.prepare import prepare_dataset
    from hoptrail.graphs.context import resolve_context

    chosen = resolve_context(context)
    prepared = prepare_dataset(name, source, out, split=split, sample=sample, seed=chosen.seed)
    if as_json:
        emit_json({**prepared.to_json(), "out": str(out)})
        return
    for file, lines in prepared.files.items():
        emit_text(f"{lines:>9,} lines  {out / file}")
    if prepared.left_out:
        emit_text(f"{prepared.left_out:,} questions without an answer to score were left out")
