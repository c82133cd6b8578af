"""Entities and relations, put together from the columns of what all places say.

Of each place that names an entity there is one row, an event: the entity's place in the order of
ids, the name and the chunk (int32). They are sorted and counted as a whole, and one entity or
relation after another is made of them at the end: objects of their own for each while they grow
would take gigabytes in a large base.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import (
    distinct,
    distinct_places,
    is_among,
    is_first_of_run,
)
from hoptrail.core.embedding import IntArray
from hoptrail.core.types import Entity, Relation
from hoptrail.indexing.resolution.name_merges import NameMerges
from hoptrail.indexing.resolution.readings import Codes, Numbers, Readings, as_rows, ranks
from hoptrail.indexing.resolution.senses import Sense, Senses

Place = tuple[str, str, str]
"""Key of a name, document and family of the name's type there."""

Hashes = NDArray[np.uint64]
"""The first 64 bits of hashes."""

_DESCRIPTION_CHARACTERS = 1000


class GraphDrafts:
    """Adds up what mentions say of entities and relations.

    Args:
        readings: What all places say.
        senses: What names mean in documents.
        names: Which senses are one entity.
        type_labels: How types are to be called, by key.
        within: Keys of the names that are asked for, None for all.
    """

    def __init__(
        self,
        readings: Readings,
        senses: Senses,
        names: NameMerges,
        type_labels: Mapping[str, str],
        within: Collection[str] | None,
    ) -> None:
        self._readings = readings
        self._type_labels = type_labels
        self._is_part = within is not None
        self._uses = _Uses(readings, senses, readings.is_asked_for(within))
        roots: dict[Sense, int] = {}
        root_of = [roots.setdefault(names.root(one), len(roots)) for one in self._uses.senses]
        self._roots = list(roots)
        hashes, place = np.unique(_hashes(map(_marks, self._roots)), return_inverse=True)
        self._ids = _hexadecimal(hashes)
        self._place_of_root = place.astype(np.int32)
        entity_of = np.append(self._place_of_root[root_of], np.int32(-1))
        owners = np.split(entity_of[self._uses.sense], self._uses.bounds)
        self._mentioned, self._source, self._target = owners

    def labels(self) -> dict[str, str]:
        """Return the label of each entity's root sense, by id."""
        places = zip(self._roots, self._place_of_root.tolist(), strict=True)
        return {self._ids[place]: root.label for root, place in places}

    def meanings(self) -> dict[Place, str]:
        """Return the entity of each name in a document, where only some names are asked for."""
        if not self._is_part:
            return {}
        entity = np.concatenate((self._mentioned, self._source, self._target))
        return {named: self._ids[entity[row]] for row, named in self._uses.things(self._readings)}

    def entities(self) -> list[Entity]:
        """Return the entities by id."""
        readings, count = self._readings, len(self._ids)
        owner, name, chunk = self._named()
        stripped = Numbers()
        number = np.array([stripped[one.strip()] for one in readings.names], dtype=np.int32)
        names = _Counts(owner, number[name], list(stripped))
        aliases, descriptions = self._details()
        columns = zip(
            self._ids,
            names.commonest(count),
            self._types(count),
            _lists(owner, chunk, readings.chunks, count),
            strict=True,
        )
        return [
            Entity(
                id_,
                name,
                type_,
                _joined(descriptions.get(place, ())),
                self._further_names(name, names.several.get(place, {}), aliases.get(place, ())),
                chunk_ids,
            )
            for place, (id_, name, type_, chunk_ids) in enumerate(columns)
        ]

    def relations(self, names: Sequence[str]) -> list[Relation]:
        """Return the relations by id, given the names of the entities by id."""
        readings, table, ids = self._readings, self._readings.relations, self._ids
        predicates, keys = Numbers(), Numbers()
        worded = [" ".join(one.split()) for one in readings.predicates]
        number = np.array([predicates[one] for one in worded], dtype=np.int32)
        key = np.array([keys[readings.key_of[one]] for one in worded], dtype=np.int32)
        is_told = np.array([bool(one) for one in worded], dtype=np.bool_)
        rows = np.flatnonzero(
            (self._source >= 0)
            & (self._target >= 0)
            & (self._source != self._target)
            & is_told[table.predicate]
        )
        predicate = table.predicate[rows]
        ends, owner = _distinct_rows(self._source[rows], key[predicate], self._target[rows])
        key_texts = list(keys)
        columns = as_rows(*ends.T)
        hashes = _hashes(
            f"{ids[one]}\0{key_texts[named]}\0{ids[other]}" for one, named, other in columns
        )
        order = np.argsort(hashes)
        owner = ranks(order)[owner]
        one, other = (ends[order, side].tolist() for side in (0, 2))
        weights = np.bincount(owner, table.weight[rows], len(ends)).tolist()
        found = map(
            Relation,
            _hexadecimal(hashes[order]),
            map(ids.__getitem__, one),
            _Counts(owner, number[predicate], list(predicates)).commonest(len(ends)),
            map(ids.__getitem__, other),
            self._told(rows, owner, len(ends)),
            (round(weight, 6) for weight in weights),
            _lists(owner, readings.chunk[table.place[rows]], readings.chunks, len(ends)),
            map(names.__getitem__, one),
            map(names.__getitem__, other),
        )
        return list(found)

    def _told(self, rows: NDArray[np.intp], owner: IntArray, count: int) -> list[str]:
        """Return what is told of each relation.

        Args:
            rows: The rows of the table of relations that are of some.
            owner: The relation of each.
            count: How many relations there are.
        """
        table = self._readings.relations
        owner_of = np.full(len(table.place), -1, dtype=np.int32)
        owner_of[rows] = owner
        told: dict[int, dict[str, None]] = {}
        owners = owner_of[list(table.told)].tolist()
        for place, text in zip(owners, table.told.values(), strict=True):
            told.setdefault(place, {}).setdefault(text)
        told.pop(-1, None)
        texts = [""] * count
        for place, own in told.items():
            texts[place] = _joined(own)
        return texts

    def _named(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return entity, name and chunk of each event."""
        mentions, relations = self._readings.mentions, self._readings.relations
        owner = np.concatenate((self._mentioned, self._source, self._target))
        name = np.concatenate((mentions.name, relations.subject, relations.object))
        place = np.concatenate((mentions.place, relations.place, relations.place))
        is_named = owner >= 0
        return owner[is_named], name[is_named], self._readings.chunk[place[is_named]]

    def _types(self, count: int) -> list[str]:
        """Return the type that each entity is called by most often."""
        readings, labels = self._readings, Numbers()
        label = np.array(
            [labels[self._type_labels.get(readings.key_of[one], one)] for one in readings.types],
            dtype=np.int32,
        )
        is_typed = np.array([bool(one) for one in readings.types], dtype=np.bool_)
        type_ = readings.mentions.type
        rows = (self._mentioned >= 0) & is_typed[type_]
        return _Counts(self._mentioned[rows], label[type_[rows]], list(labels)).commonest(count)

    def _details(self) -> tuple[dict[int, set[str]], dict[int, dict[str, None]]]:
        """Return the aliases and the descriptions of each entity that has any."""
        aliases: dict[int, set[str]] = {}
        descriptions: dict[int, dict[str, None]] = {}
        for detail in self._readings.details:
            place = int(self._mentioned[detail.row])
            if place < 0:
                continue
            named = [alias for alias in detail.aliases if self._readings.key_of[alias]]
            if named:
                aliases.setdefault(place, set()).update(named)
            if detail.description:
                descriptions.setdefault(place, {}).setdefault(detail.description)
        return aliases, descriptions

    def _further_names(
        self, name: str, names: Mapping[str, int], aliases: Collection[str]
    ) -> tuple[str, ...]:
        """Return one spelling for each name but the first, the commonest one."""
        if not names and not aliases:
            return ()
        seen = {self._readings.key_of[name]}
        found = []
        by_count = sorted(names, key=lambda other: (-names[other], other))
        for alias in (*by_count, *sorted(aliases)):
            if self._readings.key_of[alias] not in seen:
                seen.add(self._readings.key_of[alias])
                found.append(alias)
        return tuple(found)


class _Uses:
    """The senses of names where entities are mentioned and at both ends of relations, in order.

    Args:
        readings: What all places say.
        senses: What names mean in documents.
        asked: Which keys are asked for.

    Attributes:
        senses: The senses that are met, some of them several times.
        sense: Place in them of each use, -1 where it is not asked for, shape (uses,).
        bounds: Where the sources of relations begin, and where their targets do.
    """

    def __init__(self, readings: Readings, senses: Senses, asked: NDArray[np.bool_]) -> None:
        mentions, relations = readings.mentions, readings.relations
        place = np.concatenate((mentions.place, relations.place, relations.place))
        self._key = np.concatenate((mentions.key, relations.source, relations.target))
        self._document = readings.document[place]
        named = readings.named(place, self._key)
        self._family = np.concatenate((mentions.family, _families(named, mentions.family)))
        has_ends = (relations.source > 0) & (relations.target > 0)
        has_names = np.concatenate((mentions.key > 0, has_ends, has_ends))
        is_value = is_among(readings.values, named)
        self.senses: list[Sense] = []
        self.sense: IntArray = np.full(len(place), -1, dtype=np.int32)
        self.bounds = [len(mentions.key), len(mentions.key) + len(relations.source)]
        self._is_thing = has_names & ~is_value & asked[self._key]
        may_be_several = senses.may_be_several[self._key]
        self._find_single(self._is_thing & ~may_be_several, senses)
        self._find_several(self._is_thing & may_be_several, readings, senses)
        self._find_values(has_names & is_value, readings)

    def _find_single(self, rows: NDArray[np.bool_], senses: Senses) -> None:
        """Note the senses of uses of names that mean the same in all documents."""
        key = self._key[rows]
        is_met = np.bincount(key, minlength=len(senses.may_be_several)) > 0
        self.sense[rows] = (np.cumsum(is_met) - 1)[key]
        self.senses += (senses.of(one, 0) for one in np.flatnonzero(is_met).tolist())

    def _find_several(self, rows: NDArray[np.bool_], readings: Readings, senses: Senses) -> None:
        """Note the senses of the other names, each distinct use of them looked up once."""
        documents, families = len(readings.documents), len(readings.families)
        codes = self._key[rows].astype(np.int64) * documents + self._document[rows]
        found, places = distinct_places(codes * families + self._family[rows])
        named, family = np.divmod(found, families)
        keys, document = np.divmod(named, max(documents, 1))
        self.sense[rows] = len(self.senses) + places
        self.senses += (
            senses.of(one, doc, readings.families[kind])
            for one, doc, kind in as_rows(keys, document, family)
        )

    def _find_values(self, rows: NDArray[np.bool_], readings: Readings) -> None:
        """Give each document's use of a value, such as a date, a sense: it joins no documents."""
        documents = len(readings.documents)
        codes = self._key[rows].astype(np.int64) * documents + self._document[rows]
        found, places = distinct_places(codes)
        keys, document = np.divmod(found, max(documents, 1))
        self.sense[rows] = len(self.senses) + places
        self.senses += (
            Sense(readings.keys[key], "value", f"in {readings.documents[doc]}")
            for key, doc in as_rows(keys, document)
        )

    def things(self, readings: Readings) -> Iterator[tuple[int, Place]]:
        """Yield the uses of things, a row each, and what tells their meanings apart."""
        for row in np.flatnonzero(self._is_thing).tolist():
            yield (
                row,
                (
                    readings.keys[int(self._key[row])],
                    readings.documents[int(self._document[row])],
                    readings.families[int(self._family[row])],
                ),
            )


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
    return _hexadecimal(_hashes([_marks(sense)]))[0]


def _marks(sense: Sense) -> str:
    """Return what tells the entity of a root sense apart."""
    return f"{sense.key}\0{sense.family}\0{sense.facts}"


def _hashes(texts: Iterable[str]) -> Hashes:
    """Return the hash of each text, as a number."""
    digests = (hashlib.sha256(text.encode(errors="replace")).digest()[:8] for text in texts)
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)


