"""`hoptrail judge`: which of two runs gave the better answers, by a blind language model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.cost_view import spent
from hoptrail.cli.output import printable

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.eval.judges.pairwise import PairwiseJudge
    from hoptrail.eval.judges.pairwise_report import CriterionResult, PairwiseReport


def judge(
    first: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="Folder of a run of a preset.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="Folder of another one.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the judgements.")],
    model: options.Models = None,
    criteria: Annotated[
        str | None,
        typer.Option("--criteria", metavar="A,B", help="By what to compare.  [default: all]"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="First N pairs only.")
    ] = None,
    max_usd: options.MaxUsd = None,
    concurrency: options.Concurrency = 4,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare the answers of two runs, pair by pair, in both orders.

    The model of role judge_eval sees neither the systems' names nor the gold answers. The same
    command again judges only what is not judged yet.
    """
    from hoptrail.cli.choices import context_fields

    fields = context_fields(assignments, models=model, seed=seed)

    from hoptrail.cli.evaluate import ScoreBar
    from hoptrail.cli.output import emit_json, notes, results
    from hoptrail.eval.files.run_folder import load_run
    from hoptrail.eval.judges.runner import judge_runs

    judge_eval = _make_judge(fields, criteria)
    runs = load_run(first), load_run(second)
    with ScoreBar(notes()) as bar:
        report = judge_runs(
            runs[0].rows,
            runs[1].rows,
            judge_eval,
            out,
            names=_names((first, second), (runs[0].run, runs[1].run)),
            limit=limit,
            concurrency=concurrency,
            max_usd=max_usd,
            report=bar.update,
        )
    if as_json:
        emit_json(report.to_json())
    else:
        show_pairwise(report, results())
        notes().print(f"judgements and reasons: {out}", style="dim")


def _make_judge(fields: dict[str, Any], criteria: str | None) -> PairwiseJudge:
    from hoptrail.cli.role_model import model_for_role
    from hoptrail.eval.judges.criteria import choose_criteria
    from hoptrail.eval.judges.pairwise import PairwiseJudge

    names = [name.strip() for name in criteria.split(",")] if criteria is not None else []
    chosen = choose_criteria(names)
    model, prompts = model_for_role("judge_eval", fields)
    return PairwiseJudge(model, criteria=chosen, prompts=prompts)


def _names(
    folders: tuple[Path, Path], runs: tuple[dict[str, Any], dict[str, Any]]
) -> tuple[str, str]:
    """Return what to call the runs: their systems, or their folders where the systems agree."""
    first, second = (str(run.get("system")) for run in runs)
    return (first, second) if first != second else (str(folders[0]), str(folders[1]))


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
