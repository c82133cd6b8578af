"""Which thing a name means in which document: equal names are one thing unless they conflict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hoptrail.core.text import name_key
from hoptrail.core.types import Extraction
from hoptrail.indexing.entity_types import type_family
from hoptrail.indexing.functional_facts import (
    Facts,
    contradicting_places,
    contradicting_years,
    functional_fact,
    merge_facts,
)

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
    """

    def __init__(self, mentions: Iterable[Mention]) -> None:
        known = sorted(mentions, key=lambda m: (m[0], m[1] or "", m[2]))
        usages = _collect(known)
        suspects = {key for key, usage in usages.items() if len(usage.facts) > 1}
        self._neighbours = _neighbours(known, suspects)
        self._single: dict[str, Sense] = {}
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
        clusters: list[tuple[list[str], Facts]] = []
        for doc in (doc for doc in docs if doc in usage.facts):
            facts = usage.facts[doc]
            home = next((c for c in clusters if not _conflict(doc, facts, c, near)), None)
            if home is None:
                home = ([], {})
                clusters.append(home)
            home[0].append(doc)
            merge_facts(home[1], facts)
        clusters = clusters or [([], {})]
        clusters.sort(key=lambda cluster: (-len(cluster[0]), _fact_mark(cluster[1])))
        for doc in (doc for doc in docs if doc not in usage.facts):
            best = max(clusters, key=lambda c: (_shared(doc, c[0], near), -clusters.index(c)))
            best[0].append(doc)
        return [
            (Sense(key, mark, _fact_mark(facts) if rank else ""), members, facts)
            for rank, (members, facts) in enumerate(clusters)
        ]


def _collect(mentions: Iterable[Mention]) -> dict[str, _Usage]:
    usages: dict[str, _Usage] = {}

    def usage_of(name: str, doc_id: str, family: str) -> _Usage | None:
        key = name_key(name)
        if not key:
            return None
        usage = usages.get(key)
        if usage is None:
            usage = usages[key] = _Usage()
        counts = usage.by_doc.setdefault(doc_id, {})
        counts[family] = counts.get(family, 0) + 1
        usage.families[family] = usage.families.get(family, 0) + 1
        return usage

    for doc_id, _, _, extraction in mentions:
        for entity in extraction.entities:
            usage_of(entity.name, doc_id, type_family(entity.type))
        for relation in extraction.relations:
            usage = usage_of(relation.subject, doc_id, "")
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


def _conflict(
    doc: str, facts: Facts, cluster: tuple[list[str], Facts], near: Mapping[str, set[str]]
) -> bool:
    members, stated = cluster
    if contradicting_years(facts, stated):
        return True
    return contradicting_places(facts, stated) and _shared(doc, members, near) == 0


def _shared(doc: str, members: Iterable[str], near: Mapping[str, set[str]]) -> int:
    """Return how many neighbours the document has in common with these documents."""
    theirs = set().union(*(near.get(member, set()) for member in members))
    return len(near.get(doc, set()) & theirs)


def _fact_mark(facts: Facts) -> str:
    return ", ".join(f"{kind} {'/'.join(sorted(values))}" for kind, values in sorted(facts.items()))
