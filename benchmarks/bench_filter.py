"""Measures retrieval with half of the documents filtered out against retrieval without a filter.

Both are asked in turns in one process, so that a busy machine slows both. What is timed is the
processor, and a ratio of medians above 1.3 fails.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from generated_corpus import write_corpus

from hoptrail import Hoptrail
from hoptrail.core.settings import Settings
from hoptrail.models.embedder import register_embedder
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.testing import HashingEmbedder

FILTER = "half = first"
MOST = 1.3
QUESTIONS = 60


def main() -> int:
    """Index a generated corpus, measure each retriever, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=2000)
    arguments = parser.parse_args()
    register_embedder("hashing", HashingEmbedder())
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "articles.jsonl"
        questions = write_halves(corpus, arguments.articles)
        settings = Settings(embedder="hashing")
        with Hoptrail.open(Path(scratch) / "kb", create=True, settings=settings) as hoptrail:
            hoptrail.index([corpus], extractor="nlp")
            worst = measure(hoptrail, questions)
    print(f"worst ratio {worst:.2f}, at most {MOST} is wanted")
    return int(worst > MOST)


def write_halves(path: Path, articles: int) -> list[str]:
    """Write the corpus, every second article in the first half; return questions about some."""
    write_corpus(path, articles)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for number, row in enumerate(rows):
        row["half"] = ("first", "second")[number % 2]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return [f"Who worked with {row['title']}?" for row in rows[:: max(1, articles // QUESTIONS)]]


def measure(hoptrail: Hoptrail, questions: list[str]) -> float:
    """Print the medians of each retriever, and return the largest ratio."""
    started = time.process_time()
    hoptrail.retriever("bm25", filter=FILTER)
    print(f"first question under the filter: {time.process_time() - started:.1f} s")
    worst = 0.0
    for name in RETRIEVERS:
        sides = (hoptrail.retriever(name), hoptrail.retriever(name, filter=FILTER))
        for side in sides:
            seconds(side, questions[0])  # derives what serves all questions
        times = [[seconds(side, question) for side in sides] for question in questions]
        whole, part = (statistics.median(column) for column in zip(*times, strict=True))
        worst = max(worst, part / whole)
        print(f"{name:14} {whole * 1e3:8.2f} ms {part * 1e3:8.2f} ms  {part / whole:.2f}")
    return worst


def seconds(retriever: Retriever, question: str) -> float:
    """Return the processor's seconds that a retrieval takes."""
    started = time.process_time()
    retriever.retrieve(question)
    return time.process_time() - started


if __name__ == "__main__":
    raise SystemExit(main())
