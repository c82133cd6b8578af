"""Runs set against each other: `hoptrail compare` by their figures, `hoptrail judge` by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.costs import spent
from hoptrail.cli.output import emit_json, notes, printable, results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hoptrail.eval.figures.comparison import ComparedMetric, Comparison, Contrast
    from hoptrail.eval.judges.pairwise import PairwiseJudge
    from hoptrail.eval.judges.runner import CriterionResult, PairwiseReport
    from hoptrail.models.chat import RoleModel
    from hoptrail.prompts.loader import Prompts

_COLUMNS = ("metric", "baseline", "run", "change", "95 % interval", "p", "McNemar")


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN_DIR...", help="Two or more --out folders of eval.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder of the report and the figures.")
    ],
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare evaluations over the same questions.

    The first run is the baseline: every other is set against it by paired bootstrap, and by
    McNemar's test where a score is right or wrong. The samples are the same whatever --seed says.
    """
    if len(runs) < 2:
        raise typer.BadParameter("give two or more run folders")

    from hoptrail.eval.figures.comparison import compare_runs
    from hoptrail.eval.report.comparison_folder import write_comparison
    from hoptrail.eval.run_folder import load_run
    from hoptrail.graphs.context import resolve_context

    resolve_context(options.context_fields(assignments, seed=seed))  # names a mistyped one
    loaded = [load_run(path) for path in runs]
    comparison = compare_runs(loaded)
    written = write_comparison(out, loaded, comparison)
    if as_json:
        emit_json(comparison.as_json())
    else:
        show_comparison(comparison, results())
        notes().print(f"{', '.join(written)} in {out}", style="dim")


def show_comparison(comparison: Comparison, console: Console) -> None:
    """Print each run's means and paired differences to the baseline, the first run."""
    from hoptrail.eval.run_folder import ORACLE_NOTE, is_oracle

    names = [printable(name) for name in comparison.names]
    for place, name in enumerate(names[1:], 1):
        console.print(f"{name} against {names[0]}, {comparison.n} questions", style="bold")
        console.print(_table(comparison, place))
        console.print()
    if any(map(is_oracle, comparison.readers)):
        console.print(ORACLE_NOTE, style="dim")
    for name, count in zip(names, comparison.left_out, strict=True):
        if count:
            console.print(f"{count} questions of {name} have no pair and are left out", style="dim")


def _table(comparison: Comparison, place: int) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0))
    for column in _COLUMNS:
        table.add_column(column, justify="left" if column == "metric" else "right")
    for metric in comparison.metrics:
        contrast = metric.contrasts[place]
        if contrast is not None:
            table.add_row(*_cells(metric, place, contrast))
    return table


def _cells(metric: ComparedMetric, place: int, contrast: Contrast) -> tuple[str, ...]:
    from hoptrail.eval.report.labels import figure, p_value, signed

    difference = contrast.difference
    return (
        metric.name,
        figure(metric.means[0], metric.name),
        figure(metric.means[place], metric.name),
        signed(difference.mean, metric.name),
        " to ".join(signed(bound, metric.name) for bound in difference.ci95),
        p_value(difference.p),
        p_value(contrast.mcnemar.p) if contrast.mcnemar else "",
    )


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
    fields = options.context_fields(assignments, models=model, seed=seed)

    from hoptrail.cli.progress import ScoreBar
    from hoptrail.eval.judges.runner import judge_runs
    from hoptrail.eval.run_folder import load_run

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
    from hoptrail.eval.judges.criteria import choose_criteria
    from hoptrail.eval.judges.pairwise import PairwiseJudge

    names = [name.strip() for name in criteria.split(",")] if criteria is not None else []
    chosen = choose_criteria(names)
    model, prompts = judge_model(fields)
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
        table.add_row(name, *_verdict_cells(result))
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


def _verdict_cells(result: CriterionResult) -> tuple[str, ...]:
    shares = {"first": result.first, "second": result.second, "tie": result.tie}
    rates = [_with_interval(share, result.ci95[name]) for name, share in shares.items()]
    return (*rates, f"{result.p:.3f}", _percent(result.position.inconsistency_rate))


def _with_interval(share: float | None, bounds: tuple[float, float] | None) -> str:
    if share is None or bounds is None:
        return "-"
    return f"{_percent(share)} ({_percent(bounds[0])}-{_percent(bounds[1])})"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.0f}"


def judge_model(fields: dict[str, Any]) -> tuple[RoleModel, Prompts]:
    """Return the model of role judge_eval, and the prompts with the settings' overrides.

    Args:
        fields: Fields of Context, as `context_fields` returns them.

    Raises:
        ModelNotConfiguredError: If neither the fields nor the settings name a model.
        SettingsError: If a field or a prompt file cannot be used.
    """
    from hoptrail.core.settings import load_settings
    from hoptrail.graphs.context import resolve_context
    from hoptrail.models.chat import DEFAULT_CHOICE, ChatModels
    from hoptrail.prompts.loader import Prompts

    context = resolve_context(fields)
    settings = load_settings()
    prompts = Prompts(settings.prompts_dir)
    prompts.load_all()
    choices = {str(name): model for name, model in context.models.items()}
    if context.model is not None:
        choices[DEFAULT_CHOICE] = context.model
    return ChatModels(settings, choices).for_role("judge_eval"), prompts