def _hexadecimal(hashes: Hashes) -> list[str]:
    """Return hashes in 16 hexadecimal digits each; they sort as the numbers do."""
    text = hashes.astype(">u8").tobytes().hex()
    return [text[at : at + 16] for at in range(0, len(text), 16)]


def _families(named: Codes, family: IntArray) -> IntArray:
    """Return the family that each end of a relation has where its place mentions it, 0 else.

    Args:
        named: Place and key of each mention, and then of each end, in one.
        family: Family of each mention's type; of several mentions, the first counts.
    """
    mentioned, ends = named[: len(family)], named[len(family) :]
    order = np.argsort(mentioned, kind="stable")
    ordered = mentioned[order]
    if not len(ordered):
        return np.zeros(len(ends), dtype=np.int32)
    at = np.minimum(np.searchsorted(ordered, ends), len(ordered) - 1)
    found: IntArray = np.where(ordered[at] == ends, family[order[at]], 0).astype(np.int32)
    return found


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
    pairs = distinct(owner[is_text].astype(np.int64) * width + ranks(order)[number[is_text]])
    counts = np.bincount(pairs // width, minlength=owners)
    listed = (texts[order[place]] for place in array("i", (pairs % width).astype(np.int32)))
    return (tuple(islice(listed, count)) for count in counts.tolist())


def _joined(descriptions: Iterable[str]) -> str:
    """Return the descriptions as one text, as many whole ones as fit (the first is cut to fit)."""
    text = ""
    for description in descriptions:
        longer = f"{text} {description}" if text else description[:_DESCRIPTION_CHARACTERS]
        if len(longer) > _DESCRIPTION_CHARACTERS:
            break
        text = longer
    return text
