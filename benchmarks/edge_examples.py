"""WebQSP's questions, each with its graph as the edge scorer reads it, for training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from path_examples import Vocabulary

from hoptrail.core.embedding import Embedder, IntArray
from hoptrail.core.names import is_unnamed, predicate_words
from hoptrail.core.text import name_key
from hoptrail.eval.questions.graphs_file import Triple, read_graphs
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.models.graph_scorers import WalkedGraph
from hoptrail.retrievers.edge_ranking import (
    Span,
    answer_features,
    mask_spans,
    name_spans,
    topic_features,
)
from hoptrail.stores.records.stored_values import entity_text

HalfArray = NDArray[np.float16]

SEEDS = 25
_BATCH = 8192


@dataclass(frozen=True)
class Example:
    """A question over its graph; texts are numbers of a vocabulary, -1 for a node without a name.

    Attributes:
        text: The question.
        question: Its text number.
        masked: Text number of the question with its names masked.
        source: Node by edge.
        target: Node by edge.
        predicate: Text number by edge.
        names: Text number by node.
        is_gold: Whether an end of the edge is an answer.
        spelled: The nodes' names.
        spans: Where the question names which node.
    """

    text: str
    question: int
    masked: int
    source: IntArray
    target: IntArray
    predicate: IntArray
    names: IntArray
    is_gold: NDArray[np.bool_]
    spelled: tuple[str, ...]
    spans: Mapping[int, Span]

    def walked(self, vectors: HalfArray) -> WalkedGraph:
        """Return the graph for the scorer; the last row of the vectors is zeros."""
        used, numbers = np.unique(self.predicate, return_inverse=True)
        asked = vectors[self.question].astype(np.float32)
        names = vectors[self.names].astype(np.float32)
        similar = names @ asked
        near = np.argsort(-np.where(self.names >= 0, similar, -1), kind="stable")[:SEEDS]
        topics = np.array([*dict.fromkeys([*self.spans, *near.tolist()])], dtype=np.int32)
        named = np.array([*self.spans], dtype=np.int32)
        return WalkedGraph(
            self.source,
            self.target,
            numbers.astype(np.int32),
            vectors[used].astype(np.float32),
            answer_features(asked, names, named, topics),
            topics,
            topic_features(
                self.text,
                [self.spelled[node] for node in topics.tolist()],
                [self.spans.get(node) for node in topics.tolist()],
                similar[topics],
            ),
        )


class _Reader:
    """Turns questions with their graphs into examples, texts into numbers."""

    def __init__(self) -> None:
        self.texts = Vocabulary()
        self._nodes: dict[str, int] = {}
        self._spelled: list[str] = []

    def read(self, question: Question, triples: Sequence[Triple]) -> Example:
        """Return the example, its topics those entities that the question names."""
        self._nodes, self._spelled = {}, []
        edges = sorted(
            {
                (self._node(head), self.texts.number(predicate_words(predicate)), self._node(tail))
                for head, predicate, tail in triples
            }
        )
        source, predicate, target = np.array(edges, dtype=np.int32).reshape(-1, 3).T
        spans = {
            self._nodes[name_key(text)]: span
            for text, span in name_spans(question.text).items()
            if name_key(text) in self._nodes
        }
        keys = {name_key(answer) for answer in question.accepted}
        gold = [self._nodes[key] for key in sorted(keys) if key in self._nodes]
        return Example(
            text=question.text,
            question=self.texts.number(question.text),
            masked=self.texts.number(mask_spans(question.text, spans.values())),
            source=source,
            target=target,
            predicate=predicate,
            names=np.array([self._text(name) for name in self._spelled], dtype=np.int32),
            is_gold=np.isin(source, gold) | np.isin(target, gold),
            spelled=tuple(self._spelled),
            spans=spans,
        )

    def _node(self, name: str) -> int:
        key = name if is_unnamed(name) else name_key(name)
        if key not in self._nodes:
            self._nodes[key] = len(self._spelled)
            self._spelled.append(name)
        return self._nodes[key]

    def _text(self, name: str) -> int:
        text = entity_text(name, "")
        return self.texts.number(text) if text else -1


def edge_examples(
    data: Path, splits: Sequence[str], embedder: Embedder
) -> tuple[dict[str, list[Example]], HalfArray]:
    """Return the examples of WebQSP's splits, and the vectors of their texts, a row of zeros last.

    Questions whose graph holds no answer are among them: they count as failures.
    """
    reader = _Reader()
    examples = {split: list(_read(data / "webqsp", split, reader)) for split in splits}
    texts = list(reader.texts.numbers)
    vectors = np.zeros((len(texts) + 1, embedder.dim), dtype=np.float16)
    for first in range(0, len(texts), _BATCH):
        vectors[first : min(first + _BATCH, len(texts))] = embedder.embed(
            texts[first : first + _BATCH]
        )
    return examples, vectors


def _read(folder: Path, split: str, reader: _Reader) -> Iterator[Example]:
    questions = {q.graph: q for q in load_questions(folder / f"questions_{split}.jsonl")}
    for graph in read_graphs(folder / f"graphs_{split}.jsonl.gz"):
        yield reader.read(
            next(questions[key] for key in graph.keys if key in questions), graph.triples
        )
