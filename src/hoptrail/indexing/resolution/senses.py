"""Which thing a name means in which document: equal names are one thing unless they conflict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from hoptrail.core.types import Extraction
from hoptrail.indexing.resolution.entity_types import type_family
from hoptrail.indexing.resolution.functional_facts import (
    Facts,
    contradicting_places,
    contradicting_years,
    functional_fact,
    merge_facts,
    place_words,
)
from hoptrail.indexing.resolution.name_keys import NameKeys
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
    """How a name that may mean several things is used: its types, in all and in each document."""

    families: dict[str, int] = field(default_factory=dict)
    by_doc: dict[str, dict[str, int]] = field(default_factory=dict)


class Senses:
    """The senses of all names in a set of mentions; depends on the set only, not on its order.

    Mentions of one name fall apart where they have types of different families, or where documents
    state different years (or, without any common neighbour, different places) for a fact of which
    a thing has only one.

    Args:
        mentions: The mentions.
        within: Keys of the names that are asked for, None for all.
        keys: Keys of names that are known by now.
    """

    def __init__(
        self,
        mentions: Iterable[Mention],
        within: Collection[str] | None = None,
        keys: NameKeys | None = None,
    ) -> None:
        known = sorted(mentions, key=lambda m: (m[0], m[1] or "", m[2]))
        keys = keys or NameKeys()
        survey = _Survey(within, keys)
        for mention in known:
            survey.add(mention)
        self._neighbours = _neighbours(known, survey.stated_twice, keys)
        self._single: dict[str, Sense] = {}
        self._values: dict[tuple[str, str], Sense] = {}
        self._by_family: dict[str, dict[tuple[str, str], Sense]] = {}
        # Of most senses nothing is known, and most names have one alone.
        self._facts: dict[Sense, Facts] = {}
        self._families: dict[Sense, str] = {}
        self._several: dict[str, list[Sense]] = {}
        usages = _usages(known, survey.suspects, keys)
        for key, family in survey.families.items():
            stated = survey.facts.get(key, {})
            if key in usages:
                self._settle(key, usages[key], stated)
            else:
                self._single[key] = self._known(Sense(key), family, _merged(stated.values()))

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

    def _settle(self, key: str, usage: _Usage, stated: Mapping[str, Facts]) -> None:
        families = sorted(family for family in usage.families if family)
        common = min(families, key=lambda name: (-usage.families[name], name), default="")
        table: dict[tuple[str, str], Sense] = {}
        for family in families or [""]:
            mark = family if len(families) > 1 else ""
            docs = [doc for doc in usage.by_doc if _means(usage.by_doc[doc], family, common)]
            for sense, members, facts in self._clusters(key, mark, sorted(docs), stated):
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
        self, key: str, mark: str, docs: list[str], stated: Mapping[str, Facts]
    ) -> list[tuple[Sense, list[str], Facts]]:
        """Group the documents that speak of one thing; the largest group needs no further mark."""
        near = self._neighbours.get(key, {})
        grouping = _Grouping()
        for doc in (doc for doc in docs if doc in stated):
            grouping.add(doc, stated[doc], near.get(doc, set()))
        clusters = grouping.clusters or [_Cluster()]
        clusters.sort(key=lambda cluster: (-len(cluster.docs), _fact_mark(cluster.facts)))
        nearest = _NearestCluster(clusters)
        for doc in (doc for doc in docs if doc not in stated):
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


class _Grouping:
    """Adds documents that state facts, each to the first cluster that it does not conflict with.

    Thousands of documents may state facts about one name, so a document is compared only with the
    clusters that share something with it, or state nothing of the kind.

    Attributes:
        clusters: The clusters, in the order in which they were begun.
    """

    def __init__(self) -> None:
        self.clusters: list[_Cluster] = []
        self._sharing: dict[tuple[str, str], set[int]] = {}  # by kind and what is comparable
        self._lacking: dict[str, set[int]] = {}  # by kind of fact

    def add(self, doc: str, facts: Facts, neighbours: set[str]) -> None:
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
        marks = chain.from_iterable(_marks(kind, values) for kind, values in facts.items())
        for mark in chain(marks, _near(neighbours)):
            self._sharing.setdefault(mark, set()).add(home)

    def _candidates(self, facts: Facts, neighbours: set[str]) -> set[int]:
        """Return the clusters that do not conflict with these facts of one kind, and maybe more."""
        kind = min(facts, key=lambda kind: (not kind.endswith("year"), kind))
        found = set(self._lacking[kind])
        # Years contradict each other in any case, places only without a common neighbour.
        near = () if kind.endswith("year") else _near(neighbours)
        for mark in chain(_marks(kind, facts[kind]), near):
            found |= self._sharing.get(mark, set())
        return found


def _marks(kind: str, values: set[str]) -> Iterator[tuple[str, str]]:
    """Yield that of which facts of one kind have something in common where they agree."""
    return ((kind, one) for one in (values if kind.endswith("year") else place_words(values)))


def _near(neighbours: set[str]) -> Iterator[tuple[str, str]]:
    return (("", neighbour) for neighbour in neighbours)


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


class _Survey:
    """Finds the names that may mean several things, so that only their use is looked at closely.

    Attributes:
        families: A family of each name's types, "" where none is known.
        mixed: Names whose types have several families.
        facts: What each document states about a name, where one does.
    """

    def __init__(self, within: Collection[str] | None, keys: NameKeys) -> None:
        self._within = within
        self._keys = keys
        self.families: dict[str, str] = {}
        self.mixed: set[str] = set()
        self.facts: dict[str, dict[str, Facts]] = {}

    @property
    def stated_twice(self) -> set[str]:
        """Names about which several documents state facts."""
        return {key for key, by_doc in self.facts.items() if len(by_doc) > 1}

    @property
    def suspects(self) -> set[str]:
        """Names that may mean several things."""
        return self.mixed | self.stated_twice

    def add(self, mention: Mention) -> None:
        """Look at what one place says."""
        for key, family in _uses(mention, self._keys):
            if self._is_asked_for(key):
                known = self.families.setdefault(key, family)
                if family and known != family:
                    if known:
                        self.mixed.add(key)
                    else:
                        self.families[key] = family
        doc_id, _, _, extraction = mention
        for relation in extraction.relations:
            fact = functional_fact(relation.predicate, relation.object)
            key = self._keys[relation.subject]
            if fact is not None and self._is_asked_for(key):
                by_doc = self.facts.setdefault(key, {})
                merge_facts(by_doc.setdefault(doc_id, {}), {fact[0]: set(fact[1])})

    def _is_asked_for(self, key: str) -> bool:
        return bool(key) and (self._within is None or key in self._within)


def _uses(mention: Mention, keys: NameKeys) -> Iterator[tuple[str, str]]:
    """Yield the key of each name that a place uses for a thing, with the family of its type."""
    _, _, extractor, extraction = mention
    values = value_keys(extractor, extraction, keys)
    for entity in extraction.entities:
        key = keys[entity.name]
        if key not in values:
            yield key, type_family(entity.type)
    for relation in extraction.relations:
        yield keys[relation.subject], ""
        key = keys[relation.object]
        if key not in values:
            yield key, ""


def _usages(
    mentions: Iterable[Mention], wanted: Collection[str], keys: NameKeys
) -> dict[str, _Usage]:
    """Return how some names are used."""
    usages = {key: _Usage() for key in wanted}
    for mention in mentions if usages else ():
        for key, family in _uses(mention, keys):
            usage = usages.get(key)
            if usage is not None:
                counts = usage.by_doc.setdefault(mention[0], {})
                counts[family] = counts.get(family, 0) + 1
                usage.families[family] = usage.families.get(family, 0) + 1
    return usages


def _merged(stated: Iterable[Facts]) -> Facts:
    facts: Facts = {}
    for one in stated:
        merge_facts(facts, one)
    return facts


def _neighbours(
    mentions: Iterable[Mention], wanted: set[str], keys: NameKeys
) -> dict[str, dict[str, set[str]]]:
    """Return for each of these names what every document relates it to."""
    found: dict[str, dict[str, set[str]]] = {key: {} for key in wanted}
    for doc_id, _, _, extraction in mentions if wanted else ():
        for relation in extraction.relations:
            ends = keys[relation.subject], keys[relation.object]
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
