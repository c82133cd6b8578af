"""Passages that may be chosen, with what speaks for each before any is chosen.

Arrays are by candidate, shape (n,), and by word of the question, shape (w,).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.pagerank import push
from hoptrail.core.algorithms.sorted_sets import distinct_places, is_among
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.text import content_words
from hoptrail.core.types import Chunk
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ppr import (
    mention_weights,
    relation_weights,
    total_weight,
)
from hoptrail.retrievers.ranking.graph_ranking import Ranking, softmax
from hoptrail.retrievers.text import Occurrences, inverse_frequency

_LEAST_RANK = 1e-4
_DAMPING = 0.8
_TOLERANCE = 1e-4
_TEXT_SHARE = 0.5
_TEMPERATURE = 0.03


class Sign(IntEnum):
    """The signs that speak for a passage; the column of each in the features.

    The first six stay, whatever is chosen: the logarithm of its PageRank and of its place by it;
    the similarity of its text, and of the relation nearest to the question that it states; which
    share of its title's words stands in the question, and of the question's words, weighed by
    rarity, in it. The others tell what it adds to the passages chosen so far: the share of the
    question's words that only it has; whether what it is titled by is mentioned in a chosen one,
    and whether another entity is mentioned in both; the rarer these are, the more.
    """

    PAGERANK = 0
    PLACE = 1
    SIMILARITY = 2
    RELATION = 3
    TITLE = 4
    WORDS = 5
    NEW_WORDS = 6
    TITLED_BY_MENTIONED = 7
    SHARED_ENTITY = 8


@dataclass(frozen=True, slots=True)
class Candidates:
    """Passages in the order of their PageRank, with their words, entities and features.

    Attributes:
        rows: Rows of `GraphIndex`.
        chunks: The passages by id; those deleted meanwhile are missing.
        features: The columns of `Sign` that do not change, shape (n, 6).
        has_word: Which of the question's words each holds, shape (n, w).
        word_weights: How rare each of these words is; they sum to 1.
        mention_of: The candidate of each mention, shape (m,).
        mentioned: The entity of each mention, a place in `entities`, shape (m,).
        entities: Rows of the entities that they mention, but for those that the question names,
            shape (e,), ascending.
        entity_passages: Number of passages that mention each entity, shape (e,).
        title_entity: The entity that each is titled by, a place in `entities`; -1 for none.
    """

    rows: IntArray
    chunks: Mapping[str, Chunk]
    features: FloatArray
    has_word: FloatArray
    word_weights: FloatArray
    mention_of: IntArray
    mentioned: IntArray
    entities: IntArray
    entity_passages: IntArray
    title_entity: IntArray

    @classmethod
    def of(
        cls,
        view: View,
        graph: LocalGraph,
        rows: IntArray,
        ranks: FloatArray,
        places: IntArray,
        named: IntArray,
        words: Mapping[str, Occurrences],
    ) -> Candidates:
        """Describe passages.

        Args:
            view: The knowledge base.
            graph: Gives similarities to the question.
            rows: Rows of the passages, by falling PageRank.
            ranks: PageRank of each, shape (n,), at most 1.
            places: Number of passages with a higher one, shape (n,).
            named: Rows of the entities that the question names.
            words: Where the question's words occur.
        """
        index = view.index
        ids = [str(id_) for id_ in index.chunk_ids[rows]]
        chunks = {chunk.id: chunk for chunk in view.store.chunks(ids)}
        titles = [chunks[id_].title if id_ in chunks else "" for id_ in ids]
        mention_of, found = index.chunk_entities.gather(rows)
        is_other = ~np.isin(found, named)
        mention_of, found = mention_of[is_other], found[is_other]
        entities, inverse = distinct_places(found)
        mentioned = inverse.astype(np.int32)
        has_word, word_weights = _words_held(rows, words, len(index.chunk_ids))
        features = np.stack(
            [
                np.log(np.maximum(ranks, _LEAST_RANK)),
                np.log1p(places),
                graph.passages.at(rows),
                _nearest_relation(view, graph, rows),
                [_share_in(title, words) for title in titles],
                has_word @ word_weights,
            ],
            axis=1,
        )
        return cls(
            rows,
            chunks,
            features.astype(np.float32),
            has_word,
            word_weights,
            mention_of,
            mentioned,
            entities,
            index.entity_chunks.counts(entities),
            _title_entities(view, titles, entities, mention_of, mentioned),
        )

    def __len__(self) -> int:
        """Number of candidates."""
        return len(self.rows)


def _words_held(
    rows: IntArray, words: Mapping[str, Occurrences], chunks: int
) -> tuple[FloatArray, FloatArray]:
    """Return which words each passage holds, shape (n, w), and the words' weights, shape (w,)."""
    has_word = np.zeros((len(rows), len(words)), dtype=np.float32)
    weights = np.zeros(len(words), dtype=np.float32)
    for column, found in enumerate(words.values()):
        has_word[:, column] = is_among(found.rows, rows)
        weights[column] = inverse_frequency(chunks, found.holding)
    return has_word, weights / max(float(weights.sum()), 1e-9)


def _nearest_relation(view: View, graph: LocalGraph, rows: IntArray) -> FloatArray:
    """Return the similarity of the nearest relation that each passage states, at least 0."""
    positions, relations = view.index.chunk_relations.gather(rows)
    nearest = np.zeros(len(rows), dtype=np.float32)
    np.maximum.at(nearest, positions, graph.relations.at(relations))
    return nearest


