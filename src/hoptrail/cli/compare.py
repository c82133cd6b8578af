"""`hoptrail compare`: finished evaluations set against the first one, question by question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


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
    from hoptrail.cli.comparison_view import show_comparison
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
