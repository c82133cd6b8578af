"""Relation-path matching: the path of predicates that the question's wording describes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.algorithms.relation_paths import (
    LabelledEdges,
    RelationPath,
    RelationPaths,
    relation_paths,
    walks_along,
)
from hoptrail.core.algorithms.sorted_sets import distinct
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.names import is_unnamed
from hoptrail.core.types import Chunk, Entity, Evidence, Hit
from hoptrail.models.graph_scorers import PathScorer, lengths_of
from hoptrail.retrievers.anchors import Topic, around_mask, named_topics
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.paths import FoundPath, labelled_edges, path_hits, shared_vectors
from hoptrail.retrievers.ppr import Surfer
from hoptrail.retrievers.ranking.graph_ranking import ranking_of, softmax
from hoptrail.retrievers.ranking.passage_ranking import Similarities, fill_budget, load_passages
from hoptrail.stores.knowledge_source import KnowledgeSource

_CHANNEL = "relation_path"
_NEAREST = 3
_FEWEST_TRIED = 20

_MOST_TEXTS = 128
_TEMPERATURE = 0.05


@dataclass(frozen=True, slots=True)
class _Match:
    """A relation path from one entity of a topic, with its share of belief among all paths.

    `name` is how the question names that entity, empty where it is only near.
    """

    path: RelationPath
    start: int
    probability: float
    name: str


class RelationPathRetriever(Retriever):
    """Follows, from the entity that a question names, the path of predicates that it describes.

    All sequences of up to `hops` predicates, in both directions, that lead somewhere from the
    entity are scored against the question with the entity's name masked, by the shipped scorer
    where the knowledge base has its embedder, else by the similarity of the paths' texts. The
    entities at the end of the best sequence are the answer, all of them; unnamed nodes (of
    Freebase's compound values) are passed through. On a text corpus the passages behind the path
    come with them. No model is called.

    Attributes:
        hops: Most predicates of a path.
        width: How many paths of each length are extended.
        edges: Edges looked at to extend one path, an equal number of each of its ends.
        seconds: When to stop extending paths, in all.
        walks: Most paths through the graph to give as evidence.
        learned: Whether the shipped scorer may be used.
    """

    name_in_registry: ClassVar[str] = "relation_path"

    hops: int = Field(3, ge=1, le=3)
    width: int = Field(64, ge=1)
    edges: int = Field(20_000, ge=1)
    seconds: float = Field(2.0, gt=0)
    walks: int = Field(50, ge=1)
    learned: bool = True

    def _search(self, query: Query, view: View) -> Evidence:
        found = self._follow(query, view)
        if not view.has_passages:
            return found
        return replace(found, chunks=self._passages(query, view, found))

    def _passages(self, query: Query, view: View, found: Evidence) -> tuple[Hit[Chunk], ...]:
        """Return passages near what lies on the paths and near the question."""
        ids = {end for hit in found.relations for end in (hit.item.source, hit.item.target)}
        rows = view.index.entity_rows(sorted(ids))
        seeds = dict.fromkeys(rows[rows >= 0].tolist(), 1.0)
        ranks = Surfer().rank(self.kb, view, seeds, Similarities.of(view, query.unit)).chunks
        best = fill_budget(view.index, ranking_of(ranks).rows, self.budget, at_least=self.k)
        return load_passages(view, best, ranks[best], channel=_CHANNEL)

    def _follow(self, query: Query, view: View) -> Evidence:
        graph = labelled_edges(view)
        for match in self._match(query, view, graph):
            entities = _named_ends(view, match)
            if entities:
                return self._evidence(view, graph, match, entities)
        return Evidence()

    def _match(self, query: Query, view: View, graph: LabelledEdges) -> Iterator[_Match]:
        """Yield the best of the paths from all topics, best first."""
        starts: list[int] = []
        names: list[str] = []
        found: list[RelationPaths] = []
        scores: list[FloatArray] = [np.zeros(0, dtype=np.float32)]
        scorer = self._scorer()
        deadline = time.monotonic() + self.seconds
        for topic in self._topics(query, view):
            matcher = PathMatcher(
                topic.masked, self.kb, view, _predicate_vectors.of(self.kb, view), scorer
            )
            rows = view.index.entity_rows(topic.entity_ids)
            for row in rows[rows >= 0].tolist():
                paths = relation_paths(
                    graph,
                    row,
                    hops=self.hops,
                    width=self.width,
                    limit=self.edges,
                    rank=matcher.scores,
                    deadline=deadline,
                )
                starts.append(row)
                names.append(topic.name)
                found.append(paths)
                scores.append(matcher.scores(paths.steps))
        shares = softmax(np.concatenate(scores))
        order = np.argsort(-np.round(shares, 6), kind="stable")
        firsts = np.cumsum([0, *map(len, found)])
        for i in order[: max(_FEWEST_TRIED, self.k)].tolist():
            number = int(np.searchsorted(firsts, i, side="right")) - 1
            path = found[number].at(i - int(firsts[number]))
            yield _Match(path, starts[number], float(shares[i]), names[number])

    def _scorer(self) -> PathScorer | None:
        scorer = PathScorer.shipped()
        is_known = self.learned and str(scorer.embedder) == self.kb.embedder.name
        return scorer if is_known else None

    def _topics(self, query: Query, view: View) -> list[Topic]:
        """Return what the plan names, else what the question names, else the nearest entities."""
        planned = view.store.find_entities(query.plan.entities)
        if planned:
            return [
                Topic(ids, re.sub(re.escape(name), "X", query.text, flags=re.IGNORECASE), name)
                for name, ids in planned.items()
            ]
        named = named_topics(query.text, view.store.find_entities)
        if named:
            return named
        vector = self.kb.embed_query(query.text)
        nearest, _ = view.vectors["entity"].search(vector, _NEAREST)
        return [Topic((str(id_),), query.text) for id_ in nearest]

    def _evidence(
        self,
        view: View,
        graph: LabelledEdges,
        match: _Match,
        entities: Sequence[tuple[int, Entity]],
    ) -> Evidence:
        score, start = round(match.probability, 5), match.start
        begun = (str(view.index.entity_ids[start]), *filter(None, [match.name]))
        hops = len(match.path.steps)
        targets = np.array([row for row, _ in entities], dtype=np.int32)
        walks = walks_along(graph, start, match.path.steps, targets, limit=self.edges)
        found = [
            FoundPath(walk.nodes, walk.edges, match.probability, "complete")
            for walk in walks[: self.walks]
        ]
        paths = path_hits(view, found, _CHANNEL)
        relations = {r.id: (r, hop) for hit in paths for hop, r in enumerate(hit.item.relations)}
        return Evidence(
            entities=tuple(Hit(item, score, _CHANNEL, hops, begun) for _, item in entities),
            relations=tuple(
                Hit(item, score, _CHANNEL, hop, begun) for item, hop in relations.values()
            ),
            paths=paths,
        )


def _no_vectors(kb: KnowledgeSource, view: View) -> dict[int, FloatArray]:
    return {}


_predicate_vectors: PerGeneration[dict[int, FloatArray]] = PerGeneration(_no_vectors)


def _named_ends(view: View, match: _Match) -> list[tuple[int, Entity]]:
    """Return the rows and entities at a path's end that have a name, most walks first."""
    order = np.lexsort((match.path.ends, -match.path.counts))
    rows = match.path.ends[order]
    ids = [str(id_) for id_ in view.index.entity_ids[rows]]
    known = {entity.id: entity for entity in view.store.entities(ids)}
    return [
        (row, known[id_])
        for row, id_ in zip(rows.tolist(), ids, strict=True)
        if id_ in known and not is_unnamed(known[id_].name)
    ]


def predicate_text(predicate: str) -> str:
    """Return a predicate's words: "directed by" of directed_by or http://example.org/directed_by."""
    name = re.split(r"[/#]", predicate.rstrip("/#"))[-1]
    return " ".join(re.sub(r"[._]+", " ", name).split())


def path_text(predicates: Sequence[str]) -> str:
    """Return a path as words, the last step first: "release year of starred actors"."""
    return " of ".join(predicate_text(name) for name in reversed(predicates))


class PathMatcher:
    """Scores sequences of steps (see `RelationPath`) against a question.

    Without a scorer a path counts by the similarity of its text to the question; texts are only
    embedded for the paths whose predicates are nearest to it on average.

    Args:
        question: The question with its topic masked.
        kb: The knowledge base, which embeds texts.
        view: Its present generation.
        vectors: Vectors of predicates by number, to which missing ones are added.
        scorer: The learned scorer of this embedder, or None.
    """

    def __init__(
        self,
        question: str,
        kb: KnowledgeSource,
        view: View,
        vectors: dict[int, FloatArray],
        scorer: PathScorer | None,
    ) -> None:
        self._vector = kb.embed_query(question)
        self._around = kb.embed_query(around_mask(question))
        self._kb = kb
        self._view = view
        self._names = view.index.predicates
        self._vectors = vectors
        self._scorer = scorer

    def scores(self, paths: IntArray) -> FloatArray:
        """Return a score per path: the higher, the better it fits.

        Args:
            paths: Steps of each, shape (paths, hops or fewer), -1 behind its end.
        """
        if len(paths) == 0:
            return np.zeros(0, dtype=np.float32)
        known = distinct(paths[paths >= 0] >> 1)
        predicates = self._embedded(known.tolist())
        place_of = np.zeros(int(known[-1]) + 1, dtype=np.int32)
        place_of[known] = np.arange(len(known), dtype=np.int32)
        local = np.where(paths >= 0, place_of[paths >> 1] << 1 | paths & 1, -1)
        if self._scorer is not None:
            return self._scorer.scores(np.stack([self._vector, self._around]), predicates, local)
        return self._by_text(paths, self._by_predicates(predicates, local))

    def _embedded(self, numbers: Sequence[int]) -> FloatArray:
        """Return the vectors of predicates, shape (numbers, dim)."""
        missing = [number for number in numbers if number not in self._vectors]
        texts = {number: predicate_text(str(self._names[number])) for number in missing}
        if texts and not self._view.has_passages:
            shared = shared_vectors(self._kb, self._view, texts)
            self._vectors.update(shared)
            texts = {number: text for number, text in texts.items() if number not in shared}
        if texts:
            vectors = self._kb.embedder.embed(list(texts.values()))
            self._vectors.update(zip(texts, vectors, strict=True))
        return np.stack([self._vectors[number] for number in numbers])

    def _by_predicates(self, predicates: FloatArray, paths: IntArray) -> FloatArray:
        products = (predicates @ self._vector)[paths >> 1]
        sums = np.where(paths >= 0, products, 0).sum(axis=1, dtype=np.float64)
        means: FloatArray = (sums / lengths_of(paths)).astype(np.float32)
        return means

    def _by_text(self, paths: IntArray, rough: FloatArray) -> FloatArray:
        """Return the similarities of texts; paths that no text was made of score lowest."""
        chosen = np.argsort(-rough, kind="stable")[:_MOST_TEXTS]
        scores = (rough - 2.0) / _TEMPERATURE
        for place in chosen.tolist():
            vector = self._kb.embed_query(self._text(paths[place].tolist()))
            scores[place] = vector @ self._vector / _TEMPERATURE
        return scores.astype(np.float32)

    def _text(self, path: Sequence[int]) -> str:
        return path_text([str(self._names[step >> 1]) for step in path if step >= 0])
