"""DotRAG: rounds of path search from anchors, each path judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.algorithms.neighbourhood import Caps
from hoptrail.core.algorithms.prefixes import without_prefixes
from hoptrail.core.embedding import FloatArray
from hoptrail.core.question import check_question
from hoptrail.core.types import Evidence, Hit, Path, Plan
from hoptrail.retrievers.assembly import assemble
from hoptrail.retrievers.base import Retriever
from hoptrail.retrievers.dot_workspace import Dot
from hoptrail.retrievers.graph_hits import ranking_of
from hoptrail.retrievers.path_hits import FoundPath, found_path, path_hits
from hoptrail.retrievers.path_judge import PathJudge, SimilarityJudge
from hoptrail.retrievers.query import Query
from hoptrail.retrievers.region import Region, relation_scorer
from hoptrail.retrievers.seeds import anchor_entities
from hoptrail.retrievers.similarity import Similarities
from hoptrail.retrievers.surfer import Surfer
from hoptrail.retrievers.view import View

_CHANNEL = "dot"


class DotRetriever(Retriever):
    """Searches paths from anchors to what resembles the question, and keeps those judged useful.

    The anchors are the entities that the question or its plan names (a name that is spelled
    otherwise counts from a similarity of `tau`), and the nearest ones of each keyword of the plan.
    Around them lies the workspace (a "dot"): up to `hops` relations, with its own vectors. In each
    round its entities nearest to the round's queries that were not judged yet are targets, and the
    shortest loopless paths from every anchor to them are judged; a path that is half the way asks
    the next round's query. A path that begins a longer kept one is dropped.

    `neighbourhood`, `search_round` and `evidence_of` are its stages, for a caller that judges the
    paths itself. Alone it uses `judge`, by default the similarity of paths and question.

    Source: "DotRAG: retrieval-time reasoning along paths"; shortest paths by Yen, 1971. It gives no
    values for `tau`, `top`, `paths` and `cap`.

    Attributes:
        tau: Least similarity of an anchor to a name.
        topics: Anchors for each keyword.
        hops: Reach of the workspace.
        rounds: Most rounds.
        top: Entities to look for in a round.
        paths: Shortest paths from an anchor to an entity.
        cap: Most paths to judge in a round.
        nodes: Most entities of the workspace.
        degree: Most relations that are followed from one entity.
        path_weight: How much an entity on a kept path counts for the passages, beside an anchor.
        judge: Says which paths are kept.
    """

    name_in_registry: ClassVar[str] = "dot"

    tau: float = Field(0.6, ge=0, le=1)
    topics: int = Field(10, ge=1)
    hops: int = Field(3, ge=1, le=10)
    rounds: int = Field(3, ge=1)
    top: int = Field(10, ge=1)
    paths: int = Field(2, ge=1)
    cap: int = Field(30, ge=1)
    nodes: int = Field(2_000, ge=1)
    degree: int = Field(50, ge=1)
    path_weight: float = Field(0.02, ge=0)
    judge: PathJudge = Field(default_factory=SimilarityJudge, exclude=True, repr=False)

    def _search(self, query: Query, view: View) -> Evidence:
        dot = self._open(query, view)
        kept: list[FoundPath] = []
        seen: set[int] = set()
        queries: Sequence[FloatArray] = [query.unit]
        for _ in range(self.rounds):
            found = self._round(dot, queries, seen)
            if not found:
                break
            seen.update(path.entities[-1] for path in found)
            judged = self.judge.judge(view, found, query.unit)
            kept += [path for path in judged.paths if path.verdict != "irrelevant"]
            queries = judged.queries
        return self._evidence([query], view, dot.anchors, kept)

    def neighbourhood(self, question: str, plan: Plan | None = None) -> Dot:
        """Return the workspace of a question, or of one concept of it.

        Args:
            question: Natural language.
            plan: `entities` are names to anchor at, `keywords` topics.
        """
        return self._open(self._query(question, plan), View.of(self.kb))

    def anchors_of(self, name: str, guess: str = "", *, is_topic: bool = False) -> tuple[str, ...]:
        """Return the ids of the entities that a concept stands for, best first.

        Args:
            name: A name, which its own entities win, or a topic.
            guess: What the thing is, embedded with its name.
            is_topic: Whether the nearest entities count however far they are.
        """
        view = View.of(self.kb)
        named = view.store.find_entities([name]).get(name, ())
        if named and not is_topic:
            return named
        text = f"{name}: {guess}" if guess else name
        near = self._nearest(view, text, self.topics, 0.0 if is_topic else self.tau)
        return tuple(str(view.index.entity_ids[row]) for row in near)

    def neighbourhood_of(
        self, question: str, anchors: Sequence[str], entity_types: Collection[str] = ()
    ) -> Dot:
        """Return the workspace around entities that are given.

        Args:
            question: Its best relations are followed first.
            anchors: Entity ids.
            entity_types: Entities of another type are left out, anchors and untyped ones stay; none
                keeps every type.
        """
        query, view = self._query(question, None), View.of(self.kb)
        rows = view.index.entity_rows(list(anchors))
        weights = dict.fromkeys(rows[rows >= 0].tolist(), 1.0)
        region = self._region(query, view, weights)
        if entity_types:
            kept = {"", *entity_types}
            ids = [str(view.index.entity_ids[row]) for row in region.entities]
            other = [item.id for item in view.store.entities(ids) if item.type not in kept]
            region = region.without(set(view.index.entity_rows(other).tolist()) - weights.keys())
        return Dot.over(view, region, weights)

    def search_round(
        self, dot: Dot, queries: Sequence[str], seen: Collection[str] = ()
    ) -> tuple[Hit[Path], ...]:
        """Return the paths of one round, to be judged, those to the nearest entities first.

        Args:
            dot: The workspace.
            queries: What this round looks for: the question, or the last verdicts' next questions.
            seen: Ids of the entities at the ends of paths that were judged already.
        """
        vectors = [self.kb.embed_query(query) for query in queries]
        rows = dot.view.index.entity_rows(list(seen)).tolist()
        return path_hits(dot.view, self._round(dot, vectors, set(rows)), _CHANNEL)

    def evidence_of(
        self,
        question: str,
        anchors: Sequence[str],
        paths: Sequence[Hit[Path]],
        queries: Sequence[str] = (),
    ) -> Evidence:
        """Return the kept paths with what lies on them and the passages behind.

        Args:
            question: What the search was for.
            anchors: Ids of the entities where it started.
            paths: What a judge kept.
            queries: What was asked on the way; passages near any of them count.
        """
        view = View.of(self.kb)
        rows = view.index.entity_rows(list(anchors))
        weights = dict.fromkeys(rows[rows >= 0].tolist(), 1.0)
        kept = [found_path(view, hit) for hit in paths]
        asked = [self._query(text, None) for text in dict.fromkeys([question, *queries])]
        return self._evidence(asked, view, weights, kept)

    def _query(self, question: str, plan: Plan | None) -> Query:
        text = check_question(question)
        return Query(text, self.kb.embed_query(text), plan or Plan())

    def _anchors(self, query: Query, view: View) -> dict[int, float]:
        """Return the anchors' rows with their weights."""
        anchors = anchor_entities(query, view)
        known = view.store.find_entities(query.plan.entities)
        for name in query.plan.entities:
            if name not in known:
                anchors.update(self._nearest(view, name, self.topics, self.tau))
        for topic in query.plan.keywords:
            anchors.update(self._nearest(view, topic, self.topics, 0.0))
        return anchors

    def _nearest(self, view: View, text: str, most: int, least: float) -> dict[int, float]:
        ids, scores = view.vectors["entity"].search(self.kb.embed_query(text), most)
        rows = view.index.entity_rows(ids).tolist()
        near = zip(rows, scores.tolist(), strict=True)
        return {row: score for row, score in near if score > 0 and score >= least}

    def _open(self, query: Query, view: View) -> Dot:
        anchors = self._anchors(query, view)
        return Dot.over(view, self._region(query, view, anchors), anchors)

    def _region(self, query: Query, view: View, anchors: Mapping[int, float]) -> Region:
        caps = Caps(hops=self.hops, nodes=self.nodes, degree=self.degree)
        return Region.around(view, anchors, relation_scorer(view, query.unit), caps)

    def _round(
        self, dot: Dot, queries: Sequence[FloatArray], seen: Collection[int]
    ) -> list[FoundPath]:
        targets = dot.targets(queries, seen, self.top)
        return dot.paths_to(targets, per_anchor=self.paths, most=self.cap)

    def _evidence(
        self,
        queries: Sequence[Query],
        view: View,
        anchors: Mapping[int, float],
        paths: Sequence[FoundPath],
    ) -> Evidence:
        kept = _longest(paths)
        entities, relations = dict(anchors), dict[int, float]()
        hops: dict[int, int | None] = dict.fromkeys(anchors, 0)
        for path in kept:
            for place, row in enumerate(path.entities):
                entities[row] = max(path.score, entities.get(row, path.score))
                hops[row] = min(place, hops.get(row, place) or 0)
            for row in path.relations:
                relations[row] = max(path.score, relations.get(row, path.score))
        seeds = {row: anchors.get(row, 0.0) + self.path_weight for row in entities}
        similar = Similarities.of_each(view, np.stack([query.unit for query in queries]))
        ranks = [Surfer().rank(self.kb, view, seeds, one).chunks for one in similar]
        return assemble(
            view,
            _CHANNEL,
            k=self.k,
            budget=self.budget,
            entities=ranking_of(entities, hops=hops),
            relations=ranking_of(relations),
            chunks=ranking_of(np.max(ranks, axis=0)),
            paths=path_hits(view, kept, _CHANNEL),
        )


def _longest(paths: Sequence[FoundPath]) -> list[FoundPath]:
    """Return the paths best first, without those that another one begins with."""
    kept = [paths[i] for i in without_prefixes([path.relations for path in paths])]
    return sorted(kept, key=lambda path: (-round(path.score, 5), path.relations))
