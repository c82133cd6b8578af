"""DotRAG: rounds of path search from anchors, each path judged."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.algorithms.neighbourhood import Caps
from hoptrail.core.algorithms.path_verdicts import without_prefixes
from hoptrail.core.embedding import FloatArray
from hoptrail.core.lru_cache import LruCache
from hoptrail.core.question import check_question
from hoptrail.core.text import name_key
from hoptrail.core.types import Evidence, Hit, Path, Plan
from hoptrail.retrievers.anchors import anchor_entities, is_name, named_topics
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.dotrag_workspace import Dot, PathJudge, SimilarityJudge
from hoptrail.retrievers.paths import (
    FoundPath,
    Region,
    found_path,
    path_hits,
    relation_scorer,
    with_sets,
)
from hoptrail.retrievers.ppr import Surfer
from hoptrail.retrievers.ranking.graph_ranking import Ranking, assemble, ranking_of
from hoptrail.retrievers.ranking.passage_ranking import Similarities
from hoptrail.stores.knowledge_source import Focus, KnowledgeSource

_CHANNEL = "dot"
_MOST_NAMES = 3
_WORKSPACES = 8  # one for each concept of the questions in flight; 3 MB of vectors each


def _no_workspaces(kb: KnowledgeSource, view: View) -> LruCache[Hashable, Dot]:
    return LruCache(_WORKSPACES)


_workspaces = PerGeneration(_no_workspaces)


class DotRetriever(Retriever):
    """Searches paths from anchors to what resembles the question, and keeps those judged useful.

    The anchors are the entities that the question or its plan names (a name that is spelled
    otherwise counts from a similarity of `tau`), and the nearest ones of each keyword of the plan.
    Around them lies the workspace (a "dot"): up to `hops` relations, with its own vectors. In each
    round its entities nearest to the round's queries that were not judged yet are targets, and the
    shortest loopless paths from every anchor to them are judged; a path that is half the way asks
    the next round's query. A path that begins a longer kept one is dropped.

    `anchors_of`, `neighbourhood_of`, `search_round` and `evidence_of` are its stages, for a caller
    that judges the paths itself. Alone it uses `judge`, by default the similarity of paths and
    question.

    Source: "DotRAG: retrieval-time reasoning along paths"; shortest paths by Yen, 1971. It gives no
    values for `tau`, `top`, `paths` and `cap`.

    Attributes:
        tau: Least similarity of an anchor to a name.
        topics: Anchors for each keyword.
        hops: Reach of the workspace.
        rounds: Most rounds.
        top: Entities to look for in a round.
        paths: Shortest paths from an anchor to an entity.
        cap: Most paths to judge in a round; up to half of them lead partial paths one hop on.
        nodes: Most entities of the workspace.
        degree: Most relations that are followed from one entity.
        set_nodes: On a graph without passages, where a complete path brings all that take the same
            steps, most entities on the kept paths.
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
    set_nodes: int = Field(300, ge=1)
    path_weight: float = Field(0.02, ge=0)
    judge: PathJudge = Field(default_factory=SimilarityJudge, exclude=True, repr=False)

    def _search(self, query: Query, view: View) -> Evidence:
        dot = self._open(query, view)
        kept: list[FoundPath] = []
        seen: set[int] = set()
        queries: Sequence[FloatArray] = [query.unit]
        starts = _beginnings(dot)
        for _ in range(self.rounds):
            found = self._round(dot, queries, seen, starts)
            if not found:
                break
            seen.update(path.entities[-1] for path in found)
            judged = self.judge.judge(view, found, query.unit)
            kept += [path for path in judged.paths if path.verdict != "irrelevant"]
            queries = judged.queries
            starts = [path for path in judged.paths if path.verdict == "partial"]
        return self._evidence([query], view, dot.anchors, kept)

    def anchors_of(
        self, name: str, guess: str = "", *, is_topic: bool = False, question: str = ""
    ) -> tuple[str, ...]:
        """Return the ids of the entities that a concept stands for, best first.

        Args:
            name: A name, which its own entities win, or a topic.
            guess: What the thing is, embedded with its name.
            is_topic: Whether the nearest entities count however far they are.
            question: Where it spells a longer name of an entity around this one, that one is meant.
        """
        text = f"{name}: {guess}" if guess else name
        with self.kb.view(Focus((text, name, question), self.kb.embed_query(text))) as view:
            named = () if is_topic else self._named(name, question, view)
            if named:
                return named
            near = self._nearest(view, text, self.topics, 0.0 if is_topic else self.tau)
            return tuple(str(view.index.entity_ids[row]) for row in near)

    def names_in(self, question: str) -> list[str]:
        """Return up to three names of entities that a question spells, the longest first.

        Names without a capital or digit count only where there are no others.
        """
        names = [topic.name for topic in named_topics(question, self.kb.store.find_entities)]
        chosen = [name for name in names if is_name(name)] or names
        return sorted(chosen, key=len, reverse=True)[:_MOST_NAMES]

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
        kept = tuple(sorted(set(entity_types)))
        key = question, tuple(anchors), kept, self.hops, self.nodes, self.degree
        query = self._query(question)
        with self.kb.view(replace(query.focus, entity_ids=tuple(anchors))) as view:
            return _workspaces.of(self.kb, view).get(
                key, lambda: self._workspace(query, anchors, kept, view)
            )

    def _workspace(
        self, query: Query, anchors: Sequence[str], entity_types: Collection[str], view: View
    ) -> Dot:
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
        self,
        dot: Dot,
        queries: Sequence[str],
        seen: Collection[str] = (),
        partial: Sequence[Hit[Path]] | None = None,
    ) -> tuple[Hit[Path], ...]:
        """Return the paths of one round, to be judged, those to the nearest entities first.

        Args:
            dot: The workspace.
            queries: What this round looks for: the question, or the last verdicts' next questions.
            seen: Ids of the entities at the ends of paths that were judged already.
            partial: The last round's partial paths, to go on from; None in the first round,
                where every anchor is a beginning.
        """
        vectors = [self.kb.embed_query(query) for query in queries]
        rows = dot.view.index.entity_rows(list(seen)).tolist()
        if partial is None:
            starts = _beginnings(dot)
        else:
            starts = [found_path(dot.view, hit) for hit in partial]
        return path_hits(dot.view, self._round(dot, vectors, set(rows), starts), _CHANNEL)

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
        asked = [self._query(text) for text in dict.fromkeys([question, *queries])]
        ends = (
            id_
            for hit in paths
            for step in hit.item.relations
            for id_ in (step.source, step.target)
        )
        focus = Focus(
            tuple(query.text for query in asked),
            asked[0].vector,
            tuple(dict.fromkeys([*anchors, *ends])),
        )
        with self.kb.view(focus) as view:
            rows = view.index.entity_rows(list(anchors))
            weights = dict.fromkeys(rows[rows >= 0].tolist(), 1.0)
            kept = [found_path(view, hit) for hit in paths]
            found = self._deep()._evidence(asked, view, weights, kept)
        return self._reranked(question, found)

    def _query(self, question: str) -> Query:
        text = check_question(question)
        return Query(text, self.kb.embed_query(text), Plan())

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

    def _named(self, name: str, question: str, view: View) -> tuple[str, ...]:
        """Return the entities of a name, or of the longer name in the question that holds it."""
        key = f" {name_key(name)} "
        for topic in named_topics(question, view.store.find_entities):
            if key in f" {name_key(topic.name)} ":
                return topic.entity_ids
        return view.store.find_entities([name]).get(name, ())

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
        self,
        dot: Dot,
        queries: Sequence[FloatArray],
        seen: Collection[int],
        starts: Sequence[FoundPath],
    ) -> list[FoundPath]:
        onward = dot.onward(starts, queries, self.cap // 2)
        targets = dot.targets(queries, seen, self.top)
        near = dot.paths_to(targets, per_anchor=self.paths, most=self.cap - len(onward))
        return list({path.relations: path for path in [*onward, *near]}.values())

    def _evidence(
        self,
        queries: Sequence[Query],
        view: View,
        anchors: Mapping[int, float],
        paths: Sequence[FoundPath],
    ) -> Evidence:
        kept = _longest(paths)
        if not view.has_passages:
            kept = with_sets(view, kept, anchors=anchors, most=self.set_nodes)
        entities, relations = dict(anchors), dict[int, float]()
        hops: dict[int, int | None] = dict.fromkeys(anchors, 0)
        for path in kept:
            for place, row in enumerate(path.entities):
                entities[row] = max(path.score, entities.get(row, path.score))
                hops[row] = min(place, hops.get(row, place) or 0)
            for row in path.relations:
                relations[row] = max(path.score, relations.get(row, path.score))
        return assemble(
            view,
            _CHANNEL,
            k=self.k,
            budget=self.budget,
            entities=ranking_of(entities, hops=hops),
            relations=ranking_of(relations),
            chunks=self._passages(queries, view, anchors, entities),
            paths=path_hits(view, kept, _CHANNEL),
        )

    def _passages(
        self,
        queries: Sequence[Query],
        view: View,
        anchors: Mapping[int, float],
        entities: Collection[int],
    ) -> Ranking:
        if not view.has_passages:
            return ranking_of({})
        seeds = {row: anchors.get(row, 0.0) + self.path_weight for row in entities}
        similar = Similarities.of_each(view, np.stack([query.unit for query in queries]))
        ranks = [Surfer().rank(self.kb, view, seeds, one).chunks for one in similar]
        return ranking_of(np.max(ranks, axis=0))


def _beginnings(dot: Dot) -> list[FoundPath]:
    return [FoundPath((row,), ()) for row in sorted(dot.anchors)]


def _longest(paths: Sequence[FoundPath]) -> list[FoundPath]:
    """Return the paths best first, without partial ones that another begins with."""
    complete = [place for place, path in enumerate(paths) if path.verdict == "complete"]
    places = without_prefixes([path.relations for path in paths], complete)
    kept = [paths[place] for place in places]
    return sorted(kept, key=lambda path: (-round(path.score, 5), path.relations))
