"""The edges around what a question is about, ranked by the learned edge scorer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hoptrail.core.algorithms.neighbourhood import Caps
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.names import word_runs
from hoptrail.core.text import STOP_WORDS, longest_apart, name_key
from hoptrail.models.graph_scorers import EdgeScorer, ScoredEdges, WalkedGraph
from hoptrail.retrievers.anchors import MASK
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.paths import Region, first_relations
from hoptrail.retrievers.ranking.graph_ranking import Ranking, in_turns, ranking_of, softmax
from hoptrail.stores.knowledge_source import KnowledgeSource

CAPS = Caps(hops=3, nodes=2_000, degree=100)
_STARTS = 10  # of all topics; more of them changed nothing on train800 but the time
_LEAST_LENGTH = 0.5  # of a unit vector; an entity without a name has a vector of zeros

_USUAL_NAME = 20  # characters
_LONGEST_SHARE = 1.5

_STANDS, _IS_INSIDE = 0, 1  # columns of the features

Span = tuple[int, int]


def known_scorer(kb: KnowledgeSource, view: View) -> EdgeScorer | None:
    """Return the shipped scorer where it can judge: on a bare graph, with the same embedder."""
    shipped = EdgeScorer.shipped()
    is_judge = not view.has_passages and str(shipped.embedder) == kb.embedder.name
    return shipped if is_judge else None


def rank_by_walks(
    kb: KnowledgeSource,
    query: Query,
    view: View,
    scorer: EdgeScorer,
    *,
    most: int,
    seeds: int = 25,
    caps: Caps = CAPS,
) -> Ranking:
    """Return the relations on the best walks from what a question is about, at most `most`.

    A relation comes with those that its walk takes before it, so that what is returned hangs
    together at its topics. Every third one is a named topic's own, the predicates most similar
    to the question first: that costs nothing where the scorer is at home (WebQSP), and finds
    answers one step away where it is not (MetaQA).
    A score is the share of belief among all relations looked at.

    Args:
        kb: The knowledge base, which embeds texts.
        query: The question.
        view: The knowledge base's present generation.
        scorer: Trained on the vectors of the knowledge base's embedder.
        most: Relations to return.
        seeds: Entities nearest to the question that are topics too, beside those it names.
        caps: How much of the graph is looked at, the best predicates first.
    """
    topics = EdgeTopics.of(query, view, seeds)
    if len(topics.rows) == 0:
        return ranking_of({})
    masked = kb.embed_query(topics.masked)
    predicates = _predicate_vectors.of(kb, view)
    worth = scorer.step_scores(masked, predicates).max(axis=(0, 1))
    predicate_of = view.index.relation_predicate
    best = ranking_of(scorer.topic_scores(topics.features), most=_STARTS).rows
    starts = topics.rows[best]
    region = Region.around(view, starts.tolist(), lambda rows: worth[predicate_of[rows]], caps)
    graph = _walked(view, query, topics, best, region, predicates)
    found = scorer.edge_scores(masked, graph)
    own = _of_named_topics(masked, graph, region.places(topics.surely_named))
    edges = list(islice(in_turns((_with_walks(found, graph), 2), (own, 1)), most))
    return Ranking(region.relations[edges], softmax(found.scores)[edges])


def answer_features(
    question: FloatArray, names: FloatArray, named: IntArray, topics: IntArray
) -> FloatArray:
    """Return what speaks for nodes as answers, shape (n, 4).

    By column: similarity of the name's vector and the question's, whether there is no name, whether
    the question names the node, whether it is a topic at all.

    Args:
        question: Unit vector, shape (dim,).
        names: Unit vectors of the names, zeros without one, shape (n, dim).
        named: Nodes that the question names.
        topics: Nodes that are topics.
    """
    features = np.zeros((len(names), 4), dtype=np.float32)
    features[:, 0] = names @ question
    features[:, 1] = (names**2).sum(axis=1) < _LEAST_LENGTH
    features[named, 2] = 1
    features[topics, 3] = 1
    return features


def _walked(
    view: View,
    query: Query,
    topics: EdgeTopics,
    best: IntArray,
    region: Region,
    predicates: FloatArray,
) -> WalkedGraph:
    """Return the region for the scorer, with walks from the topics at the best places."""
    names = view.vectors["entity"].vectors_at(region.entities)
    used, numbers = np.unique(view.index.relation_predicate[region.relations], return_inverse=True)
    answers = answer_features(
        query.unit, names, region.places(topics.named), region.places(topics.rows)
    )
    return WalkedGraph(
        region.graph.source,
        region.graph.target,
        numbers.astype(np.int32),
        predicates[used],
        answers,
        region.places(topics.rows[best]),
        topics.features[best],
    )


def _with_walks(found: ScoredEdges, graph: WalkedGraph) -> Iterator[int]:
    """Yield each edge once, the best first, but the walk that leads to it before it."""
    seen: set[int] = set()
    for edge in ranking_of(found.scores).rows.tolist():
        for step in found.walk_to(edge, graph.source, graph.target):
            if step not in seen:
                seen.add(step)
                yield step


def _of_named_topics(masked: FloatArray, graph: WalkedGraph, named: IntArray) -> list[int]:
    """Return the edges at the named nodes, the predicates most similar to the question first."""
    edges = np.flatnonzero(np.isin(graph.source, named) | np.isin(graph.target, named))
    similar = (graph.predicates @ masked)[graph.predicate[edges]]
    nearest: list[int] = edges[ranking_of(similar).rows].tolist()
    return nearest


def _vectors_by_predicate(kb: KnowledgeSource, view: View) -> FloatArray:
    """Return the vectors of all predicates, shape (p, dim): on a bare graph those of relations."""
    return view.vectors["relation"].vectors_at(first_relations.of(kb, view))


_predicate_vectors = PerGeneration(_vectors_by_predicate)


@dataclass(frozen=True, slots=True)
class EdgeTopics:
    """Entities that a question may be about.

    Attributes:
        rows: Distinct rows of entities, shape (t,).
        features: See `topic_features`, shape (t, 9).
        named: Those rows whose name stands in the question.
        masked: The question with its names masked.
    """

    rows: IntArray
    features: FloatArray
    named: IntArray
    masked: str

    @property
    def surely_named(self) -> IntArray:
        """The named rows but those whose name stands only inside a longer one."""
        is_sure = (self.features[:, _STANDS] > 0) & (self.features[:, _IS_INSIDE] == 0)
        rows: IntArray = self.rows[is_sure]
        return rows

    @classmethod
    def of(cls, query: Query, view: View, nearest: int) -> EdgeTopics:
        """Return the entities that the question or its plan names and those nearest to it."""
        spans = name_spans(query.text)
        # In their order: of two names of one entity the last one counts, as it did in training.
        found = view.store.find_entities(dict.fromkeys([*spans, *query.plan.entities]))
        elsewhere = len(query.text) + 1, len(query.text) + 1
        span_of = {id_: spans.get(text, elsewhere) for text in found for id_ in found[text]}
        near, _ = view.vectors["entity"].search(query.unit, nearest)
        ids = [*dict.fromkeys([*span_of, *(str(id_) for id_ in near)])]
        entities = view.store.entities(ids)
        ids = [entity.id for entity in entities]
        rows = view.index.entity_rows(ids)
        features = topic_features(
            query.text,
            [entity.name for entity in entities],
            [span_of.get(id_) for id_ in ids],
            view.vectors["entity"].similarities_at(query.unit, rows),
        )
        is_named = np.array([id_ in span_of for id_ in ids], dtype=np.bool_)
        known = rows >= 0
        masked = mask_spans(query.text, span_of.values())
        return cls(rows[known], features[known], rows[known & is_named], masked)


def name_spans(question: str) -> Mapping[str, Span]:
    """Return every run of words that could be a name, with its place; stop words are none."""
    runs = [(question[start:end], (start, end)) for start, end in word_runs(question)]
    return {text: span for text, span in reversed(runs) if text.lower() not in STOP_WORDS}


def topic_features(
    question: str, names: Sequence[str], spans: Sequence[Span | None], similarities: FloatArray
) -> FloatArray:
    """Return what speaks for entities as the topic of a question, shape (n, 9).

    By column: whether the name stands in the question; whether inside a longer name that does; how
    long it is then; similarity of the name's vector; share of the name's three-letter sequences in
    the question, and of the question's in the name; the same for content words; whether it is one
    word that stands in the question.

    Args:
        question: Natural language.
        names: Of the entities.
        spans: Place of each name in the question, behind its end where the plan alone names the
            entity, None where neither does.
        similarities: Of each name's vector and the question's, shape (n,).
    """
    key = name_key(question)
    sequences, content = _sequences(key), _content(key)
    known = [span for span in spans if span is not None]
    features = np.zeros((len(names), 9), dtype=np.float32)
    for row, (name, span) in enumerate(zip(names, spans, strict=True)):
        of_name = name_key(name)
        own_sequences, own_content = _sequences(of_name), _content(of_name)
        stands = span is not None
        features[row] = (
            stands,
            span is not None and any(_is_inside(span, other) for other in known),
            stands * min(len(of_name) / _USUAL_NAME, _LONGEST_SHARE),
            similarities[row],
            len(own_sequences & sequences) / max(len(own_sequences), 1),
            len(own_sequences & sequences) / max(len(sequences), 1),
            len(own_content & content) / max(len(own_content), 1),
            len(own_content & content) / max(len(content), 1),
            stands and len(of_name.split()) == 1,
        )
    return features


def mask_spans(question: str, spans: Iterable[Span]) -> str:
    """Return the question with the longest of its names masked, none across another."""
    for start, end in reversed(longest_apart(spans)):
        if start < end:
            question = question[:start] + MASK + question[end:]
    return question


def _is_inside(span: Span, other: Span) -> bool:
    return other[0] <= span[0] and span[1] <= other[1] and span != other


def _sequences(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def _content(text: str) -> set[str]:
    return set(text.split()) - STOP_WORDS
