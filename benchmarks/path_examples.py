"""Questions over knowledge graphs with the relation paths that could answer them, for training."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hoptrail.core.algorithms.relation_paths import LabelledEdges, RelationPath, relation_paths
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.text import name_key
from hoptrail.retrievers.anchors import named_topics

_LIMIT = 20_000
_MOST_TOPICS = 4
_UNNAMED = re.compile(r"[mg]\.[0-9a-z_]+")
_METAQA_PREDICATES = {
    "director": "directed_by",
    "actor": "starred_actors",
    "writer": "written_by",
    "year": "release_year",
    "genre": "has_genre",
    "language": "in_language",
    "tags": "has_tags",
    "tag": "has_tags",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}


class Vocabulary:
    """Texts by number, in order of first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the number of a text."""
        return self.numbers.setdefault(text, len(self.numbers))


@dataclass(frozen=True)
class Candidate:
    """One path from one topic: what it is scored by, and what it is worth.

    `gain` is what training rewards, `hit` whether the first end is an answer, `covers` whether any
    end is.
    """

    question: int
    steps: tuple[int, ...]
    gain: float
    hit: bool
    covers: bool


@dataclass(frozen=True)
class Example:
    """A question with its candidates; `group` names what its figures are reported under."""

    group: str
    line: int
    candidates: Sequence[Candidate]


@dataclass
class Graph:
    """A graph in memory; nodes of one name are one."""

    predicates: Vocabulary
    names: list[str] = field(default_factory=list)
    nodes: dict[str, int] = field(default_factory=dict)
    triples: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, subject: str, predicate: str, target: str) -> None:
        """Add an edge."""
        triple = self._node(subject), self.predicates.number(predicate), self._node(target)
        self.triples.append(triple)

    def find(self, names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the node of each name that there is, as `GraphStore.find_entities`."""
        keys = {name: name_key(name) for name in names}
        return {n: (str(self.nodes[key]),) for n, key in keys.items() if key in self.nodes}

    def edges(self) -> LabelledEdges:
        """Return the edges by node."""
        array = np.unique(np.array(self.triples, dtype=np.int32).reshape(-1, 3), axis=0)
        source, predicate, target = array.T
        ends = np.concatenate([source, target])
        numbers = np.tile(np.arange(len(source), dtype=np.int32), 2)
        order = np.lexsort((numbers, ends))
        counts = np.bincount(ends, minlength=len(self.names))
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return LabelledEdges(indptr, numbers[order], source, target, predicate)

    def _node(self, name: str) -> int:
        key = name_key(name)
        if key not in self.nodes:
            self.nodes[key] = len(self.names)
            self.names.append(name)
        return self.nodes[key]


def metaqa_examples(data: Path, questions: Vocabulary, predicates: Vocabulary) -> list[Example]:
    """Return MetaQA's questions; the gain is 1 for the path that the question type names."""
    graph = Graph(predicates)
    with (data / "metaqa/kb.txt").open(encoding="utf-8") as stream:
        for line in stream:
            subject, predicate, target = line.rstrip("\n").split("|")
            graph.add(subject, predicate, target)
    edges = graph.edges()
    examples = []
    for hops in (1, 2, 3):
        for number, row in _rows(data / f"metaqa/qa_{hops}hop_dev500.jsonl"):
            gold = _metaqa_steps(row["qtype"], predicates)
            topic = name_key(row["topic_entity"])
            candidates = [
                _candidate(
                    graph, masked, path, row["answers"], name == topic and path.steps == gold
                )
                for name, masked, path in _paths(graph, edges, row["question"], questions, hops=3)
            ]
            examples.append(Example(f"metaqa {hops}-hop", number, candidates))
    return examples


def webqsp_examples(
    data: Path, split: str, questions: Vocabulary, predicates: Vocabulary
) -> list[Example]:
    """Return WebQSP's questions, each with its own graph; the gain is the F1 of a path's ends."""
    rows = {row["index"]: row for _, row in _rows(data / f"webqsp/questions_{split}.jsonl")}
    examples = []
    with gzip.open(data / f"webqsp/graphs_{split}.jsonl.gz", "rt", encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            item = json.loads(line)
            row, graph = rows[item["index"]], Graph(predicates)
            for subject, predicate, target in item["edges"]:
                graph.add(item["nodes"][subject], predicate, item["nodes"][target])
            found = _paths(graph, graph.edges(), row["question"], questions, hops=2)
            answers = row["webquestions_answers"]
            candidates = [_candidate(graph, m, path, answers, None) for _, m, path in found]
            examples.append(Example(f"webqsp {split}", number, candidates))
    return examples


def _paths(
    graph: Graph, edges: LabelledEdges, question: str, questions: Vocabulary, *, hops: int
) -> Iterator[tuple[str, int, RelationPath]]:
    """Yield name of the topic, number of the masked question, and path."""
    topics = named_topics(question, graph.find)
    for topic in sorted(topics, key=lambda topic: -len(topic.name))[:_MOST_TOPICS]:
        masked = questions.number(topic.masked)
        for node in topic.entity_ids:
            for path in relation_paths(
                edges, int(node), hops=hops, width=1000, limit=_LIMIT, rank=_unranked
            ):
                yield name_key(topic.name), masked, path


def _unranked(paths: IntArray) -> FloatArray:
    return np.zeros(len(paths), dtype=np.float32)


def _candidate(
    graph: Graph, masked: int, path: RelationPath, answers: Sequence[str], is_gold: bool | None
) -> Candidate:
    keys = {name_key(answer) for answer in answers}
    ends = _named(graph, path)
    right = [name_key(graph.names[end]) in keys for end in ends.tolist()]
    hits = sum(right)
    f1 = 2 * hits / (len(right) + len(keys)) if hits else 0.0
    gain = f1 if is_gold is None else float(is_gold)
    return Candidate(masked, path.steps, gain, bool(right and right[0]), hits > 0)


def _named(graph: Graph, path: RelationPath) -> IntArray:
    ends = path.ends[np.lexsort((path.ends, -path.counts))]
    return np.array(
        [end for end in ends.tolist() if not _UNNAMED.fullmatch(graph.names[end])], dtype=np.int32
    )


def _metaqa_steps(kind: str, predicates: Vocabulary) -> tuple[int, ...]:
    """Return the path of a question type such as movie_to_actor_to_movie."""
    steps = []
    parts = kind.split("_to_")
    for before, after in zip(parts, parts[1:], strict=False):
        is_inverse = after == "movie"
        name = _METAQA_PREDICATES[before if is_inverse else after]
        steps.append(2 * predicates.number(name) + is_inverse)
    return tuple(steps)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            yield number, json.loads(line)


def by_group(examples: Iterable[Example]) -> dict[str, list[Example]]:
    """Return the examples by group, in order."""
    groups: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        groups[example.group].append(example)
    return dict(groups)
