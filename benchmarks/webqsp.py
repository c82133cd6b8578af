"""Measures retrieval on WebQSP's questions, each over its own graph, from nothing.

    HF_HUB_OFFLINE=1 python benchmarks/webqsp.py [--split validation] [--limit N] [--kept FOLDER]

Prints for each retriever the share of questions that have an answer at an end of a retrieved edge
(by name; `exact_match_node` of `hoptrail eval` also counts entities without an edge), the mean
number of edges, and seconds per question beyond the embedding of the question; then the seconds of
everything. The topic entity is never given, and no language model is called. Which configurations
ship was chosen on train800.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from data_sets import data_folder

from hoptrail.api import Hoptrail
from hoptrail.core.errors import NothingIndexedError
from hoptrail.core.settings import Settings
from hoptrail.core.text import name_key
from hoptrail.core.types import Evidence
from hoptrail.eval.questions.graphs_file import GraphBases, GraphFile
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.retrievers.registry import make_retriever

REPORTED_EACH = 50
CONFIGURATIONS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "multistage, learned": ("multistage", {"scorer": "learned"}),
    "multistage, similarity": ("multistage", {"scorer": "similarity"}),
    "multistage, predicates alone": ("multistage", {"scorer": "similarity", "strings": 0}),
    "dagr": ("dagr", {}),
    "dagr, 60 prizes": ("dagr", {"edges": 60}),
    "dagr, similarity, 60 prizes": ("dagr", {"scorer": "similarity", "edges": 60}),
    "relation_path": ("relation_path", {}),
}


class Tally:
    """Counts of the evidence that one configuration found, question by question."""

    def __init__(self) -> None:
        self.hits: list[bool] = []
        self.edges: list[int] = []
        self.seconds: list[float] = []

    def add(self, question: Question, evidence: Evidence, seconds: float) -> None:
        """Count a question's evidence."""
        relations = [hit.item for hit in evidence.relations]
        ends = {name_key(name) for item in relations for name in (item.subject, item.object)}
        self.hits.append(any(name_key(answer) in ends for answer in question.accepted))
        self.edges.append(len(relations))
        self.seconds.append(seconds)

    def __str__(self) -> str:
        """Return the figures as one line."""
        return (
            f"{mean(self.hits):.3f} ({sum(self.hits)} of {len(self.hits)}), "
            f"{mean(self.edges):.1f} edges, {median(self.seconds) * 1000:.0f} ms"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure retrieval on WebQSP.")
    parser.add_argument("--split", choices=("validation", "train800"), default="validation")
    parser.add_argument("--limit", type=int, help="first N questions only")
    parser.add_argument("--kept", type=Path, help="keeps the knowledge bases; new ones if none")
    parser.add_argument("--only", nargs="*", choices=list(CONFIGURATIONS), metavar="NAME")
    arguments = parser.parse_args()
    data = data_folder("webqsp") / "webqsp"
    questions = load_questions(data / f"questions_{arguments.split}.jsonl", arguments.limit)
    with tempfile.TemporaryDirectory() as scratch:
        bases = GraphBases(
            GraphFile(data / f"graphs_{arguments.split}.jsonl.gz"),
            arguments.kept or Path(scratch),
            Settings(),
        )
        measure(questions, bases, arguments.only or list(CONFIGURATIONS))


def measure(questions: Sequence[Question], bases: GraphBases, names: Sequence[str]) -> None:
    """Print the figures of some configurations."""
    started, indexing = time.perf_counter(), 0.0
    tallies = {name: Tally() for name in names}
    possible = 0
    for number, question in enumerate(sorted(questions, key=lambda question: question.line), 1):
        before = time.perf_counter()
        try:
            folder = bases.find(question.graph or question.id)
        except NothingIndexedError:
            for tally in tallies.values():
                tally.add(question, Evidence(), 0.0)
            continue
        indexing += time.perf_counter() - before
        with Hoptrail.open(folder) as hoptrail:
            kb = hoptrail.knowledge_base
            possible += bool(kb.store.find_entities(question.accepted))
            kb.embed_query(question.text)
            for name, tally in tallies.items():
                retriever, parameters = CONFIGURATIONS[name]
                before = time.perf_counter()
                evidence = make_retriever(retriever, kb, **parameters).retrieve(question.text)
                tally.add(question, evidence, time.perf_counter() - before)
        if number % REPORTED_EACH == 0 or number == len(questions):
            print(f"{number} of {len(questions)} questions")
            for name, tally in tallies.items():
                print(f"  {name}: {tally}", flush=True)
    print(f"an answer is anywhere in the graph: {possible} of {len(questions)}")
    print(f"seconds: {time.perf_counter() - started:.0f} in all, {indexing:.0f} of it indexing")


if __name__ == "__main__":
    main()
