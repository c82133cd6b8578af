"""Measures how much of what `ket` covers is left after compression by the graph walk."""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean, median
from time import perf_counter

from hoptrail import Hoptrail
from hoptrail.core.render import render
from hoptrail.eval.metrics.answer_scores import covers
from hoptrail.eval.questions.reader import load_questions
from hoptrail.retrievers.graph_walk_compressor import GraphWalkCompressor

BUDGET = 12_000
COMPRESSED = 4_000


def main() -> None:
    """Compress the evidence for each question and print coverage, tokens and time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--kb", type=Path, required=True)
    arguments = parser.parse_args()
    before: list[float] = []
    kept: list[float] = []
    tokens: list[int] = []
    seconds: list[float] = []
    with Hoptrail.open(arguments.kb) as hoptrail:
        retriever = hoptrail.retriever("ket", budget=BUDGET)
        for question in load_questions(arguments.questions):
            evidence = retriever.retrieve(question.text)
            started = perf_counter()
            compressed = GraphWalkCompressor(budget=COMPRESSED).compress(question.text, evidence)
            seconds.append(perf_counter() - started)
            left = render(compressed, COMPRESSED)
            before.append(covers(render(evidence, BUDGET).text, question.accepted))
            kept.append(before[-1] * covers(left.text, question.accepted))
            tokens.append(left.tokens)
    print(f"questions {len(before)}, covered {sum(before):.0f}, still covered {sum(kept):.0f}")
    print(f"kept {sum(kept) / max(1.0, sum(before)):.3f}")
    print(f"tokens: mean {mean(tokens):.0f}, most {max(tokens)}")
    print(f"compression p50 {median(seconds) * 1000:.1f} ms")


if __name__ == "__main__":
    main()
