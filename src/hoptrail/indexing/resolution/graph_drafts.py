"""Entities and relations while the mentions of a base are added to them, one after the other.

What the places say is kept as events, in columns of numbers (int32, one row an event, in the order
of the places), and is put together for one entity or relation after another at the end: objects of
their own for each while they grow would take gigabytes in a large base.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import is_first_of_run
from hoptrail.core.embedding import IntArray
from hoptrail.core.types import Entity, ExtractedEntity, ExtractedRelation, Relation
from hoptrail.indexing.resolution.entity_types import type_family
from hoptrail.indexing.resolution.name_keys import NameKeys
from hoptrail.indexing.resolution.name_merges import NameMerges
from hoptrail.indexing.resolution.senses import Mention, Sense, Senses
from hoptrail.indexing.resolution.values import value_keys

Place = tuple[str, str, str]
"""Key of a name, document and family of the name's type there."""

_DESCRIPTION_CHARACTERS = 1000


class GraphDrafts:
    """Adds up what mentions say of entities and relations.

    Args:
        senses: What names mean in documents.
        names: Which senses are one entity.
        type_labels: How types are to be called, by key.
        within: Keys of the names that are asked for, None for all.
        keys: Keys of names that are known by now.

    Attributes:
        meanings: Entity that a name is, where only some names are asked for.
    """

    def __init__(
        self,
        senses: Senses,
        names: NameMerges,
        type_labels: Mapping[str, str],
        within: Collection[str] | None,
        keys: NameKeys,
    ) -> None:
        self._senses = senses
        self._merges = names
        self._type_labels = type_labels
        self._within = within
        self._keys = keys
        self.meanings: dict[Place, str] = {}
        self._rows: dict[Sense, int] = {}
        self._ids = _Numbers()
        self._names, self._types, self._chunks = _Numbers(), _Numbers(), _Numbers()
        self._predicates, self._predicate_keys = _Numbers(), _Numbers()
        # Entity, name and chunk of each place that names an entity; entity and type.
        self._named = array("i"), array("i"), array("i")
        self._typed = array("i"), array("i")
        self._descriptions: dict[int, dict[str, None]] = {}
        self._aliases: dict[int, set[str]] = {}
        # Source, key of the predicate, target, predicate and chunk of each stated relation.
        self._related = array("i"), array("i"), array("i"), array("i"), array("i")
        self._weights = array("d")
        self._told: list[str] = []

    def add(self, mention: Mention) -> None:
        """Add what one place says."""
        doc_id, chunk_id, extractor, extraction = mention
        values = value_keys(extractor, extraction, self._keys)
        chunk = -1 if chunk_id is None else self._chunks[chunk_id]
        families: dict[str, str] = {}
        for entity in extraction.entities:
            key = self._keys[entity.name]
            if not key:
                continue
            family = type_family(entity.type)
            families.setdefault(key, family)
            row = self._entity(key, doc_id, family, values)
            if row is not None:
                self._name(row, entity.name, chunk)
                self._describe(row, entity)
        for relation in extraction.relations:
            source, target = self._keys[relation.subject], self._keys[relation.object]
            if source and target:
                ends = (
                    self._entity(source, doc_id, families.get(source, ""), values),
                    self._entity(target, doc_id, families.get(target, ""), values),
                )
                self._relate(relation, ends, chunk)

    def graph(self) -> tuple[list[Entity], list[Relation]]:
        """Return the entities and the relations, each by id."""
        ids = list(self._ids)
        order = sorted(range(len(ids)), key=ids.__getitem__)
        rank = _ranks(order)
        entities = self._drawn_entities([ids[row] for row in order], order, rank)
        relations = self._drawn_relations(ids, [entities[place].name for place in rank.tolist()])
        return entities, relations

    def labels(self) -> dict[str, str]:
        """Return the label of each entity's root sense, by id."""
        ids = list(self._ids)
        return {ids[row]: self._merges.root(sense).label for sense, row in self._rows.items()}

    def _entity(self, key: str, doc_id: str, family: str, values: frozenset[str]) -> int | None:
        """Return the row of the entity that a name is in a document, None if not asked for."""
        if key in values:
            return self._row(self._senses.of_value(key, doc_id))
        if self._within is None:
            return self._row(self._senses.of(key, doc_id, family))
        if key not in self._within:
            return None
        sense = self._senses.of(key, doc_id, family)
        self.meanings[key, doc_id, family] = entity_id(self._merges.root(sense))
        return self._row(sense)

    def _row(self, sense: Sense) -> int:
        row = self._rows.get(sense)
        if row is None:
            row = self._rows[sense] = self._ids[entity_id(self._merges.root(sense))]
        return row

    def _name(self, row: int, name: str, chunk: int) -> None:
        """Note that a place names an entity."""
        entities, names, chunks = self._named
        entities.append(row)
        names.append(self._names[name.strip()])
        chunks.append(chunk)

    def _describe(self, row: int, entity: ExtractedEntity) -> None:
        """Note what a place says of an entity beside its name."""
        if entity.type:
            entities, types = self._typed
            entities.append(row)
            label = self._type_labels.get(self._keys[entity.type], entity.type)
            types.append(self._types[label])
        if entity.aliases:
            aliases = [alias for alias in entity.aliases if self._keys[alias]]
            self._aliases.setdefault(row, set()).update(aliases)
        if entity.description:
            self._descriptions.setdefault(row, {}).setdefault(entity.description)

    def _relate(
        self, relation: ExtractedRelation, ends: tuple[int | None, int | None], chunk: int
    ) -> None:
        """Note that a place states a relation, and names its ends."""
        source, target = ends
        if source is not None:
            self._name(source, relation.subject, chunk)
        if target is not None:
            self._name(target, relation.object, chunk)
        predicate = " ".join(relation.predicate.split())
        if source is None or target is None or source == target or not predicate:
            return
        sources, keys, targets, predicates, chunks = self._related
        sources.append(source)
        keys.append(self._predicate_keys[self._keys[predicate]])
        targets.append(target)
        predicates.append(self._predicates[predicate])
        chunks.append(chunk)
        self._weights.append(relation.weight)
        self._told.append(relation.description)

    def _drawn_entities(
        self, ids: Sequence[str], order: Sequence[int], rank: IntArray
    ) -> list[Entity]:
        """Return the entities of these sorted ids.

        Args:
            ids: The ids.
            order: Row of each.
            rank: Place of each row.
        """
        entity, name, chunk = map(_numbers, self._named)
        owner = rank[entity]
        names = _Counts(owner, name, list(self._names))
        typed, type_ = map(_numbers, self._typed)
        types = _Counts(rank[typed], type_, list(self._types))
        columns = zip(
            ids,
            order,
            names.commonest(len(ids)),
            types.commonest(len(ids)),
            _lists(owner, chunk, list(self._chunks), len(ids)),
            strict=True,
        )
        return [
            Entity(
                id_,
                name,
                type_,
                _joined(self._descriptions.get(row, ())),
                self._further_names(name, names.several.get(place, {}), self._aliases.get(row, ())),
                chunk_ids,
            )
            for place, (id_, row, name, type_, chunk_ids) in enumerate(columns)
        ]

    def _drawn_relations(self, entity_ids: Sequence[str], names: Sequence[str]) -> list[Relation]:
        """Return the relations by id, given ids and names of the entities by row."""
        source, key, target, predicate, chunk = map(_numbers, self._related)
        place, number = _distinct_rows(source, key, target)
        keys = list(self._predicate_keys)
        places: list[tuple[int, int, int]] = place.tolist()
        ends = [
            (one, other, _hash(entity_ids[one], keys[named], entity_ids[other]))
            for one, named, other in places
        ]
        order = sorted(range(len(ends)), key=lambda row: ends[row][2])
        owner = _ranks(order)[number]
        columns = zip(
            order,
            _Counts(owner, predicate, list(self._predicates)).commonest(len(ends)),
            _descriptions(owner, self._told, len(ends)),
            np.bincount(owner, _floats(self._weights), len(ends)).tolist(),
            _lists(owner, chunk, list(self._chunks), len(ends)),
            strict=True,
        )
        found = []
        for row, predicate_, description, weight, chunk_ids in columns:
            one, other, id_ = ends[row]
            found.append(
                Relation(
                    id_,
                    entity_ids[one],
                    predicate_,
                    entity_ids[other],
                    description,
                    round(weight, 6),
                    chunk_ids,
                    names[one],
                    names[other],
                )
            )
        return found

    def _further_names(
        self, name: str, names: Mapping[str, int], aliases: Collection[str]
    ) -> tuple[str, ...]:
        """Return one spelling for each name but the first, the commonest one."""
        if not names and not aliases:
            return ()
        seen = {self._keys[name]}
        found = []
        by_count = sorted(names, key=lambda other: (-names[other], other))
        for alias in (*by_count, *sorted(aliases)):
            if self._keys[alias] not in seen:
                seen.add(self._keys[alias])
                found.append(alias)
        return tuple(found)


