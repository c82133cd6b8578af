"""Mentions of many places in columns of numbers: all that the resolution of names looks at.

Names are given numbers as they are read, and what tells them apart is found by sorting and counting
these: int32, one row a mention or relation, in the order of the places, which is that of document,
chunk and extractor. Objects of every place, and dictionaries that each of its names is looked up in
again and again, would be gone through all over the memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import distinct, is_among
from hoptrail.core.embedding import IntArray
from hoptrail.core.text import name_key
from hoptrail.core.types import VALUE_TYPES, Extraction

BY_RULES = "nlp:4"
"""The name under which the present rules store what they read."""
TELLING_VALUES = frozenset({"nlp:2", "nlp:3", BY_RULES})
"""The names of rules that tell values apart from things."""
_NO_KEYS: frozenset[str] = frozenset()
_FAMILIES = {
    "person": """person, people, human, individual, character, actor, actress, author, politician,
        artist, musician, writer, singer, director, athlete, scientist""",
    "place": """place, location, geo, gpe, city, country, state, region, town, village, landmark,
        geographical area, geographic location, building, venue, structure, facility, site, house,
        theatre, theater, opera house, concert hall, hall, stadium, arena, museum, station, airport,
        bridge, tower, park, church, castle, palace, hotel, hospital, library, monument""",
    "organization": """organization, organisation, org, company, corporation, institution, group,
        agency, business, university, school, team, band""",
    "time": "time, date, year, datetime, period, era, day, month",
    "number": "number, quantity, amount, percentage, money, numeric value, cardinal",
    "work": """work, creative work, film, movie, book, novel, song, album, series, play, artwork,
        work of art, television series, tv series, publication""",
    "event": "event, war, battle, tournament, festival, competition",
    "": "entity, other, thing, misc, miscellaneous, unknown, none, object, concept",
}
_FAMILY_OF = {
    " ".join(name.split()): family
    for family, names in _FAMILIES.items()
    for name in names.split(",")
}
Mention = tuple[str, str | None, str, Extraction]
"""Document id, chunk id (None for a whole document), extractor, and what it read."""
Codes = NDArray[np.int64]
"""Several numbers in one."""


class NameKeys(dict[str, str]):
    """Maps each name to its `name_key`.

    A resolution asks for the key of each name several times, and of more names than the cache of
    `name_key` holds.
    """

    def __missing__(self, name: str) -> str:
        """Make the key of a name that is asked for for the first time."""
        key = self[name] = name_key(name)
        return key


def value_keys(extractor: str, extraction: Extraction, keys: NameKeys) -> frozenset[str]:
    """Return the keys of the values among what rules read at a place: dates, numbers, addresses.

    What a model, a user or the first rules took for a thing stays one.
    """
    if extractor not in TELLING_VALUES:
        return _NO_KEYS
    return frozenset(keys[one.name] for one in extraction.entities if one.type in VALUE_TYPES)


@cache
def type_family(name: str) -> str:
    """Return the family of a type's name, so that "City" and "location" agree; "" says nothing."""
    key = name_key(name)
    return _FAMILY_OF.get(key, key)


class Numbers(dict[str, int]):
    """Numbers texts in the order in which they are first asked for."""

    def __missing__(self, text: str) -> int:
        """Give a text that is asked for for the first time the next number."""
        number = self[text] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class MentionTable:
    """The mentions of entities, a row each.

    `name`, `type` and `key` are numbers of texts, `family` that of the type's family, 0 for "".
    """

    place: IntArray
    name: IntArray
    type: IntArray
    key: IntArray
    family: IntArray


@dataclass(frozen=True, slots=True)
class RelationTable:
    """The relations that places state, a row each; `source` and `target` are keys of the names.

    `told` are the descriptions of those that have one, by row.
    """

    place: IntArray
    subject: IntArray
    predicate: IntArray
    object: IntArray
    source: IntArray
    target: IntArray
    weight: NDArray[np.float64]
    told: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Detail:
    """Words that a mention of an entity tells beside name and type."""

    row: int
    aliases: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True)
class Readings:
    """The mentions and relations of many places.

    Attributes:
        documents: Ids of the documents, in order.
        chunks: Ids of the chunks.
        document: The document of each place, shape (places,).
        chunk: Its chunk, -1 for none.
        names: The names.
        types: The types of entities.
        families: The families of types.
        predicates: The predicates.
        keys: The keys of names; the first is "", which stands for no name.
        key_of: Key of any text.
        mentions: The mentions of entities.
        relations: The relations.
        details: Mentions that tell more, by row.
        values: Place and key of each value, in one, sorted.
    """

    documents: Sequence[str]
    chunks: Sequence[str]
    document: IntArray
    chunk: IntArray
    names: Sequence[str]
    types: Sequence[str]
    families: Sequence[str]
    predicates: Sequence[str]
    keys: Sequence[str]
    key_of: NameKeys
    mentions: MentionTable
    relations: RelationTable
    details: Sequence[Detail]
    values: Codes

    def named(self, place: IntArray, key: IntArray) -> Codes:
        """Return a place and a key in one."""
        codes: Codes = place.astype(np.int64) * len(self.keys) + key
        return codes

    def is_value(self, place: IntArray, key: IntArray) -> NDArray[np.bool_]:
        """Return whether rules took a name for a value at a place, such as a date."""
        return is_among(self.values, self.named(place, key))

    def is_asked_for(self, within: Collection[str] | None) -> NDArray[np.bool_]:
        """Return which keys are among these, None for all; "" never is."""
        if within is None:
            asked = np.ones(len(self.keys), dtype=np.bool_)
        else:
            asked = np.array([key in within for key in self.keys], dtype=np.bool_)
        asked[0] = False
        return asked


