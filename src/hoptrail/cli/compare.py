"""`hoptrail compare`: finished evaluations set against the first one, question by question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options
from hoptrail.cli.output import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hoptrail.eval.figures.comparison import ComparedMetric, Comparison, Contrast


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

    from hoptrail.cli.choices import context_fields
    from hoptrail.cli.output import emit_json, notes, results
    from hoptrail.eval.figures.comparison import compare_runs
    from hoptrail.eval.files.run_folder import load_run
    from hoptrail.eval.report.comparison_folder import write_comparison
    from hoptrail.graphs.context import resolve_context

    resolve_context(context_fields(assignments, seed=seed))  # names a mistyped one
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
    from hoptrail.eval.files.run_folder import ORACLE_NOTE, is_oracle

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
