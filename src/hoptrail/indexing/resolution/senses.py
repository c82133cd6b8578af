"""Which thing a name means in which document: equal names are one thing unless they conflict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import distinct, is_first_of_run
from hoptrail.core.embedding import IntArray
from hoptrail.indexing.resolution.functional_facts import (
    Facts,
    contradicting_places,
    contradicting_years,
    functional_fact,
    merge_facts,
    place_words,
    states_fact,
)
from hoptrail.indexing.resolution.readings import Readings, as_rows

_Mark = tuple[str, str] | int  # kind and value of a fact, or a neighbour


@dataclass(frozen=True, slots=True, eq=False)
class Sense:
    """One thing that a name means; `family` and `facts` are set only where they tell it apart.

    `Senses` makes each sense once, so two of them are equal only if they are the same object.
    """

    key: str
    family: str = ""
    facts: str = ""

    @property
    def label(self) -> str:
        """The sense in words, as merges record it."""
        marks = "; ".join(mark for mark in (self.family, self.facts) if mark)
        return f"{self.key} [{marks}]" if marks else self.key


@dataclass(slots=True)
class _Usage:
    """How a name that may mean several things is used: its types, in all and in each document."""

    families: dict[str, int] = field(default_factory=dict)
    by_doc: dict[int, dict[str, int]] = field(default_factory=dict)


class Senses:
    """The senses of all names in a set of mentions; depends on the set only, not on its order.

    Mentions of one name fall apart where they have types of different families, or where documents
    state different years (or, without any common neighbour, different places) for a fact of which
    a thing has only one. Names are told by the number of their key, documents by theirs.

    Args:
        readings: What the places of the mentions say.
        within: Keys of the names that are asked for, None for all.

    Attributes:
        may_be_several: Which names may mean several things, by key.
    """

    def __init__(self, readings: Readings, within: Collection[str] | None = None) -> None:
        asked = readings.is_asked_for(within)
        stated = _stated(readings, asked)
        uses = _Uses.of(readings, asked)
        is_twice = np.zeros(len(readings.keys), dtype=np.bool_)
        is_twice[[key for key, by_doc in stated.items() if len(by_doc) > 1]] = True
        self._neighbours = _neighbours(readings, is_twice)
        self._single: dict[int, Sense] = {}
        self._by_family: dict[int, dict[tuple[int, str], Sense]] = {}
        # Of most senses nothing is known, and most names have one alone.
        self._facts: dict[Sense, Facts] = {}
        self._families: dict[Sense, str] = {}
        self._several: dict[int, list[Sense]] = {}
        self._numbers = {key: number for number, key in enumerate(readings.keys)}
        family, is_mixed = uses.families(len(readings.keys))
        self.may_be_several = is_twice | is_mixed
        single = distinct(uses.key[~self.may_be_several[uses.key]])
        for key, own in as_rows(single, family[single]):
            facts = _merged(stated[key].values()) if key in stated else {}
            sense = Sense(readings.keys[key])
            self._single[key] = self._known(sense, readings.families[own], facts)
        for key, usage in uses.of_each(self.may_be_several, readings.families):
            self._settle(readings.keys[key], key, usage, stated.get(key, {}))

    def of(self, key: int, document: int, family: str = "") -> Sense:
        """Return what a name means in a document, given the family of its type there."""
        single = self._single.get(key)
        if single is not None:
            return single
        table = self._by_family[key]
        return table.get((document, family)) or table[(document, "")]

    def all_of(self, name: str) -> list[Sense]:
        """Return the senses of a name, given its key; none for an unknown one."""
        key = self._numbers.get(name, 0)
        single = self._single.get(key)
        return self._several.get(key, []) if single is None else [single]

    def labelled(self, label: str) -> Sense | None:
        """Return the sense of a label, None where the mentions have none such."""
        key = label.partition(" [")[0]
        return next((sense for sense in self.all_of(key) if sense.label == label), None)

    def family(self, sense: Sense) -> str:
        """Return the family of the sense's types, "" where none is known."""
        return self._families.get(sense, "")

    def facts(self, sense: Sense) -> Facts:
        """Return the facts stated about the sense."""
        return self._facts.get(sense, {})

    def _settle(self, name: str, key: int, usage: _Usage, stated: Mapping[int, Facts]) -> None:
        near = self._neighbours.get(key, {})
        families = sorted(family for family in usage.families if family)
        common = min(families, key=lambda name: (-usage.families[name], name), default="")
        table: dict[tuple[int, str], Sense] = {}
        for family in families or [""]:
            mark = family if len(families) > 1 else ""
            docs = [doc for doc in usage.by_doc if _means(usage.by_doc[doc], family, common)]
            for sense, members, facts in self._clusters((name, mark), near, sorted(docs), stated):
                self._several.setdefault(key, []).append(self._known(sense, family, facts))
                for doc in members:
                    table[(doc, family)] = sense
                    if _default_family(usage.by_doc[doc], common) == family:
                        table[(doc, "")] = sense
        self._by_family[key] = table

    def _known(self, sense: Sense, family: str, facts: Facts) -> Sense:
        """Note what is known of a sense."""
        if family:
            self._families[sense] = family
        if facts:
            self._facts[sense] = facts
        return sense

    def _clusters(
        self,
        told: tuple[str, str],
        near: Mapping[int, set[int]],
        docs: list[int],
        stated: Mapping[int, Facts],
    ) -> list[tuple[Sense, list[int], Facts]]:
        """Group the documents that speak of one thing; the largest group needs no further mark."""
        grouping = _Grouping()
        for doc in (doc for doc in docs if doc in stated):
            grouping.add(doc, stated[doc], near.get(doc, set()))
        clusters = grouping.clusters or [_Cluster()]
        clusters.sort(key=lambda cluster: (-len(cluster.docs), _fact_mark(cluster.facts)))
        nearest = _NearestCluster(clusters)
        for doc in (doc for doc in docs if doc not in stated):
            nearest.add(doc, near.get(doc, set()))
        return [
            (Sense(*told, _fact_mark(c.facts) if rank else ""), c.docs, c.facts)
            for rank, c in enumerate(clusters)
        ]


