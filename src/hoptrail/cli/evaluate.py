"""`hoptrail eval`: a retriever or a preset over questions with gold answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


def evaluate(
    questions: Annotated[
        Path,
        typer.Option("--questions", metavar="FILE", help="JSONL of questions, or - for stdin."),
    ],
    kb: options.KnowledgeBase,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of rows and summary.")],
    preset: options.Preset = None,
    retriever: Annotated[
        str | None,
        typer.Option("--retriever", metavar="R", help="Retriever to measure alone, such as ket."),
    ] = None,
    peer: Annotated[
        Path | None,
        typer.Option(
            "--peer", metavar="FILE", help="What another system retrieved or answered (JSONL)."
        ),
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(
            "--reader",
            metavar="R",
            help="Model of the preset: oracle, oracle:noise=X, graph_llm or PROVIDER:MODEL.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="PROVIDER:MODEL|none",
            help="Model that judges what words leave open.  [default: the role judge_eval's]",
        ),
    ] = None,
    graphs: Annotated[
        Path | None,
        typer.Option(
            "--graphs", metavar="FILE", help="A graph for each question; --kb keeps them indexed."
        ),
    ] = None,
    model: options.Models = None,
    k: Annotated[
        int | None, typer.Option("-k", metavar="N", min=1, help="Passages.  [default: 10]")
    ] = None,
    budget: options.Budget = None,
    filter: options.Filter = None,
    verify: options.Verify = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="First N questions only.")
    ] = None,
    concurrency: options.Concurrency = 1,
    allow_missing_gold: Annotated[
        bool,
        typer.Option("--allow-missing-gold", help="Count gold that is not indexed as a failure."),
    ] = False,
    cache: Annotated[
        str | None,
        typer.Option(
            "--cache",
            metavar="DIR|none",
            help="Retrieved evidence, kept for later runs.  [default: .evidence beside --out]",
        ),
    ] = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Score a retriever, a preset or another system's output on gold questions.

    The same command again continues an interrupted run.
    """
    from hoptrail.cli.choices import context_fields

    if sum(choice is not None for choice in (preset, retriever, peer)) != 1:
        raise typer.BadParameter("give exactly one of --preset, --retriever and --peer")
    if preset is None and reader is not None:
        raise typer.BadParameter("--reader needs --preset: nothing else asks a reader")
    fields = context_fields(
        assignments,
        models=model,
        filters=filter,
        k=k,
        budget=budget,
        verify=verify and verify.value,
        seed=seed,
    )

    from hoptrail.cli.evaluation_view import ScoreBar, describe_failures, show_summary
    from hoptrail.cli.output import emit_json, notes, results, warn
    from hoptrail.eval.files.run_folder import load_run
    from hoptrail.eval.runs.run_plan import RunPlan
    from hoptrail.eval.runs.runner import run_eval
    from hoptrail.graphs.context import resolve_context

    plan = RunPlan(
        questions=_question_file(questions, out),
        knowledge_base=kb,
        out=out,
        preset=preset,
        retriever=retriever,
        peer=peer,
        reader=reader,
        judge=judge,
        graphs=graphs,
        context=resolve_context(fields),
        limit=limit,
        concurrency=concurrency,
        allow_missing_gold=allow_missing_gold,
        cache=_cache_folder(cache, out),
    )
    with ScoreBar(notes()) as bar:
        summary = run_eval(plan, bar.update)
    if summary["n_failed"]:
        warn(describe_failures(load_run(out).rows))
    if as_json:
        emit_json(summary)
    else:
        show_summary(summary, results())
        notes().print(f"rows and summary: {out}", style="dim")


def _question_file(questions: Path, out: Path) -> Path:
    """Return the file of questions; those of stdin are kept in `out`.

    Raises:
        InputError: If `out` holds a run over other questions of stdin.
    """
    if str(questions) != "-":
        return questions

    from hoptrail.cli.stdin import read_text
    from hoptrail.core.errors import InputError
    from hoptrail.eval.files.run_folder import RUN
    from hoptrail.eval.files.text_files import write_whole

    text, kept = read_text(), out / "questions.jsonl"
    if (out / RUN).exists() and kept.exists() and kept.read_text(encoding="utf-8") != text:
        raise InputError(
            "the folder holds a run over other questions",
            path=str(out),
            hint="use another --out folder",
        )
    write_whole(kept, text)
    return kept


def _cache_folder(named: str | None, out: Path) -> Path | None:
    if named == "none":
        return None
    return out.parent / ".evidence" if named is None else Path(named)