def read_mentions(mentions: Iterable[Mention]) -> Readings:
    """Return what the places of these mentions say, whatever their order."""
    reader = _Reader()
    for mention in mentions:
        reader.add(mention)
    return reader.readings()


def _column() -> array[int]:
    return array("i")


@dataclass(slots=True)
class _Reader:
    """Takes in one place after the other, and puts them in order at the end."""

    names: Numbers = field(default_factory=Numbers)
    types: Numbers = field(default_factory=Numbers)
    predicates: Numbers = field(default_factory=Numbers)
    places: list[tuple[str, str, str]] = field(default_factory=list)
    mention_place: array[int] = field(default_factory=_column)
    mention_name: array[int] = field(default_factory=_column)
    mention_type: array[int] = field(default_factory=_column)
    relation_place: array[int] = field(default_factory=_column)
    subjects: array[int] = field(default_factory=_column)
    relation_predicate: array[int] = field(default_factory=_column)
    objects: array[int] = field(default_factory=_column)
    weights: array[float] = field(default_factory=lambda: array("d"))
    told: dict[int, str] = field(default_factory=dict)
    details: list[Detail] = field(default_factory=list)

    def add(self, mention: Mention) -> None:
        """Take in what one place says."""
        doc_id, chunk_id, extractor, extraction = mention
        place = len(self.places)
        self.places.append((doc_id, chunk_id or "", extractor))
        for entity in extraction.entities:
            if entity.aliases or entity.description:
                row = len(self.mention_place)
                self.details.append(Detail(row, entity.aliases, entity.description))
            self.mention_place.append(place)
            self.mention_name.append(self.names[entity.name])
            self.mention_type.append(self.types[entity.type])
        for relation in extraction.relations:
            if relation.description:
                self.told[len(self.relation_place)] = relation.description
            self.relation_place.append(place)
            self.subjects.append(self.names[relation.subject])
            self.relation_predicate.append(self.predicates[relation.predicate])
            self.objects.append(self.names[relation.object])
            self.weights.append(relation.weight)

    def readings(self) -> Readings:
        """Return all that was taken in."""
        order = sorted(range(len(self.places)), key=self.places.__getitem__)
        rank = ranks(order)
        documents, chunks = Numbers(), Numbers()
        places = [self.places[one] for one in order]
        document = np.array([documents[place[0]] for place in places], dtype=np.int32)
        chunk = [chunks[place[1]] if place[1] else -1 for place in places]
        key_of, keys = NameKeys(), Numbers({"": 0})
        key = np.array([keys[key_of[name]] for name in self.names], dtype=np.int32)
        families = Numbers({"": 0})
        family = np.array([families[type_family(name)] for name in self.types], dtype=np.int32)
        mentions, row_of = self._mentions(rank, key, family)
        by_rules = np.array([place[2] in TELLING_VALUES for place in places], dtype=np.bool_)
        of_value = np.array([name in VALUE_TYPES for name in self.types], dtype=np.bool_)
        is_value = by_rules[mentions.place] & of_value[mentions.type]
        codes = mentions.place.astype(np.int64) * len(keys) + mentions.key
        return Readings(
            list(documents),
            list(chunks),
            document,
            np.array(chunk, dtype=np.int32),
            list(self.names),
            list(self.types),
            list(families),
            list(self.predicates),
            list(keys),
            key_of,
            mentions,
            self._relations(rank, key),
            sorted(
                (
                    Detail(int(row_of[one.row]), one.aliases, one.description)
                    for one in self.details
                ),
                key=lambda one: one.row,
            ),
            distinct(codes[is_value]),
        )

    def _mentions(
        self, rank: IntArray, key: IntArray, family: IntArray
    ) -> tuple[MentionTable, IntArray]:
        """Return the mentions in the order of their places, and the row of each."""
        place = rank[_numbers(self.mention_place)]
        order = np.argsort(place, kind="stable")
        name, type_ = _numbers(self.mention_name)[order], _numbers(self.mention_type)[order]
        table = MentionTable(place[order], name, type_, key[name], family[type_])
        return table, ranks(order)

    def _relations(self, rank: IntArray, key: IntArray) -> RelationTable:
        """Return the relations in the order of their places."""
        place = rank[_numbers(self.relation_place)]
        order = np.argsort(place, kind="stable")
        row_of = ranks(order)
        told = {int(row_of[row]): description for row, description in self.told.items()}
        subject, object_ = _numbers(self.subjects)[order], _numbers(self.objects)[order]
        return RelationTable(
            place[order],
            subject,
            _numbers(self.relation_predicate)[order],
            object_,
            key[subject],
            key[object_],
            np.array(self.weights, dtype=np.float64)[order],
            dict(sorted(told.items())),
        )


def ranks(order: Sequence[int] | NDArray[np.intp]) -> IntArray:
    """Return the place of each row in an order of all rows."""
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def _numbers(column: array[int]) -> IntArray:
    return np.array(column, dtype=np.int32)


def as_rows(*columns: IntArray) -> Iterator[tuple[int, ...]]:
    """Yield the rows of columns of the same length."""
    lists: list[list[int]] = [column.tolist() for column in columns]
    return zip(*lists, strict=True)
