"""`hoptrail eval` scores on gold questions, `hoptrail eval-marks` the marks of trails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.output import emit_json, grid, notes, results, warn
from hoptrail.core.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.eval.planted.evaluation import MarkReport
    from hoptrail.graphs.context import Context

_RANKING_FIGURE = "recall@5"


def evaluate(
    kb: options.KnowledgeBase,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of rows and summary.")],
    questions: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE", help="JSONL of questions, or - for stdin."),
    ] = None,
    from_feedback: Annotated[
        bool,
        typer.Option(
            "--from-feedback",
            help="Ask what readers judged: their corrections, and answers they called good, are "
            "the gold answers.",
        ),
    ] = False,
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
    reranker: options.Reranker = None,
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
    if sum(choice is not None for choice in (preset, retriever, peer)) != 1:
        raise typer.BadParameter("give exactly one of --preset, --retriever and --peer")
    if (questions is None) != from_feedback:
        raise typer.BadParameter("give either --questions FILE or --from-feedback")
    if preset is None and reader is not None:
        raise typer.BadParameter("--reader needs --preset: nothing else asks a reader")
    fields = options.context_fields(
        assignments,
        models=model,
        filters=filter,
        reranker=reranker,
        k=k,
        budget=budget,
        verify=verify and verify.value,
        seed=seed,
    )

    from hoptrail.cli.progress import ScoreBar
    from hoptrail.eval.run_folder import load_run
    from hoptrail.eval.runs.runner import RunPlan, run_eval
    from hoptrail.graphs.context import resolve_context

    context = resolve_context(fields)
    plan = RunPlan(
        questions=_feedback_file(kb, out, context)
        if questions is None
        else _question_file(questions, out),
        knowledge_base=kb,
        out=out,
        preset=preset,
        retriever=retriever,
        peer=peer,
        reader=reader,
        judge=judge,
        graphs=graphs,
        context=context,
        limit=limit,
        concurrency=concurrency,
        allow_missing_gold=allow_missing_gold,
        cache=_cache_folder(cache, out),
    )
    with ScoreBar(notes()) as bar:
        summary = run_eval(plan, bar.update)
    if summary["n_failed"]:
        warn(describe_failures(load_run(out).rows))
    if retriever is not None and (told := describe_degraded(load_run(out).rows)):
        warn(told)
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

    return _kept_questions(options.read_text(), out, "other questions")


def _feedback_file(kb: str, out: Path, context: Context) -> Path:
    """Return the file of questions that readers judged, which is kept in `out`.

    Raises:
        InputError: If there is none, or `out` holds a run over other feedback.
    """
    from hoptrail.api import Hoptrail
    from hoptrail.eval.questions.feedback_questions import feedback_questions

    with Hoptrail.open(kb) as hoptrail:
        asked = feedback_questions(
            hoptrail.feedback_entries(), hoptrail.stored, context.document_filter
        )
    for line in asked.left_out:
        warn(line)
    return _kept_questions(asked.text, out, "feedback that has changed since")


def _kept_questions(text: str, out: Path, others: str) -> Path:
    """Write questions into the folder of the run and return the file.

    Raises:
        InputError: If `out` holds a run over other ones.
    """
    from hoptrail.eval.json_files import write_whole
    from hoptrail.eval.run_folder import RUN

    kept = out / "questions.jsonl"
    if (out / RUN).exists() and kept.exists() and kept.read_text(encoding="utf-8") != text:
        raise InputError(
            f"the folder holds a run over {others}",
            path=str(out),
            hint="use another --out folder",
        )
    write_whole(kept, text)
    return kept


def _cache_folder(named: str | None, out: Path) -> Path | None:
    if named == "none":
        return None
    return out.parent / ".evidence" if named is None else Path(named)


def show_summary(summary: dict[str, Any], console: Console) -> None:
    """Print every figure that was measured, with its 95 % interval where there is one.

    That nothing was ranked, or no gold documents are known, is said: it is no recall of 0. So is
    that the oracle answered, which is no model.
    """
    from hoptrail.eval.run_folder import ORACLE_NOTE, is_oracle

    table = grid()
    table.add_column(style="dim")
    intervals = summary.get("ci95") or {}
    for name, value in summary.items():
        if name == "reader" and value is not None:
            table.add_row(name, value, "")
        elif isinstance(value, int | float):
            bounds = intervals.get(name)
            interval = f"{bounds[0]:.3f} to {bounds[1]:.3f}" if bounds else ""
            table.add_row(name, _figure(value), interval)
        elif name == _RANKING_FIGURE and value is None:
            table.add_row("recall", "not scored", "")
    for name, share in (summary.get("errors") or {}).items():
        table.add_row(f"errors: {name}", _figure(share), "")
    for name, share in (summary.get("verdicts") or {}).items():
        table.add_row(name, _figure(share), "")
    console.print(table)
    if is_oracle(summary.get("reader")):
        console.print(ORACLE_NOTE, style="dim")


def describe_failures(rows: Sequence[dict[str, Any]]) -> str:
    """Return how many questions failed, and why the first one did."""
    failed = [row for row in rows if row["failure"] is not None]
    reason = " ".join(str(failed[0]["failure"]["message"]).split())
    return f"{len(failed)} of {len(rows)} questions failed, {failed[0]['id']} first: {reason}"


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def describe_degraded(rows: Sequence[dict[str, Any]]) -> str:
    """Return for how many questions something went other than it should; "" for none."""
    degraded = [row for row in rows if row.get("degraded")]
    if not degraded:
        return ""
    first = degraded[0]
    return f"{len(degraded)} of {len(rows)} questions, {first['id']} first: {first['degraded'][0]}"


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
    from hoptrail.eval.planted.evaluation import evaluate_marks
    from hoptrail.graphs.context import resolve_context

    context = resolve_context(options.context_fields(assignments, seed=seed))
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
