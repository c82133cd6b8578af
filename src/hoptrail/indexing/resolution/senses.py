"""Which thing a name means in which document: equal names are one thing unless they conflict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from hoptrail.core.text import name_key
from hoptrail.core.types import Extraction
from hoptrail.indexing.resolution.entity_types import type_family
from hoptrail.indexing.resolution.functional_facts import (
    Facts,
    contradicting_places,
    contradicting_years,
    functional_fact,
    merge_facts,
)
from hoptrail.indexing.resolution.values import value_keys

Mention = tuple[str, str | None, str, Extraction]
"""Document id, chunk id (None for a whole document), extractor, and what it read."""


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
    """How one name is used: its types, and what each document says about it."""

    families: dict[str, int] = field(default_factory=dict)
    by_doc: dict[str, dict[str, int]] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)


class Senses:
    """The senses of all names in a set of mentions; depends on the set only, not on its order.

    Mentions of one name fall apart where they have types of different families, or where documents
    state different years (or, without any common neighbour, different places) for a fact of which
    a thing has only one.

    Args:
        mentions: The mentions.
        within: Keys of the names that are asked for, None for all.
    """

    def __init__(self, mentions: Iterable[Mention], within: Collection[str] | None = None) -> None:
        known = sorted(mentions, key=lambda m: (m[0], m[1] or "", m[2]))
        usages = _collect(known, within)
        suspects = {key for key, usage in usages.items() if len(usage.facts) > 1}
        self._neighbours = _neighbours(known, suspects)
        self._single: dict[str, Sense] = {}
        self._values: dict[tuple[str, str], Sense] = {}
        self._by_family: dict[str, dict[tuple[str, str], Sense]] = {}
        self._facts: dict[Sense, Facts] = {}
        self._families: dict[Sense, str] = {}
        self._of_key: dict[str, list[Sense]] = {}
        for key, usage in usages.items():
            self._settle(key, usage)

    def of(self, key: str, doc_id: str, family: str = "") -> Sense:
        """Return what a name means in a document, given the family of its type there."""
        single = self._single.get(key)
        if single is not None:
            return single
        table = self._by_family[key]
        return table.get((doc_id, family)) or table[(doc_id, "")]

    def of_value(self, key: str, doc_id: str) -> Sense:
        """Return a document's own sense of a value, such as a date: it joins no documents."""
        place = (doc_id, key)
        sense = self._values.get(place)
        if sense is None:
            sense = self._values[place] = Sense(key, "value", f"in {doc_id}")
        return sense

    def all_of(self, key: str) -> list[Sense]:
        """Return the senses of a name, none for an unknown one."""
        return self._of_key.get(key, [])

    def labelled(self, label: str) -> Sense | None:
        """Return the sense of a label, None where the mentions have none such."""
        key = label.partition(" [")[0]
        return next((sense for sense in self.all_of(key) if sense.label == label), None)

    def family(self, sense: Sense) -> str:
        """Return the family of the sense's types, "" where none is known."""
        return self._families[sense]

    def facts(self, sense: Sense) -> Facts:
        """Return the facts stated about the sense."""
        return self._facts[sense]

    def _settle(self, key: str, usage: _Usage) -> None:
        families = sorted(family for family in usage.families if family)
        if len(families) < 2 and len(usage.facts) < 2:
            facts: Facts = {}
            for stated in usage.facts.values():
                merge_facts(facts, stated)
            self._single[key] = self._add(Sense(key), families[0] if families else "", facts)
            return
        common = min(families, key=lambda name: (-usage.families[name], name), default="")
        table: dict[tuple[str, str], Sense] = {}
        for family in families or [""]:
            mark = family if len(families) > 1 else ""
            docs = [doc for doc in usage.by_doc if _means(usage.by_doc[doc], family, common)]
            for sense, members, facts in self._clusters(key, mark, sorted(docs), usage):
                self._add(sense, family, facts)
                for doc in members:
                    table[(doc, family)] = sense
                    if _default_family(usage.by_doc[doc], common) == family:
                        table[(doc, "")] = sense
        self._by_family[key] = table

    def _add(self, sense: Sense, family: str, facts: Facts) -> Sense:
        self._of_key.setdefault(sense.key, []).append(sense)
        self._families[sense] = family
        self._facts[sense] = facts
        return sense

    def _clusters(
        self, key: str, mark: str, docs: list[str], usage: _Usage
    ) -> list[tuple[Sense, list[str], Facts]]:
        """Group the documents that speak of one thing; the largest group needs no further mark."""
        near = self._neighbours.get(key, {})
        clusters: list[_Cluster] = []
        for doc in (doc for doc in docs if doc in usage.facts):
            facts, neighbours = usage.facts[doc], near.get(doc, set())
            home = next((c for c in clusters if not c.conflicts(facts, neighbours)), None)
            if home is None:
                home = _Cluster()
                clusters.append(home)
            home.add(doc, facts, neighbours)
        clusters = clusters or [_Cluster()]
        clusters.sort(key=lambda cluster: (-len(cluster.docs), _fact_mark(cluster.facts)))
        nearest = _NearestCluster(clusters)
        for doc in (doc for doc in docs if doc not in usage.facts):
            nearest.add(doc, near.get(doc, set()))
        return [
            (Sense(key, mark, _fact_mark(c.facts) if rank else ""), c.docs, c.facts)
            for rank, c in enumerate(clusters)
        ]


