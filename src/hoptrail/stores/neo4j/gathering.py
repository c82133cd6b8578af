"""Gathers what a question touches, in at most six statements that see one generation.

The first finds what is nearest and what is named. The next four read the items found last: what is
named or near, and then what lies one, two and three relations away, each with the passages that
mention what was read before, and with what a walk from the question comes to. The sixth reads the
vectors of the last relations. What the process holds of the generation already is not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.names import name_keys_in
from hoptrail.core.text import content_words
from hoptrail.core.types import Relation
from hoptrail.stores.knowledge_source import Focus
from hoptrail.stores.local.held_items import Arrived, HeldChunk, HeldEntity, HeldItems, VectorSlab
from hoptrail.stores.local.spread import Region, Spread
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.live_store import names_query
from hoptrail.stores.neo4j.rows import (
    Space,
    chunk_of,
    entity_of,
    escape_lucene,
    interned,
    relation_of,
)
from hoptrail.stores.neo4j.statements import in_space
from hoptrail.stores.records.stored_values import text_hash
from hoptrail.stores.vector_search import Nearest, ServedKind, ShownVectors, is_predicate_key

_NEAREST = {"chunks": 300, "entities": 60, "relations": 200, "predicates": 200}
_NEAREST_BESIDE = {"chunks": 100, "entities": 30, "relations": 50, "predicates": 50}
_NEAREST_ELSEWHERE: dict[ServedKind, int] = {"chunk": 300, "entity": 60, "relation": 200}
_NAMES_OF = {"chunk": "chunks", "entity": "entities", "relation": "relations"}
_BY_WORDS = 400  # passages of a search without a vector
_NAMES = 1_000  # runs of words; Lucene takes 1,024 in a query
_MOST_NAMED = 300  # entities of all names; a year may be the name of thousands
_NEAR_PASSAGES = 300  # whose entities belong to the region
_NEAR_RELATIONS = 200  # whose ends are starts
_REACHED = 2_000  # entities a hop
_VISITED = 1_500  # entities a hop that the walk comes to
_VISITED_PASSAGES = 500
_UNNAMED_STARTS = 20  # of the walk, where the question names nothing
_DEGREES = (200, 100, 50, 25)  # relations of an entity by its hop, nearest to the question first
_SCANNED = 2_000  # of which these are chosen; some entities have hundreds of thousands
_MENTIONS_OF_A_START = 100
_MENTIONS = 20
_PASSAGES = 2_000  # the nearest and those of starts come first


class MovedOnError(Exception):
    """Another generation is shown than the one that the gathering began with."""


@dataclass(slots=True)
class _Found:
    """The findings of the first statement: items by similarity, those named, word frequencies."""

    chunks: dict[str, float] = field(default_factory=dict)
    entities: dict[str, float] = field(default_factory=dict)
    relations: dict[str, float] = field(default_factory=dict)
    predicates: dict[str, float] = field(default_factory=dict)
    ends: dict[str, tuple[str, str]] = field(default_factory=dict)
    named: dict[str, None] = field(default_factory=dict)
    frequencies: dict[str, int] = field(default_factory=dict)

    @property
    def starts(self) -> dict[str, None]:
        """The entities that are named or near, and the ends of the nearest relations."""
        nearest = list(_best_first(self.relations))[:_NEAR_RELATIONS]
        ends = (end for relation in nearest for end in self.ends[relation])
        return dict.fromkeys((*self.named, *_best_first(self.entities), *ends))


class Gathering:
    """The reading for one question.

    Args:
        connection: To the server.
        kb: The base's name there.
        space: The space that is shown.
        held: What the process holds of the generation that is shown.
        vectors: Where they are searched, if it is not here.

    Attributes:
        nearest: What was found there for the question itself.
    """

    def __init__(
        self,
        connection: Connection,
        kb: str,
        space: Space,
        held: HeldItems,
        vectors: ShownVectors | None = None,
    ) -> None:
        self._vectors = vectors
        self.nearest: dict[ServedKind, Nearest] = {}
        self._connection = connection
        self._kb = kb
        self._space = space
        self._held = held
        self._arrived = Arrived(held.chunk_vectors.dim)
        self._near: dict[str, float] = {}
        self._chunks: dict[str, None] = {}
        self._entities: dict[str, None] = {}
        self._relations: dict[str, Relation] = {}
        self._outside: dict[str, Relation] = {}
        self._unread: list[str] = []
        self._looked_at = 0

    def run(self, focus: Focus, beside: Sequence[FloatArray]) -> tuple[Region, Arrived]:
        """Return the region of a question, and what had to be read for it.

        Args:
            focus: The question.
            beside: Vectors of the texts that are looked for beside it, shape (dim,) each.

        Raises:
            MovedOnError: If another generation was published meanwhile.
            StoreError: If the server fails.
        """
        found = self._search(focus, beside)
        near = list(_best_first(found.chunks))
        self._chunks.update(dict.fromkeys(near))
        if focus.passages_only:
            self._read(0)
        else:
            self._near = {**found.predicates, **found.relations}
            starts = dict.fromkeys((*focus.entity_ids, *found.starts))
            self._walk(starts, found, near[:_NEAR_PASSAGES])
        return self._region(found.frequencies), self._arrived

    def _walk(self, starts: Iterable[str], found: _Found, near: Sequence[str]) -> None:
        """Read what lies around entities, the entities of passages, and what a walk comes to."""
        frontier = list(starts)
        self._entities.update(dict.fromkeys(frontier))
        self._read(0)
        self._take_mentions(frontier, _MENTIONS_OF_A_START)
        spread = Spread(self._entity, self._chunk, self._relations_of, found.chunks, self._near)
        spread.start(found.named or frontier[:_UNNAMED_STARTS])
        for hop in range(1, len(_DEGREES)):
            frontier = self._beyond(frontier)
            reached = frontier if hop > 1 else [*frontier, *self._mentioned_in(near)]
            reached = [*reached, *self._visited(spread)]
            self._entities.update(dict.fromkeys(reached))
            self._read(hop)
            self._take_mentions(reached, _MENTIONS)
        self._visited(spread)
        self._read(0)

    def _visited(self, spread: Spread) -> list[str]:
        """Return the entities that a walk comes to, and take its passages into the region."""
        if not self._held.figures.passages:
            return []
        entities, chunks = spread.reached()
        self._chunks.update(dict.fromkeys(chunks[:_VISITED_PASSAGES]))
        return entities[:_VISITED]

    def _search(self, focus: Focus, beside: Sequence[FloatArray]) -> _Found:
        """Find what is nearest to the vectors, and what the texts name."""
        keys = dict.fromkeys(chain.from_iterable(map(name_keys_in, focus.texts)))
        names = names_query(islice(keys, _NAMES))
        branches = [statements.NAMED] if names else []
        parameters: dict[str, Any] = {"names": names, "most_named": _MOST_NAMED}
        if focus.vector is None:
            words = dict.fromkeys(chain.from_iterable(map(content_words, focus.texts)))
            terms = [{"word": word, "query": escape_lucene(word)} for word in words]
            parameters |= {
                "terms": terms,
                "keywords": " OR ".join(term["query"] for term in terms),
                "most_chunks": _BY_WORDS,
            }
            by_words = (statements.KEYWORDS, statements.FREQUENCIES)
            branches += [*(by_words if terms else ()), statements.FIRST_CHUNKS]
        elif self._held.chunk_vectors.dim:
            searches = [{"vector": focus.vector.tolist(), **_NEAREST}]
            searches += [{"vector": one.tolist(), **_NEAREST_BESIDE} for one in beside]
            parameters["searches"] = searches
            branches += statements.NEAREST
        found = _Found()
        take = partial(_note, found)
        if focus.vector is None or self._vectors is None:
            self._ask(branches, parameters, take)
            return found
        search = partial(
            self._vectors.nearest,
            np.stack([focus.vector, *beside]),
            _NEAREST_ELSEWHERE,
            with_triples=True,
        )
        with ThreadPoolExecutor(1) as beside_this:
            searching = beside_this.submit(copy_context().run, search)
            self._ask(branches, parameters, take)
        self._take_nearest(searching.result(), found)
        return found

    def _take_nearest(self, by_kind: Mapping[ServedKind, list[Nearest]], found: _Found) -> None:
        """Note what another server found nearest to the question, and to the vectors beside it."""
        for kind, results in by_kind.items():
            self.nearest[kind] = results[0]
            for place, nearest in enumerate(results):
                most = _NEAREST_BESIDE[_NAMES_OF[kind]] if place else len(nearest.keys)
                scores = nearest.scores.tolist()
                for key, score in islice(zip(nearest.keys, scores, strict=True), most):
                    if kind == "relation":
                        source, predicate, target = nearest.triples[key]
                        is_shared = is_predicate_key(key)
                        row = [predicate, score] if is_shared else [key, score, source, target]
                        _note(found, "predicate" if is_shared else "relation", row)
                    else:
                        _note(found, kind, [key, score])

    def _read(self, hop: int) -> None:
        """Read those items of the region that are not held yet, with vectors.

        Args:
            hop: Of the entities that are new, on which it depends how many relations they bring.
        """
        held, arrived = self._held, self._arrived
        relations = self._new_relations() if held.relation_vectors.dim else []
        bare = {one.predicate for one in relations if one.is_bare}
        wanted = {
            "chunks": [
                one for one in self._chunks if one not in held.chunks and one not in arrived.chunks
            ],
            "entities": [
                one
                for one in self._entities
                if one not in held.entities and one not in arrived.entities
            ],
            "relations": [
                one.id
                for one in relations
                if not one.is_bare
                and one.id not in held.relation_vectors
                and one.id not in arrived.relation_vectors
            ],
            "predicates": [
                text_hash(one)
                for one in bare
                if one not in held.predicate_vectors and one not in arrived.predicate_vectors
            ],
        }
        branches = [_HELD[name] for name, ids in wanted.items() if ids]
        if branches:
            more = {"near": self._near, "degree": _DEGREES[hop], "scanned": _SCANNED}
            self._ask(branches, {**wanted, **more}, self._take)

    def _take(self, kind: str, row: list[Any]) -> None:
        """Keep a row that was read; one that came after the generation tells that it moved on."""
        arrived = self._arrived
        born, *values = row
        if born is None or born > self._held.generation:
            raise MovedOnError
        if kind in {"chunk", "entity"} and None in values[0][:4]:
            raise MovedOnError  # it is being deleted at this moment
        if kind == "chunk":
            properties, vector, entity_ids = values
            chunk = chunk_of(properties)
            arrived.chunks[chunk.id] = HeldChunk(chunk, interned(entity_ids))
            _keep(arrived.chunk_vectors, chunk.id, vector)
        elif kind == "entity":
            properties, vector, degree, community, rows = values
            entity = entity_of(properties)
            relations = [relation_of(one) for one in rows]
            arrived.relations.update((one.id, one) for one in relations)
            ids = tuple(one.id for one in relations)
            is_whole = len(ids) >= (degree or 0)
            arrived.entities[entity.id] = HeldEntity(entity, ids, is_whole, community)
            _keep(arrived.entity_vectors, entity.id, vector)
        elif kind == "relation":
            _keep(arrived.relation_vectors, values[0], values[1])
        else:
            _keep(arrived.predicate_vectors, values[0], values[1])

    def _ask(
        self,
        branches: Sequence[str],
        parameters: Mapping[str, Any],
        take: Callable[[str, list[Any]], None],
    ) -> None:
        """Take the rows of one statement as they come.

        Raises:
            MovedOnError: If they are not all of the generation that is read.
        """

        def take_all(record: list[Any]) -> list[Any]:
            kind, rows = record
            if kind == "shown":
                return list(rows[0])
            for row in rows:
                take(kind, row)
            return []

        statement = in_space(statements.asked(branches), self._space)
        more = {"kb": self._kb, **parameters}
        told = self._connection.made_of_rows(take_all, statement, more)
        if not told or told[-1] != [self._held.generation, self._space.prefix]:
            raise MovedOnError

    def _beyond(self, frontier: Iterable[str]) -> list[str]:
        """Return the entities one relation away that are new, those by near relations first."""
        reached: dict[str, float] = {}
        for id_ in frontier:
            for relation in self._relations_of(id_):
                other = relation.target if relation.source == id_ else relation.source
                if other not in self._entities:
                    near = self._near.get(relation.id, self._near.get(relation.predicate, 0.0))
                    reached[other] = max(near, reached.get(other, near))
        return list(_best_first(reached))[:_REACHED]

    def _mentioned_in(self, chunks: Iterable[str]) -> list[str]:
        """Return the entities that passages mention, those of the region left out."""
        found = (self._chunk(id_) for id_ in chunks)
        ids = (id_ for held in found if held for id_ in held.entity_ids)
        return [id_ for id_ in dict.fromkeys(ids) if id_ not in self._entities]

    def _take_mentions(self, entities: Iterable[str], most: int) -> None:
        """Take into the region the passages that mention entities, while there is room."""
        for id_ in entities:
            held = self._entity(id_)
            if held is not None:
                self._chunks.update(dict.fromkeys(held.item.chunk_ids[:most]))
            if len(self._chunks) > _PASSAGES:
                self._chunks = dict.fromkeys(islice(self._chunks, _PASSAGES))
                return

    def _region(self, frequencies: Mapping[str, int]) -> Region:
        self._new_relations()
        chunks = ((id_, self._chunk(id_)) for id_ in self._chunks)
        entities = ((id_, self._entity(id_)) for id_ in self._entities)
        return Region(
            {id_: held for id_, held in chunks if held is not None},
            {id_: held for id_, held in entities if held is not None},
            self._relations,
            frequencies,
        )

    def _new_relations(self) -> list[Relation]:
        """Return those relations of the region that were not known, or not inside, before.

        Where there are passages, those that lead out of the region too: passages state them.
        """
        looked_at = [*self._unread, *islice(self._entities, self._looked_at, None)]
        self._looked_at = len(self._entities)
        self._unread = [id_ for id_ in looked_at if self._entity(id_) is None]
        leads_out, inside = self._held.figures.passages > 0, self._entities
        waiting, self._outside = self._outside, {}
        for id_ in looked_at:
            waiting.update((one.id, one) for one in self._relations_of(id_))
        new = []
        for one in waiting.values():
            if leads_out or (one.source in inside and one.target in inside):
                if one.id not in self._relations:
                    self._relations[one.id] = one
                    new.append(one)
            else:
                self._outside[one.id] = one
        return new

    def _relations_of(self, id_: str) -> list[Relation]:
        held = self._entity(id_)
        if held is None:
            return []
        new, known = self._arrived.relations, self._held.relations
        return [new.get(one) or known[one] for one in held.relation_ids]

    def _chunk(self, id_: str) -> HeldChunk | None:
        return self._arrived.chunks.get(id_) or self._held.chunks.get(id_)

    def _entity(self, id_: str) -> HeldEntity | None:
        return self._arrived.entities.get(id_) or self._held.entities.get(id_)


_HELD = {
    "chunks": statements.HELD_CHUNKS,
    "entities": statements.HELD_ENTITIES,
    "relations": statements.RELATION_VECTORS,
    "predicates": statements.PREDICATE_VECTORS,
}


def _note(found: _Found, kind: str, row: list[Any]) -> None:
    """Note a row of the first statement; of several similarities of an item the best counts."""
    id_, *values = row
    if kind == "named":
        found.named[id_] = None
    elif kind == "frequency":
        found.frequencies[id_] = values[0]
    else:
        scores = {
            "chunk": found.chunks,
            "entity": found.entities,
            "relation": found.relations,
            "predicate": found.predicates,
        }[kind]
        scores[id_] = max(values[0], scores.get(id_, values[0]))
        if kind == "relation":
            found.ends[id_] = values[1], values[2]


def _keep(vectors: VectorSlab, id_: str, vector: list[float] | None) -> None:
    if vector is not None:
        vectors.add(id_, vector)


def _best_first(scores: Mapping[str, float]) -> Iterator[str]:
    """Yield ids by falling score, then by id, so that nothing hangs on the order of rows."""
    yield from sorted(scores, key=lambda id_: (-scores[id_], id_))
