"""How documents and questions of other languages fare without a language model.

Each folder beside this file, named by a language's code, holds 20 documents and 15 questions, of
which three have no answer there. Its documents are indexed by rules, and every question is asked
with the preset `offline`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hoptrail import Hoptrail
from hoptrail.core.text import normalize_answer
from hoptrail.core.types import Answer, JsonDict
from hoptrail.eval.figures.summary import VERDICTS

FOLDER = Path(__file__).parent


def languages() -> list[str]:
    """Return the codes of the languages that have documents here, in order."""
    return sorted(path.parent.name for path in FOLDER.glob("*/questions.jsonl"))


def questions(language: str) -> list[JsonDict]:
    """Return the questions of a language."""
    lines = (FOLDER / language / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def measure(language: str, out: Path, documents: Sequence[str]) -> list[JsonDict]:
    """Return a row per question of a language.

    Args:
        language: Its code.
        out: Where the knowledge base is written.
        documents: The languages whose documents it holds.
    """
    with Hoptrail.open(out / "kb", create=True, writable=True) as hoptrail:
        for code in documents:
            hoptrail.index([FOLDER / code / "documents"], source=code, extractor="nlp")
        return [
            row_of(question, hoptrail.ask(question["question"], preset="offline"), language)
            for question in questions(language)
        ]


def row_of(question: JsonDict, answer: Answer, language: str) -> JsonDict:
    """Return a question with its answer, the verdict on it, and whether its passage is near."""
    shown = [*answer.nearest, *answer.citations]
    return {
        "id": question["id"],
        "question": question["question"],
        "answerable": question["answerable"],
        "gold": question["answer"],
        "answer": answer.text,
        "verdict": _verdict(question, answer),
        "perhaps_reason": answer.perhaps_reason,
        "near": any(one.doc_id == f"{language}/{question['file']}" for one in shown)
        if question["answerable"]
        else None,
    }


def _verdict(question: JsonDict, answer: Answer) -> str:
    if answer.abstained:
        return "abstained"
    accepted = {normalize_answer(one) for one in (question["answer"], *question["aliases"])}
    is_right = question["answerable"] and normalize_answer(answer.text) in accepted
    return f"{'right' if is_right else 'wrong'} {'perhaps' if answer.perhaps else 'plain'}"


def summary(rows: Sequence[JsonDict]) -> Iterator[str]:
    """Yield the figures as lines of text."""
    answerable = [row for row in rows if row["answerable"]]
    near = sum(row["near"] for row in answerable)
    yield f"passage shown: {near} of {len(answerable)} ({near / max(len(answerable), 1):.0%})"
    for told, own in (
        ("answerable", answerable),
        ("not answerable", [row for row in rows if not row["answerable"]]),
    ):
        counts = Counter(row["verdict"] for row in own)
        yield f"{told}: " + ", ".join(f"{counts[name]} {name}" for name in VERDICTS)
