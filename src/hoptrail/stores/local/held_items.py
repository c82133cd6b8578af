"""The items of one generation that a process holds: they never change, so they are kept.

Their vectors grow in number, and are held in two bytes a component.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Chunk, Community, Entity, Relation
from hoptrail.stores.snapshot.graph_index import Csr, id_array
from hoptrail.stores.snapshot.lexicon import Collection, Lexicon, counted_words

_BLOCK = 2_048  # rows of a block: nothing is copied when one is full
_STEPS = 32_767  # from 0 to 1
Counts = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Numbers of words, and how often each stands in a passage; shapes (n,)."""


class VectorSlab:
    """Unit vectors by id; rows are only ever added.

    Components are held as whole numbers of 1/32,767, half of the memory that they came in:
    similarities differ by some 1e-5.

    Args:
        dim: Length of a vector, 0 where there are none.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._rows: dict[str, int] = {}
        self._blocks: list[NDArray[np.int16]] = []

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._dim

    def __len__(self) -> int:
        """Number of vectors."""
        return len(self._rows)

    def __contains__(self, id_: str) -> bool:
        """Whether an id has a vector here."""
        return id_ in self._rows

    def add(self, id_: str, vector: ArrayLike) -> None:
        """Keep the vector of an id that has none yet; others stay as they are."""
        if id_ not in self._rows:
            row = self._new_row(id_)
            row[:] = np.rint(np.multiply(vector, _STEPS, dtype=np.float32))

    def within(self, ids: Iterable[str]) -> VectorSlab:
        """Return the vectors of these ids alone, those without one left out."""
        kept = VectorSlab(self._dim)
        kept.take(self, ids)
        return kept

    def take(self, other: VectorSlab, ids: Iterable[str] | None = None) -> None:
        """Take over the vectors of ids that have none here yet, by default of all that it has."""
        rows = other._rows
        for id_ in list(rows) if ids is None else ids:
            row = rows.get(id_)
            if row is not None and id_ not in self._rows:
                block, place = divmod(row, _BLOCK)
                self._new_row(id_)[:] = other._blocks[block][place]

    def gathered(self, ids: Sequence[str]) -> tuple[FloatArray, IntArray]:
        """Return the distinct vectors of these ids, and for each id its row, -1 without a vector.

        Shapes (m, dim) and (len(ids),).
        """
        rows = np.array([self._rows.get(id_, -1) for id_ in ids], dtype=np.int32)
        used, places = np.unique(rows[rows >= 0], return_inverse=True)
        row_of = np.full(len(rows), -1, dtype=np.int32)
        row_of[rows >= 0] = places
        found: FloatArray = np.empty((len(used), self._dim), dtype=np.float32)
        starts = np.searchsorted(used, np.arange(len(self._blocks) + 1) * _BLOCK)
        for number, block in enumerate(self._blocks):
            inside = slice(starts[number], starts[number + 1])
            found[inside] = block[used[inside] - number * _BLOCK]
        found /= _STEPS
        return found, row_of

    def _new_row(self, id_: str) -> NDArray[np.int16]:
        """Return the row of an id that has none yet, to be written."""
        block, place = divmod(len(self._rows), _BLOCK)
        if block == len(self._blocks):
            self._blocks.append(np.zeros((_BLOCK, self._dim), dtype=np.int16))
        self._rows[id_] = block * _BLOCK + place
        row: NDArray[np.int16] = self._blocks[block][place]
        return row


@dataclass(frozen=True, slots=True)
class HeldChunk:
    """A passage and the ids of the entities that it mentions."""

    item: Chunk
    entity_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldEntity:
    """An entity and its relations.

    Attributes:
        item: With the ids of all passages that mention it.
        relation_ids: Of its relations, or of those that matter most where they are many.
        is_whole: Whether all its relations are there.
        community: Id of its finest community.
    """

    item: Entity
    relation_ids: tuple[str, ...]
    is_whole: bool
    community: str | None


@dataclass(frozen=True, slots=True)
class CollectionFigures:
    """The figures of all passages for keyword search: how many there are, and how long."""

    passages: int
    mean_length: float


class _Items:
    """Items of one generation with their vectors.

    Relations without a text of their own share the vector of their predicate.

    Args:
        dim: Vector length, 0 without vectors.
    """

    def __init__(self, dim: int) -> None:
        self.chunks: dict[str, HeldChunk] = {}
        self.entities: dict[str, HeldEntity] = {}
        self.relations: dict[str, Relation] = {}
        self.chunk_vectors = VectorSlab(dim)
        self.entity_vectors = VectorSlab(dim)
        self.relation_vectors = VectorSlab(dim)
        self.predicate_vectors = VectorSlab(dim)

    def __len__(self) -> int:
        """Number of items, on which the memory that they take depends."""
        return len(self.chunks) + len(self.entities) + len(self.relations)


class Arrived(_Items):
    """Items of one generation on their way from a server."""


class HeldItems(_Items):
    """Items of one generation that this process was sent, for the questions to come.

    Args:
        generation: Whose they are.
        dim: Vector length, 0 without vectors.
        figures: Of the passages.
        communities: All of them with their reports, by id, without members.
        reports: The vectors of those that have a report.
    """

    def __init__(
        self,
        generation: int,
        dim: int,
        figures: CollectionFigures,
        communities: Iterable[Community],
        reports: VectorSlab,
    ) -> None:
        super().__init__(dim)
        self.generation = generation
        self.figures = figures
        self.communities = {one.id: one for one in communities}
        self.reports = reports
        self.words = HeldWords()

    def take(self, arrived: Arrived) -> None:
        """Keep what a server sent of this generation, but entities with a part of their relations.

        Which part that is depends on the question.
        """
        self.chunks.update(arrived.chunks)
        self.relations.update(arrived.relations)  # before the entities that name them
        whole = {id_: one for id_, one in arrived.entities.items() if one.is_whole}
        self.entities.update(whole)
        self.chunk_vectors.take(arrived.chunk_vectors)
        self.entity_vectors.take(arrived.entity_vectors)
        self.relation_vectors.take(arrived.relation_vectors)
        self.predicate_vectors.take(arrived.predicate_vectors)

    def within(
        self, chunk_ids: Iterable[str], entity_ids: Iterable[str], relation_ids: Iterable[str] = ()
    ) -> HeldItems:
        """Return what is held of some passages, entities and relations: the rest is let go of.

        The relations of these entities are kept as well. Whoever is reading meanwhile keeps these
        items as they are.
        """
        communities = self.communities.values()
        dim = self.chunk_vectors.dim
        kept = HeldItems(self.generation, dim, self.figures, communities, self.reports)
        kept.chunks = {id_: self.chunks[id_] for id_ in chunk_ids if id_ in self.chunks}
        kept.entities = {id_: self.entities[id_] for id_ in entity_ids if id_ in self.entities}
        named = chain.from_iterable(one.relation_ids for one in kept.entities.values())
        named = chain(named, (id_ for id_ in relation_ids if id_ in self.relations))
        kept.relations = {id_: self.relations[id_] for id_ in named}
        predicates = {one.predicate for one in kept.relations.values()}
        kept.words = self.words.within(kept.chunks)
        kept.chunk_vectors = self.chunk_vectors.within(kept.chunks)
        kept.entity_vectors = self.entity_vectors.within(kept.entities)
        kept.relation_vectors = self.relation_vectors.within(kept.relations)
        kept.predicate_vectors = self.predicate_vectors.within(predicates)
        return kept


class HeldWords:
    """Word counts by passage; usable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}
        self._counts: dict[str, Counts] = {}

    def within(self, chunk_ids: Iterable[str]) -> HeldWords:
        """Return the counts of these passages alone."""
        kept = HeldWords()
        with self._lock:
            kept._numbers = dict(self._numbers)
            kept._counts = {id_: self._counts[id_] for id_ in chunk_ids if id_ in self._counts}
        return kept

    def lexicon(self, passages: Sequence[Chunk], collection: Collection) -> Lexicon:
        """Return the lexicon of some passages, with what is counted over the whole collection."""
        with self._lock:
            counts = [self._of(passage) for passage in passages]
            known = list(self._numbers)
        nothing = np.zeros(0, dtype=np.int32)
        numbers = np.concatenate([nothing, *(one for one, _ in counts)])
        times = np.concatenate([nothing, *(many for _, many in counts)])
        lengths = np.array([many.sum() for _, many in counts], dtype=np.int32)
        holders = np.repeat(np.arange(len(counts)), [len(one) for one, _ in counts])
        used = np.flatnonzero(np.bincount(numbers, minlength=len(known)))
        words = id_array(known[number] for number in used.tolist())
        order = np.argsort(words)
        rank = np.empty(len(known), dtype=np.int32)
        rank[used[order]] = np.arange(len(order))
        by_word = np.argsort(rank[numbers], kind="stable")  # in a word, passages stay in order
        per_word = np.bincount(rank[numbers], minlength=len(order))
        word_chunks = Csr(
            np.concatenate(([0], np.cumsum(per_word))).astype(np.int32),
            holders[by_word].astype(np.int32),
            times[by_word].astype(np.float32),
        )
        return Lexicon(words[order], word_chunks, lengths, collection)

    def _of(self, passage: Chunk) -> Counts:
        found = self._counts.get(passage.id)
        if found is None:
            words = Counter(counted_words(passage.title_path))
            words.update(counted_words(passage.text))
            known = self._numbers
            numbers = [known.setdefault(word, len(known)) for word in words]
            found = np.array(numbers, dtype=np.int32), np.array([*words.values()], dtype=np.int32)
            self._counts[passage.id] = found
        return found