class _Numbers(dict[str, int]):
    """Numbers texts in the order in which they are first asked for."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class _Counts:
    """How often each owner has each text.

    Args:
        owner: Owner of each event, shape (events,).
        number: Place of its text, shape (events,).
        texts: The texts.

    Attributes:
        several: The counts of each owner that has more than one text.
    """

    def __init__(self, owner: IntArray, number: IntArray, texts: Sequence[str]) -> None:
        width = max(len(texts), 1)
        pairs, counts = np.unique(owner.astype(np.int64) * width + number, return_counts=True)
        owners, numbers = np.divmod(pairs, width)
        bounds = np.append(np.flatnonzero(is_first_of_run(owners)), len(owners))
        first, last = bounds[:-1], bounds[1:]
        alone = first[last - first == 1]
        self._alone = zip(owners[alone].tolist(), numbers[alone].tolist(), strict=True)
        self._texts = texts
        self.several: dict[int, dict[str, int]] = {}
        for begin, end in np.stack((first, last))[:, last - first > 1].T.tolist():
            here: list[int] = numbers[begin:end].tolist()
            named = (texts[one] for one in here)
            self.several[int(owners[begin])] = dict(
                zip(named, counts[begin:end].tolist(), strict=True)
            )

    def commonest(self, owners: int) -> list[str]:
        """Return the text that each owner has most often, the first of equals, "" without one."""
        found = [""] * owners
        for owner, number in self._alone:
            found[owner] = self._texts[number]
        for owner, counts in self.several.items():
            found[owner] = min(counts, key=lambda text: (-counts[text], text))
        return found


def entity_id(sense: Sense) -> str:
    """Return the id of the entity that a root sense stands for."""
    return _hash(sense.key, sense.family, sense.facts)


def _hash(*parts: str) -> str:
    joined = "\0".join(parts)
    return hashlib.sha256(joined.encode(errors="replace")).hexdigest()[:16]


def _numbers(column: array[int]) -> IntArray:
    return np.array(column, dtype=np.int32)


def _floats(column: array[float]) -> NDArray[np.float64]:
    return np.array(column, dtype=np.float64)


def _ranks(order: Sequence[int]) -> IntArray:
    """Return the place of each row in an order of all rows."""
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def _distinct_rows(*columns: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct rows, shape (n, columns), in order, and which of them each row is."""
    order = np.lexsort(columns[::-1])
    ordered = np.stack(columns, axis=1)[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.cumsum(is_first) - 1
    return ordered[is_first], number


def _lists(
    owner: IntArray, number: IntArray, texts: Sequence[str], owners: int
) -> Iterator[tuple[str, ...]]:
    """Yield the distinct texts of each owner, in order; the number -1 stands for none."""
    order = sorted(range(len(texts)), key=texts.__getitem__)
    is_text = number >= 0
    width = max(len(texts), 1)
    pairs = np.unique(owner[is_text].astype(np.int64) * width + _ranks(order)[number[is_text]])
    counts = np.bincount(pairs // width, minlength=owners)
    listed = (texts[order[place]] for place in array("i", (pairs % width).astype(np.int32)))
    return (tuple(islice(listed, count)) for count in counts.tolist())


def _descriptions(owner: IntArray, told: Sequence[str], owners: int) -> Iterator[str]:
    """Yield what is told of each owner, given what each of its events tells."""
    rows = array("i", np.argsort(owner, kind="stable").astype(np.int32))
    texts = (told[row] for row in rows)
    for count in np.bincount(owner, minlength=owners).tolist():
        yield _joined(dict.fromkeys(text for text in islice(texts, count) if text))


def _joined(descriptions: Iterable[str]) -> str:
    """Return the descriptions as one text, as many whole ones as fit (the first is cut to fit)."""
    text = ""
    for description in descriptions:
        longer = f"{text} {description}" if text else description[:_DESCRIPTION_CHARACTERS]
        if len(longer) > _DESCRIPTION_CHARACTERS:
            break
        text = longer
    return text
