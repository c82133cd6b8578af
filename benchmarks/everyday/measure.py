"""How the everyday documents are answered without a language model.

    python -m benchmarks.everyday.measure [OUT] [--set trades]

indexes the documents by rules, asks every question with the preset `offline`, and prints for each
kind of question how many answers are right and wrong, plainly and with reserve ("perhaps"), how
many are withheld, and how often one of the nearest passages holds the answer. The rows are written
to OUT/rows.jsonl.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.everyday.generate import FIRST, ORGANISATIONS, write
from benchmarks.rows import counted, is_one_of, read_rows, verdict_on, write_rows
from hoptrail import Hoptrail
from hoptrail.core.text import contains_answer
from hoptrail.core.types import Answer, JsonDict, NearestPassage

UNANSWERABLE = "Null"
_PARITY = (("odd, developed on", 1), ("even, held out", 0))


def measure(folder: Path, out: Path) -> list[JsonDict]:
    """Return a row per question over the documents of a folder that `generate.py` wrote.

    Args:
        folder: Holds `documents/` and `questions.jsonl`.
        out: Where the knowledge base and `rows.jsonl` are written.
    """
    with Hoptrail.open(out / "kb", create=True, writable=True) as hoptrail:
        hoptrail.index([folder / "documents"], source="everyday", extractor="nlp")
        texts = {chunk.id: chunk.text for chunk in hoptrail.knowledge_base.iter_chunks()}
        rows = [
            row_of(question, hoptrail.ask(question["question"], preset="offline"), texts)
            for question in read_rows(folder / "questions.jsonl")
        ]
    write_rows(out / "rows.jsonl", rows)
    return rows


def row_of(question: JsonDict, answer: Answer, texts: dict[str, str]) -> JsonDict:
    """Return a question with its answer, the verdict on it, and whether the passages help."""
    return {
        "id": question["id"],
        "type": question["type"],
        "question": question["question"],
        "gold": question["answer"],
        "answer": None if answer.abstained else answer.text,
        "verdict": verdict_on(answer, is_right=is_one_of(answer.text, _accepted(question))),
        "perhaps_reason": answer.perhaps_reason,
        "nearest_hit": _is_near(question, answer.nearest, texts),
        "seconds": answer.usage.seconds,
    }


def _accepted(question: JsonDict) -> list[str]:
    return [question["answer"], *question["answer_aliases"]]


def _is_near(question: JsonDict, nearest: Sequence[NearestPassage], texts: dict[str, str]) -> bool:
    return any(
        passage.doc_id in question.get("supporting_ids", ())
        and any(contains_answer(texts[passage.chunk_id], one) for one in _accepted(question))
        for passage in nearest
    )


def summary(rows: Sequence[JsonDict]) -> str:
    """Return the figures as lines of text."""
    lines = []
    for kind in ("one-hop", "two-hop", UNANSWERABLE):
        own = [row for row in rows if row["type"] == kind]
        near = sum(row["nearest_hit"] for row in own)
        hits = "" if kind == UNANSWERABLE else f"; answer in the nearest passages {near}"
        lines.append(f"{kind:8} {len(own)} questions: {counted(own)}{hits}")
    return "\n".join(lines)


def _parts(rows: Sequence[JsonDict], of_set: str) -> list[tuple[str, str]]:
    """Return the summary; of the second set one of the odd questions and one of the even ones."""
    if of_set == FIRST:
        return [("", summary(rows))]
    parity = {
        name: [row for row in rows if int(row["id"][-2:]) % 2 == odd] for name, odd in _PARITY
    }
    return [(f"{name}\n", summary(own)) for name, own in parity.items()]


def main(arguments: Sequence[str]) -> None:
    """Generate, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", help="folder to write to, else temporary")
    parser.add_argument("--set", choices=ORGANISATIONS, default=FIRST, help="of which set")
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        out = parsed.out or Path(temporary)
        write(out, parsed.set)
        rows = measure(out, out)
    for part, told in _parts(rows, parsed.set):
        print(f"{part}{told}")


if __name__ == "__main__":
    main(sys.argv[1:])
