"""Measures the marks of trails on true and on corrupted claims of the sets kept for reporting.

    python benchmarks/planted.py [--tuning] [--per-kind N] [--seed N] [--out FOLDER]

Prints for each set and kind the share of claims marked as stated, with its 95 % interval. What a
rule or a scorer is chosen on is measured with `--tuning`, never with the sets for reporting. To
these belong the everyday documents too: `python benchmarks/everyday/generate.py OUT`, then
`hoptrail eval-marks OUT/documents --form documents`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from data_sets import data_folder
from rich.console import Console

from hoptrail.cli.evaluate import show_marks
from hoptrail.eval.planted.evaluation import evaluate_marks

REPORTING = {
    "2wiki/dev.jsonl": "questions",
    "hotpotqa/dev98.jsonl": "questions",
    "musique/train100_openie.jsonl": "triples",
}
TUNING = {"musique/dev.jsonl": "questions", "hotpotqa/train100.jsonl": "questions"}


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuning", action="store_true", help="the sets that rules are chosen on")
    parser.add_argument("--per-kind", type=int, default=300)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--out", type=Path, help="folder of the claims with their marks")
    arguments = parser.parse_args()
    sets = TUNING if arguments.tuning else REPORTING
    data = data_folder(*sets)
    console = Console(highlight=False)
    for name, form in sets.items():
        out = arguments.out / name.replace("/", "-") if arguments.out else None
        report = evaluate_marks(
            data / name, form, per_kind=arguments.per_kind, seed=arguments.seed, out=out
        )
        console.print(name)
        show_marks(report, console)


if __name__ == "__main__":
    main()
