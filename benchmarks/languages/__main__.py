"""How documents and questions of other languages fare, without a language model or with one.

    python -m benchmarks.languages [CODE ...] [--together] [--rows] [--out FILE] [--model gguf:FILE]

Each folder beside this file, named by a language's code, holds 20 documents and 15 questions, of
which three have no answer there. Its documents are indexed by rules, and every question is asked
with the preset `offline`, or `auto` where a model is named. Printed is for each language how often
the passage that answers is among the nearest three (or cited by the answer), how many answers are
right, wrong and withheld, and in which languages the abstentions are worded.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import gcld3

from benchmarks.rows import counted, is_one_of, read_rows, verdict_on, write_rows
from hoptrail import Hoptrail
from hoptrail.core.types import Answer, JsonDict

FOLDER = Path(__file__).parent


def languages() -> list[str]:
    """Return the codes of the languages that have documents here, in order."""
    return sorted(path.parent.name for path in FOLDER.glob("*/questions.jsonl"))


def measure(
    language: str, out: Path, documents: Sequence[str], model: str | None = None
) -> list[JsonDict]:
    """Return a row per question of a language.

    Args:
        language: Its code.
        out: Where the knowledge base is written.
        documents: The languages whose documents it holds.
        model: Name of a model; None asks without one.
    """
    preset = "auto" if model else "offline"
    with Hoptrail.open(out / "kb", create=True, writable=True, model=model) as hoptrail:
        for code in documents:
            hoptrail.index([FOLDER / code / "documents"], source=code, extractor="nlp")
        return [
            row_of(question, hoptrail.ask(question["question"], preset=preset), language)
            for question in read_rows(FOLDER / language / "questions.jsonl")
        ]


def row_of(question: JsonDict, answer: Answer, language: str) -> JsonDict:
    """Return a question with its answer, the verdict on it, and whether its passage is near."""
    shown = [*answer.nearest, *answer.citations]
    accepted = (question["answer"], *question["aliases"])
    is_right = question["answerable"] and is_one_of(answer.text, accepted)
    return {
        "id": question["id"],
        "question": question["question"],
        "answerable": question["answerable"],
        "gold": question["answer"],
        "answer": answer.text,
        "verdict": verdict_on(answer, is_right=is_right),
        "perhaps_reason": answer.perhaps_reason,
        "near": any(one.doc_id == f"{language}/{question['file']}" for one in shown)
        if question["answerable"]
        else None,
    }


def summary(rows: Sequence[JsonDict]) -> Iterator[str]:
    """Yield the figures as lines of text."""
    answerable = [row for row in rows if row["answerable"]]
    near = sum(row["near"] for row in answerable)
    yield f"passage shown: {near} of {len(answerable)} ({near / max(len(answerable), 1):.0%})"
    for told, own in (
        ("answerable", answerable),
        ("not answerable", [row for row in rows if not row["answerable"]]),
    ):
        yield f"{told}: {counted(own)}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.languages")
    parser.add_argument("codes", nargs="*", help="languages, else all")
    parser.add_argument("--rows", action="store_true", help="print each question too")
    parser.add_argument("--together", action="store_true", help="one base holds all languages")
    parser.add_argument("--model", help="answers what is not found without it")
    parser.add_argument("--out", type=Path, help="write the rows to this file, JSON Lines")
    chosen = parser.parse_args()
    every = []
    for code in chosen.codes or languages():
        with tempfile.TemporaryDirectory() as folder:
            documents = languages() if chosen.together else [code]
            rows = measure(code, Path(folder), documents, chosen.model)
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
        write_rows(chosen.out, every)


def _worded_in(text: str) -> str:
    """Return the language of an abstention, without the question that it quotes."""
    own = text.partition('"')[0] + text.rpartition('"')[2]
    return str(gcld3.NNetLanguageIdentifier(0, 1000).FindLanguage(text=own).language)


if __name__ == "__main__":
    main()
