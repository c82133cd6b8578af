"""How questions on small files of one difficulty each are answered without a language model.

    python -m benchmarks.cases.measure [--part dev|held] [OUT]

`documents` has three folders for each of nineteen difficulties: signs of money in a head, a slide
of boxes, a newer text, "We do not lend ladders." and so on. Each folder is indexed by rules and
asked on its own; a line for each difficulty says how many answers are right and wrong, plainly and
with reserve, and how many are withheld. They were written by somebody who had not seen the code;
the first and second folder of each (`dev`) were looked at since, the third ones (`held`) were not.
The rows go to OUT/rows.jsonl.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.rows import read_rows
from benchmarks.tables.measure import summary, verdict_of
from hoptrail import Hoptrail
from hoptrail.core.types import JsonDict

HERE = Path(__file__).parent
PARTS = {"dev": ("1", "2"), "held": ("3",)}


def measure(part: str, out: Path) -> list[JsonDict]:
    """Return a row per question of a part.

    Args:
        part: One of `PARTS`.
        out: Where knowledge bases and `rows.jsonl` are written.
    """
    asked = [
        question
        for question in read_rows(HERE / "questions.jsonl")
        if question["folder"].rpartition("-")[2] in PARTS[part]
    ]
    rows = [
        row
        for folder, own in groupby(asked, key=lambda question: str(question["folder"]))
        for row in _ask(folder, list(own), out)
    ]
    with (out / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return rows


def _ask(folder: str, questions: Sequence[JsonDict], out: Path) -> Iterator[JsonDict]:
    with Hoptrail.open(out / folder, create=True, writable=True) as hoptrail:
        hoptrail.index([HERE / "documents" / folder], source=folder, extractor="nlp")
        for question in questions:
            answer = hoptrail.ask(question["question"], preset="auto")
            yield {
                **question,
                "answer": None if answer.abstained else answer.text,
                "verdict": verdict_of(
                    answer, question["answers"], is_list=bool(question.get("list"))
                ),
                "perhaps_reason": answer.perhaps_reason,
            }


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", help="folder to write to, else temporary")
    parser.add_argument("--part", choices=PARTS, default="dev", help="which folders")
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        rows = measure(parsed.part, parsed.out or Path(temporary))
    print(summary(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
