"""How questions are answered over two texts of which the newer one takes the older one's place.

    python -m benchmarks.editions [OUT] [--data FILE]

indexes each pair of `editions.jsonl` in a knowledge base of its own, asks its questions with the
preset `offline` and prints, by kind of text, how many were answered rightly, how many wrongly and
plainly, and how many told the older value beside the newer one. The rows are written to
OUT/rows.jsonl.

A line of the file is a pair: its `kind`, its `files` with their texts, and its `questions`, each
with the right `answer` and the `older` value, null where the older text alone tells or is asked.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.rows import read_rows, verdict_on, write_rows
from hoptrail import Hoptrail
from hoptrail.core.text import contains_answer
from hoptrail.core.types import Answer, JsonDict

DATA = Path(__file__).with_suffix(".jsonl")


def measure(asked: Iterable[JsonDict], out: Path) -> Iterator[JsonDict]:
    """Yield a row per question; documents and knowledge bases are written to a folder."""
    for number, pair in enumerate(asked, 1):
        folder = out / f"pair-{number}"
        write(pair, folder)
        with Hoptrail.open(out / f"kb-{number}", create=True, writable=True) as hoptrail:
            hoptrail.index([folder], extractor="nlp")
            for question in pair["questions"]:
                answer = hoptrail.ask(question["question"], preset="offline")
                yield {"kind": pair["kind"], **question, **row_of(question, answer)}


def write(pair: JsonDict, folder: Path) -> None:
    """Write the files of a pair to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pair["files"].items():
        (folder / name).write_text(text, encoding="utf-8")


def row_of(question: JsonDict, answer: Answer) -> JsonDict:
    """Return what was answered, the verdict, and whether the older value stands beside it."""
    older = question["older"]
    is_told = bool(older) and contains_answer(answer.perhaps_reason or "", older)
    return {
        "given": None if answer.abstained else answer.text,
        "reason": answer.perhaps_reason,
        "verdict": verdict_on(answer, is_right=contains_answer(answer.text, question["answer"])),
        "tells_older": is_told,
    }


def main() -> None:
    """Print a line for each kind, and the questions that were not answered rightly."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = arguments.out or Path(folder)
        rows = list(measure(read_rows(arguments.data), out))
        write_rows(out / "rows.jsonl", rows)
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        told = Counter(row["verdict"] for row in own)
        older = [row for row in own if row["older"]]
        beside = sum(row["tells_older"] for row in older)
        counts = ", ".join(f"{number} {verdict}" for verdict, number in sorted(told.items()))
        print(f"{kind:12} {len(own)} questions: {counts}; {beside} of {len(older)} older told")
    for row in rows:
        if not row["verdict"].startswith("right"):
            print(f"  {row['verdict']}: {row['question']} {row['given']} ({row['answer']})")


if __name__ == "__main__":
    main()
