"""Asks questions with preset cypher and the configured model, and prints what became of each.

    hoptrail publish --kb articles       # a base of examples/articles, by --extractor nlp
    python benchmarks/cypher_questions.py articles

A query is valid where it was run and found something: at the first try, or after it was written
once more. An answer is right where its set is the gold set. The questions were frozen before any
query was written.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail import Hoptrail
from hoptrail.core.types import Answer
from hoptrail.eval.metrics.answer_scores import set_f1
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions

QUESTIONS = Path(__file__).with_name("cypher_questions.jsonl")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what became of it."""

    question: Question
    answer: Answer

    @property
    def tries(self) -> int:
        """Queries that were written, 0 where none gave an answer."""
        return 0 if self.answer.abstained else self.answer.usage.llm_calls

    @property
    def is_right(self) -> bool:
        """Whether the answers are the gold ones, no more and no less."""
        given = [one.text for one in self.answer.answers]
        return set_f1(given, self.question.answers) == 1.0


def main() -> None:
    """Ask all questions and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kb", help="name of a base in hoptrail.toml that is published to Neo4j")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--max-seconds", type=float, default=180.0, help="of a question")
    given = parser.parse_args()
    questions = load_questions(given.questions)
    asked = asyncio.run(ask_all(given.kb, questions, given.concurrency, given.max_seconds))
    for one in asked:
        show(one)
    print(table(asked))


async def ask_all(
    kb: str, questions: Sequence[Question], concurrency: int, max_seconds: float
) -> list[Asked]:
    """Return what became of each question, in their order."""
    slots = asyncio.Semaphore(concurrency)
    with Hoptrail.open(kb) as h:

        async def ask(question: Question) -> Asked:
            async with slots:
                answer = await h.aask(question.text, preset="cypher", max_seconds=max_seconds)
            return Asked(question, answer)

        return await asyncio.gather(*map(ask, questions))


def show(one: Asked) -> None:
    """Print a question, its answer, its query and its trail."""
    mark = "right" if one.is_right else "wrong"
    print(f"{one.question.id} {one.question.text}\n  {mark}, {one.tries} tries: {one.answer.text}")
    print(f"  {' '.join((one.answer.query or 'no query').split())}")
    for line in one.answer.degraded:
        print(f"  {line}")
    for hop in one.answer.trail.hops:
        print(f"  {hop.hop} {hop.claim} ({hop.support})")


def table(asked: Sequence[Asked]) -> str:
    """Return the counts as a table in Markdown, by type of question and in all."""
    lines = [
        "| questions | n | valid at the first try | after repair | right | steps stated |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    types = dict.fromkeys(one.question.type or "" for one in asked)
    for name in (*types, "all"):
        some = [one for one in asked if name in ("all", one.question.type)]
        hops = [hop for one in some for hop in one.answer.trail.hops]
        first, repaired = (sum(one.tries == tries for one in some) for tries in (1, 2))
        right, stated = sum(one.is_right for one in some), sum(hop.supported for hop in hops)
        cells = (name, len(some), first, repaired, right, f"{stated} of {len(hops)}")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
