"""Measure the languages and print the figures.

    python -m benchmarks.languages [CODE ...] [--together] [--rows] [--out FILE]

prints for each language how often the passage that answers is among the nearest three (or cited by
the answer), how many answers are right, wrong and withheld, and in which languages the abstentions
are worded.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

import gcld3

from benchmarks.languages.measure import languages, measure, summary


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.languages")
    parser.add_argument("codes", nargs="*", help="languages, else all")
    parser.add_argument("--rows", action="store_true", help="print each question too")
    parser.add_argument("--together", action="store_true", help="one base holds all languages")
    parser.add_argument("--out", type=Path, help="write the rows to this file, JSON Lines")
    chosen = parser.parse_args()
    every = []
    for code in chosen.codes or languages():
        with tempfile.TemporaryDirectory() as folder:
            rows = measure(code, Path(folder), languages() if chosen.together else [code])
        every += rows
        print(f"{code}: " + "; ".join(summary(rows)))
        withheld = [row["answer"] for row in rows if row["verdict"] == "abstained"]
        print(f"    abstentions worded in: {dict(Counter(map(_worded_in, withheld)))}")
        for row in rows if chosen.rows else ():
            told = row["answer"] if row["verdict"] != "abstained" else ""
            print(f"    {row['id']} near={row['near']} {row['verdict']} {told!r} {row['gold']!r}")
            print(f"        {row['question']} {row['perhaps_reason'] or ''}")
    print("all: " + "; ".join(summary(every)))
    if chosen.out:
        told = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in every)
        chosen.out.write_text(told, encoding="utf-8")


def _worded_in(text: str) -> str:
    """Return the language of an abstention, without the question that it quotes."""
    own = text.partition('"')[0] + text.rpartition('"')[2]
    return str(gcld3.NNetLanguageIdentifier(0, 1000).FindLanguage(text=own).language)


main()