def _share_in(title: str, words: Mapping[str, Occurrences]) -> float:
    """Return the share of a title's words that are among the question's."""
    of_title = content_words(title)
    return sum(word in words for word in of_title) / max(len(of_title), 1)


def _title_entities(
    view: View,
    titles: Sequence[str],
    entities: IntArray,
    mention_of: IntArray,
    mentioned: IntArray,
) -> IntArray:
    """Return the most mentioned entity that has a passage's title as its name and stands in it."""
    known = view.store.find_entities({title for title in titles if title})
    rows = iter(view.index.entity_rows([id_ for ids in known.values() for id_ in ids]).tolist())
    rows_by_title = {title: list(islice(rows, len(ids))) for title, ids in known.items()}
    places = {row: place for place, row in enumerate(entities.tolist())}
    counts = view.index.entity_chunks.counts(entities)
    first = np.searchsorted(mention_of, np.arange(len(titles) + 1)).tolist()
    found = np.full(len(titles), -1, dtype=np.int32)
    for passage, title in enumerate(titles):
        called = {places[row] for row in rows_by_title.get(title, ()) if row in places}
        if called:
            own = called.intersection(mentioned[first[passage] : first[passage + 1]].tolist())
            found[passage] = max(own, key=lambda place: (counts[place], -place), default=-1)
    return found


class KnownSimilarities:
    """Similarities to one question by row, each computed when it is first asked for.

    Args:
        score: Gives the similarities of rows, shape (m,) for m rows.
        size: Number of rows there are.
    """

    def __init__(self, score: Callable[[IntArray], FloatArray], size: int) -> None:
        self._score = score
        self._values = np.full(size, np.nan, dtype=np.float32)

    def at(self, rows: IntArray) -> FloatArray:
        """Return the similarities of these rows, shape (len(rows),)."""
        found: FloatArray = self._values[rows]
        is_new = np.isnan(found)
        if is_new.any():
            new = rows[is_new]
            found[is_new] = self._values[new] = self._score(new)
        return found

    @property
    def rows(self) -> IntArray:
        """The rows whose similarities were asked for, ascending."""
        return np.flatnonzero(~np.isnan(self._values)).astype(np.int32)


class LocalGraph:
    """Mentions and relations as undirected edges, weighed by similarity to one question.

    The weights are those of `EntityPassageGraph`.

    Args:
        view: The knowledge base.
        vector: The question's unit vector, shape (dim,).

    Attributes:
        passages: Similarities of passages.
        relations: Similarities of relations.
    """

    def __init__(self, view: View, vector: FloatArray) -> None:
        self._index = view.index
        self._entities = len(view.index.entity_ids)
        chunks, relations = view.vectors["chunk"], view.vectors["relation"]
        self.passages = KnownSimilarities(
            lambda rows: chunks.similarities_at(vector, rows), len(view.index.chunk_ids)
        )
        self.relations = KnownSimilarities(
            lambda rows: relations.similarities_at(vector, rows), len(view.index.relation_ids)
        )

    def rank(
        self, seeds: Mapping[int, float], nearest: Ranking
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the PageRank of all entities and of all passages, up to a common factor.

        Args:
            seeds: Weights of the entities to start from, by row.
            nearest: The passages to start from, which have half the seeds' weight together.
        """
        start = np.zeros(self._entities + len(self._index.chunk_ids))
        start[np.fromiter(seeds, dtype=np.int32, count=len(seeds))] = list(seeds.values())
        shares = softmax(nearest.scores, _TEMPERATURE)
        start[self._entities + nearest.rows] = _TEXT_SHARE * total_weight(seeds) * shares
        ranks = push(start, self, damping=_DAMPING, tolerance=_TOLERANCE)
        return ranks[: self._entities], ranks[self._entities :]

    def degrees(self, nodes: IntArray) -> IntArray:
        """Return the number of edges of each node."""
        index, is_entity = self._index, nodes < self._entities
        entities, chunks = nodes[is_entity], nodes[~is_entity] - self._entities
        degrees = np.empty(len(nodes), dtype=np.int32)
        degrees[is_entity] = index.entity_chunks.counts(entities)
        degrees[is_entity] += index.entity_relations.counts(entities)
        degrees[~is_entity] = index.chunk_entities.counts(chunks)
        return degrees

    def edges(self, nodes: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Return `(positions, targets, weights)`, as `Neighbourhood` says."""
        index, is_entity = self._index, nodes < self._entities
        at_entity, at_chunk = np.flatnonzero(is_entity), np.flatnonzero(~is_entity)
        entities, chunks = nodes[at_entity], nodes[at_chunk] - self._entities
        of_mention, mentioning = index.entity_chunks.gather(entities)
        of_relation, relations = index.entity_relations.gather(entities)
        of_chunk, mentioned = index.chunk_entities.gather(chunks)
        ends = index.relation_source[relations] + index.relation_target[relations]
        near = np.concatenate([self.passages.at(mentioning), self.passages.at(chunks)[of_chunk]])
        mentions = mention_weights(near)
        weights = [
            mentions[: len(mentioning)],
            relation_weights(self.relations.at(relations)),
            mentions[len(mentioning) :],
        ]
        other_ends = ends - entities[of_relation]
        return (
            np.concatenate(
                [at_entity[of_mention], at_entity[of_relation], at_chunk[of_chunk]]
            ).astype(np.int32),
            np.concatenate([mentioning + self._entities, other_ends, mentioned]),
            np.concatenate(weights),
        )