@dataclass(slots=True)
class _Cluster:
    """Documents that speak of one thing, and what they say about it and relate it to."""

    docs: list[str] = field(default_factory=list)
    facts: Facts = field(default_factory=dict)
    neighbours: set[str] = field(default_factory=set)

    def add(self, doc: str, facts: Facts, neighbours: set[str]) -> None:
        """Add a document."""
        self.docs.append(doc)
        merge_facts(self.facts, facts)
        self.neighbours |= neighbours

    def conflicts(self, facts: Facts, neighbours: set[str]) -> bool:
        """Return whether a document that states these facts must speak of another thing."""
        if contradicting_years(facts, self.facts):
            return True
        return self.neighbours.isdisjoint(neighbours) and contradicting_places(facts, self.facts)


class _NearestCluster:
    """Adds documents to the cluster with which they share most neighbours, ties to the first.

    A name may stand in a large share of all documents, so clusters are looked up by neighbour and
    never compared one by one.
    """

    def __init__(self, clusters: list[_Cluster]) -> None:
        self._clusters = clusters
        self._places: dict[str, set[int]] = {}
        for place, cluster in enumerate(clusters):
            self._note(place, cluster.neighbours)

    def add(self, doc: str, neighbours: set[str]) -> None:
        """Add a document that states no fact."""
        shared: dict[int, int] = {}
        for neighbour in neighbours:
            for place in self._places.get(neighbour, ()):
                shared[place] = shared.get(place, 0) + 1
        best = min(shared, key=lambda place: (-shared[place], place), default=0)
        self._clusters[best].add(doc, {}, neighbours)
        self._note(best, neighbours)

    def _note(self, place: int, neighbours: set[str]) -> None:
        for neighbour in neighbours:
            self._places.setdefault(neighbour, set()).add(place)


def _collect(mentions: Iterable[Mention], within: Collection[str] | None) -> dict[str, _Usage]:
    usages: dict[str, _Usage] = {}

    def usage_of(name: str, doc_id: str, family: str) -> _Usage | None:
        key = name_key(name)
        if not key or (within is not None and key not in within):
            return None
        usage = usages.get(key)
        if usage is None:
            usage = usages[key] = _Usage()
        counts = usage.by_doc.setdefault(doc_id, {})
        counts[family] = counts.get(family, 0) + 1
        usage.families[family] = usage.families.get(family, 0) + 1
        return usage

    for mention in mentions:
        doc_id, _, extractor, extraction = mention
        values = value_keys(extractor, extraction)
        for entity in extraction.entities:
            if name_key(entity.name) not in values:
                usage_of(entity.name, doc_id, type_family(entity.type))
        for relation in extraction.relations:
            usage = usage_of(relation.subject, doc_id, "")
            if name_key(relation.object) not in values:
                usage_of(relation.object, doc_id, "")
            fact = functional_fact(relation.predicate, relation.object)
            if usage is not None and fact is not None:
                merge_facts(usage.facts.setdefault(doc_id, {}), {fact[0]: set(fact[1])})
    return usages


def _neighbours(mentions: Iterable[Mention], keys: set[str]) -> dict[str, dict[str, set[str]]]:
    """Return for each of these names what every document relates it to."""
    found: dict[str, dict[str, set[str]]] = {key: {} for key in keys}
    for doc_id, _, _, extraction in mentions if keys else ():
        for relation in extraction.relations:
            ends = name_key(relation.subject), name_key(relation.object)
            for key, other in (ends, ends[::-1]):
                if key in found:
                    found[key].setdefault(doc_id, set()).add(other)
    return found


def _default_family(counts: Mapping[str, int], common: str) -> str:
    """Return what an untyped mention is in a document: its own type there, else the common one."""
    typed = sorted(family for family in counts if family)
    return min(typed, key=lambda name: (-counts[name], name), default=common)


def _means(counts: Mapping[str, int], family: str, common: str) -> bool:
    return family in counts or _default_family(counts, common) == family


def _fact_mark(facts: Facts) -> str:
    return ", ".join(f"{kind} {'/'.join(sorted(values))}" for kind, values in sorted(facts.items()))
