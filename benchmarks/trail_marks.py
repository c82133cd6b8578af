"""How trails of whole answers are marked, on the sets kept for reporting.

    python benchmarks/trail_marks.py [--limit N] [--runs FOLDER ...]

asks the questions of each set with the preset `offline` and with `reasoning` and the oracle, and
prints: of the right answers the share whose trail is wholly stated, the answers that are wrong and
wholly stated as a share of all questions, and the milliseconds that checking a trail takes. Runs
and knowledge bases are those of `benchmarks/evaluate.py`; what is finished is not run again. With
`--runs` the figures are those of finished runs, and nothing is asked.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from data_sets import ROOT, data_folder
from evaluate import hoptrail, index_command, measure
from evaluations import QUESTION_SETS, Configuration

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.summary import verdict_of
from hoptrail.eval.files.run_folder import load_run

REPORTED = ("musique-train100", "2wiki-dev", "hotpotqa-dev98")
CONFIGURATIONS = (
    Configuration("offline", ("--preset", "offline")),
    Configuration("reasoning-oracle", ("--preset", "reasoning", "--reader", "oracle")),
)


def main() -> None:
    """Ask what was not asked yet, and print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", metavar="N", help="first N questions only")
    parser.add_argument("--runs", type=Path, nargs="+", metavar="FOLDER", help="finished runs")
    arguments = parser.parse_args()
    for folder in arguments.runs or runs(arguments.limit):
        print(f"{folder.parent.name}/{folder.name}: {told(load_run(folder).rows)}")


def runs(limit: str | None) -> list[Path]:
    """Return the folders of all runs, after running those that are not finished."""
    os.chdir(ROOT)
    os.environ["HOPTRAIL_DATA"] = str(data_folder())
    folders = []
    for questions in QUESTION_SETS:
        if questions.name in REPORTED:
            hoptrail(*index_command(questions.corpus))
            folders += [measure(questions, of, limit) for of in CONFIGURATIONS]
    return folders


def told(rows: Sequence[JsonDict]) -> str:
    """Return the figures of a run's rows in a line."""
    answered = [row for row in rows if verdict_of(row) not in {None, "abstained"}]
    right = [row for row in answered if row["scores"]["accuracy"] == 1]
    stated = sum(map(is_stated, right))
    wrong = sum(is_stated(row) for row in answered if row["scores"]["accuracy"] != 1)
    seconds = [row["usage"]["by_node"]["verify"]["seconds"] for row in answered if row["trail"]]
    checked = f"{1000 * float(np.median(seconds)):.1f} ms a trail" if seconds else "no trail"
    return (
        f"{len(right)} right answers of {len(rows)} questions, {stated} of these wholly stated; "
        f"{wrong} wrong and wholly stated ({wrong / max(1, len(rows)):.1%} of all); {checked}"
    )


def is_stated(row: JsonDict) -> bool:
    """Return whether every step of a row's trail is stated, and it has one."""
    trail = row["trail"] or []
    return bool(trail) and all(hop["support"] == "stated" for hop in trail)


if __name__ == "__main__":
    main()