@dataclass(slots=True)
class _Cluster:
    """Documents that speak of one thing, and what they say about it and relate it to."""

    docs: list[int] = field(default_factory=list)
    facts: Facts = field(default_factory=dict)
    neighbours: set[int] = field(default_factory=set)

    def add(self, doc: int, facts: Facts, neighbours: set[int]) -> None:
        """Add a document."""
        self.docs.append(doc)
        merge_facts(self.facts, facts)
        self.neighbours |= neighbours

    def conflicts(self, facts: Facts, neighbours: set[int]) -> bool:
        """Return whether a document that states these facts must speak of another thing."""
        if contradicting_years(facts, self.facts):
            return True
        return self.neighbours.isdisjoint(neighbours) and contradicting_places(facts, self.facts)


class _Grouping:
    """Adds documents that state facts, each to the first cluster that it does not conflict with.

    Thousands of documents may state facts about one name, so a document is compared only with the
    clusters that share something with it, or state nothing of the kind.

    Attributes:
        clusters: The clusters, in the order in which they were begun.
    """

    def __init__(self) -> None:
        self.clusters: list[_Cluster] = []
        self._sharing: dict[_Mark, set[int]] = {}  # what is comparable, neighbours
        self._lacking: dict[str, set[int]] = {}  # by kind of fact

    def add(self, doc: int, facts: Facts, neighbours: set[int]) -> None:
        """Add a document."""
        for kind in facts:
            self._lacking.setdefault(kind, set(range(len(self.clusters))))
        home = next(
            (
                place
                for place in sorted(self._candidates(facts, neighbours))
                if not self.clusters[place].conflicts(facts, neighbours)
            ),
            None,
        )
        if home is None:
            home = len(self.clusters)
            self.clusters.append(_Cluster())
            for lacking in self._lacking.values():
                lacking.add(home)
        self.clusters[home].add(doc, facts, neighbours)
        for kind in facts:
            self._lacking[kind].discard(home)
        marks: list[_Mark] = list(neighbours)
        for kind, values in facts.items():
            marks += _marks(kind, values)
        for mark in marks:
            self._sharing.setdefault(mark, set()).add(home)

    def _candidates(self, facts: Facts, neighbours: set[int]) -> set[int]:
        """Return the clusters that do not conflict with these facts of one kind, and maybe more."""
        kind = min(facts, key=lambda kind: (not kind.endswith("year"), kind))
        found = set(self._lacking[kind])
        marks: list[_Mark] = list(_marks(kind, facts[kind]))
        if not kind.endswith("year"):  # these contradict each other whatever the neighbours
            marks += neighbours
        for mark in marks:
            found |= self._sharing.get(mark, set())
        return found


def _marks(kind: str, values: set[str]) -> Iterator[tuple[str, str]]:
    """Yield that of which facts of one kind have something in common where they agree."""
    return ((kind, one) for one in (values if kind.endswith("year") else place_words(values)))


class _NearestCluster:
    """Adds documents to the cluster with which they share most neighbours, ties to the first.

    A name may stand in a large share of all documents, so clusters are looked up by neighbour and
    never compared one by one.
    """

    def __init__(self, clusters: list[_Cluster]) -> None:
        self._clusters = clusters
        self._places: dict[int, set[int]] = {}
        for place, cluster in enumerate(clusters):
            self._note(place, cluster.neighbours)

    def add(self, doc: int, neighbours: set[int]) -> None:
        """Add a document that states no fact."""
        shared: dict[int, int] = {}
        for neighbour in neighbours:
            for place in self._places.get(neighbour, ()):
                shared[place] = shared.get(place, 0) + 1
        best = min(shared, key=lambda place: (-shared[place], place), default=0)
        self._clusters[best].add(doc, {}, neighbours)
        self._note(best, neighbours)

    def _note(self, place: int, neighbours: set[int]) -> None:
        for neighbour in neighbours:
            self._places.setdefault(neighbour, set()).add(place)


@dataclass(frozen=True, slots=True)
class _Uses:
    """Where names are used for things: a key, a document and a family of types, 0 for none."""

    key: IntArray
    document: IntArray
    family: IntArray

    @classmethod
    def of(cls, readings: Readings, asked: NDArray[np.bool_]) -> _Uses:
        """Return the uses of the names that are asked for; what is a value is no thing."""
        mentions, relations = readings.mentions, readings.relations
        columns = []
        for place, key, family, may_be_value in (
            (mentions.place, mentions.key, mentions.family, True),
            (relations.place, relations.source, None, False),
            (relations.place, relations.target, None, True),
        ):
            used = asked[key]
            if may_be_value:
                used &= ~readings.is_value(place, key)
            own = np.zeros(len(key), dtype=np.int32) if family is None else family
            columns.append((key[used], readings.document[place[used]], own[used]))
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def families(self, keys: int) -> tuple[IntArray, NDArray[np.bool_]]:
        """Return a family of each key's types, and which keys have several."""
        family = np.zeros(keys, dtype=np.int32)
        typed = self.family > 0
        width = int(self.family.max(initial=0)) + 1
        codes = self.key[typed].astype(np.int64) * width + self.family[typed]
        owners, own = np.divmod(distinct(codes), width)
        family[owners] = own
        return family, np.bincount(owners, minlength=keys) > 1

    def of_each(
        self, wanted: NDArray[np.bool_], families: Sequence[str]
    ) -> Iterator[tuple[int, _Usage]]:
        """Yield how each wanted name is used."""
        chosen = wanted[self.key]
        key, document, family = self.key[chosen], self.document[chosen], self.family[chosen]
        order = np.lexsort((family, document, key))
        key, document, family = key[order], document[order], family[order]
        is_first = is_first_of_run(key) | is_first_of_run(document) | is_first_of_run(family)
        first = np.flatnonzero(is_first)
        columns = (key[first], document[first], family[first], np.diff(np.append(first, len(key))))
        usage, before = _Usage(), -1
        for number, doc, kind, count in as_rows(*columns):
            if number != before and before >= 0:
                yield before, usage
                usage = _Usage()
            before = number
            name = families[kind]
            usage.by_doc.setdefault(doc, {})[name] = count
            usage.families[name] = usage.families.get(name, 0) + count
        if before >= 0:
            yield before, usage


def _stated(readings: Readings, asked: NDArray[np.bool_]) -> dict[int, dict[int, Facts]]:
    """Return what documents state about names of which a thing has only one, by key."""
    relations = readings.relations
    telling = np.array([states_fact(one) for one in readings.predicates], dtype=np.bool_)
    rows = np.flatnonzero(telling[relations.predicate] & asked[relations.source])
    columns = (
        relations.source[rows],
        readings.document[relations.place[rows]],
        relations.predicate[rows],
        relations.object[rows],
    )
    found: dict[int, dict[int, Facts]] = {}
    for key, doc, predicate, value in as_rows(*columns):
        fact = functional_fact(readings.predicates[predicate], readings.names[value])
        if fact is not None:
            by_doc = found.setdefault(key, {})
            merge_facts(by_doc.setdefault(doc, {}), {fact[0]: set(fact[1])})
    return found


def _merged(stated: Iterable[Facts]) -> Facts:
    facts: Facts = {}
    for one in stated:
        merge_facts(facts, one)
    return facts


def _neighbours(readings: Readings, wanted: NDArray[np.bool_]) -> dict[int, dict[int, set[int]]]:
    """Return for each of these names what every document relates it to."""
    relations = readings.relations
    found: dict[int, dict[int, set[int]]] = {}
    for near, far in (
        (relations.source, relations.target),
        (relations.target, relations.source),
    ):
        rows = np.flatnonzero(wanted[near])
        columns = near[rows], readings.document[relations.place[rows]], far[rows]
        for key, doc, other in as_rows(*columns):
            found.setdefault(key, {}).setdefault(doc, set()).add(other)
    return found


def _default_family(counts: Mapping[str, int], common: str) -> str:
    """Return what an untyped mention is in a document: its own type there, else the common one."""
    typed = sorted(family for family in counts if family)
    return min(typed, key=lambda name: (-counts[name], name), default=common)


def _means(counts: Mapping[str, int], family: str, common: str) -> bool:
    return family in counts or _default_family(counts, common) == family


def _fact_mark(facts: Facts) -> str:
    return ", ".join(f"{kind} {'/'.join(sorted(values))}" for kind, values in sorted(facts.items()))
