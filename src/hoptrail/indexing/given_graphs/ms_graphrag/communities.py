"""The communities of an imported index with their reports, ready to be stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hoptrail.core.types import Community, Finding, NodeUsage
from hoptrail.indexing.given_graphs.ms_graphrag.graph import EXTRACTOR, entity_id, relation_id
from hoptrail.indexing.given_graphs.ms_graphrag.records import (
    GivenCommunity,
    GivenIndex,
    GivenReport,
)
from hoptrail.stores.knowledge_base import KnowledgeBase

_REFERENCES = re.compile(r"(?<!\s)\s*+\[Data:([^\[\]]*+)\]")
_GROUP = re.compile(r"(?<!\w)(\w++)\s*+\(([^()]*+)\)")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class GivenHierarchy:
    """Communities by id, and those of them that have a report."""

    communities: dict[str, Community]
    reports: dict[str, Community]


def hierarchy_of(index: GivenIndex, chunk_ids: Mapping[str, str]) -> GivenHierarchy:
    """Return the communities of an index and their reports.

    A report that refers to nothing that the index holds is left out.

    Args:
        index: The index.
        chunk_ids: Ids of the chunks by id of the text unit.
    """
    names = {entity.id: entity.name for entity in index.entities}
    ids = {one.number: _community_id(one, names) for one in index.communities}
    parents = _parents(index.communities)
    communities = {
        ids[one.number]: Community(
            id=ids[one.number],
            level=one.level,
            parent=ids[parents[one.number]] if one.number in parents else None,
            size=len(one.entities),
            entity_ids=tuple(sorted(entity_id(names[e]) for e in one.entities if e in names)),
        )
        for one in index.communities
    }
    references = References(index, chunk_ids)
    reports: dict[str, Community] = {}
    for given in index.reports:
        community = communities.get(ids.get(given.community, ""))
        if community is not None and (report := _report(community, given, references)):
            reports[community.id] = report
    return GivenHierarchy(communities, reports)


def store_hierarchies(kb: KnowledgeBase, hierarchies: Sequence[GivenHierarchy]) -> None:
    """Make the communities of imported indexes the hierarchy, and store their reports.

    Of the communities that are there, a tree stays unless most of its members are imported ones.
    """
    imported = {id_: one for given in hierarchies for id_, one in given.communities.items()}
    if not imported:
        return
    with kb.transaction():
        known = {one.id: one for one in kb.communities()}
        staying = _staying(kb, imported.values()) - imported.keys()
        wanted = {**imported, **{id_: known[id_] for id_ in staying}}
        is_new = _structure(wanted) != _structure(known)
        if is_new:
            _replace(kb, imported, staying)
        keys = kb.community_keys()
        for given in hierarchies:
            for id_, report in given.reports.items():
                if is_new or replace(report, entity_ids=()) != known[id_]:
                    kb.put_report(keys[id_], report, maker=EXTRACTOR, usage=NodeUsage())


def _parents(communities: Iterable[GivenCommunity]) -> dict[int, int]:
    """Return the numbers of the parents; what is not on a coarser level, or missing, is none."""
    levels = {one.number: one.level for one in communities}
    return {
        one.number: one.parent
        for one in communities
        if one.parent in levels and levels[one.parent] < levels[one.number]
    }


def _structure(communities: Mapping[str, Community]) -> dict[str, tuple[int, str | None, int]]:
    return {id_: (one.level, one.parent, one.size) for id_, one in communities.items()}


def _replace(kb: KnowledgeBase, imported: Mapping[str, Community], staying: Iterable[str]) -> None:
    # These keys only hold until the pipeline gives each community that of its content.
    keys = {id_: f"{EXTRACTOR}:{id_}" for id_ in imported}
    known_keys = kb.community_keys()
    kept = kb.store.communities(sorted(staying))
    keys.update((one.id, known_keys[one.id]) for one in kept)
    kb.replace_communities([*imported.values(), *kept], keys)


def _staying(kb: KnowledgeBase, imported: Iterable[Community]) -> set[str]:
    """Return the ids of the communities of the trees that stay beside imported ones."""
    members = {entity for one in imported for entity in one.entity_ids}
    children = kb.hierarchy()
    staying: set[str] = set()
    for root in kb.store.communities(children.get("", ())):
        if 2 * len(members.intersection(root.entity_ids)) <= len(root.entity_ids):
            pending = [root.id]
            while pending:
                staying.add(id_ := pending.pop())
                pending += children.get(id_, ())
    return staying


def _report(community: Community, given: GivenReport, references: References) -> Community | None:
    findings = references.findings(given)
    if not any(finding.relation_ids or finding.chunk_ids for finding in findings):
        return None
    return Community(
        id=community.id,
        level=community.level,
        title=given.title,
        summary=without_references(given.summary),
        rating=min(max(given.rating, 0.0), 10.0),
        rating_reason=without_references(given.rating_reason),
        findings=findings,
        parent=community.parent,
        size=community.size,
        entity_ids=community.entity_ids,
    )


def _community_id(community: GivenCommunity, names: Mapping[str, str]) -> str:
    """Return an id from level and members, so that the same community keeps it."""
    members = sorted(names.get(entity, entity) for entity in community.entities)
    key = "\0".join((str(community.level), *members))
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()[:16]


def without_references(text: str) -> str:
    """Return a text of a report without its `[Data: Entities (1, 2); Relationships (3)]`."""
    return _REFERENCES.sub("", text).strip()


def references(text: str) -> Iterator[tuple[str, int]]:
    """Yield the references of a text as kind (`entities`, `relationships`, ...) and number."""
    for found in _REFERENCES.finditer(text):
        for kind, listed in _GROUP.findall(found[1]):
            yield from ((kind.lower(), int(number)) for number in _NUMBER.findall(listed))


@dataclass(frozen=True, slots=True)
class _Support:
    """The relation (or none) and the passages that a number of an index stands for."""

    relation_id: str | None
    chunk_ids: tuple[str, ...]


class References:
    """Resolves the numbers that reports refer by to relation and chunk ids.

    Args:
        index: The index; its human-readable ids are the numbers.
        chunk_ids: Ids of the chunks by id of the text unit.
    """

    def __init__(self, index: GivenIndex, chunk_ids: Mapping[str, str]) -> None:
        def known(units: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(chunk_ids[unit] for unit in units if unit in chunk_ids)

        self._supports: dict[tuple[str, int], _Support] = {}
        for entity in index.entities:
            self._supports["entities", entity.number] = _Support(None, known(entity.units))
        for unit in index.units:
            self._supports["sources", unit.number] = _Support(None, known((unit.id,)))
        for one in index.relationships:
            if not one.is_usable:
                continue
            id_ = relation_id(one.source, one.target)
            self._supports["relationships", one.number] = _Support(id_, known(one.units))

    def findings(self, report: GivenReport) -> tuple[Finding, ...]:
        """Return the findings with what they rest on; references to nothing are left out."""
        return tuple(self._finding(*finding) for finding in report.findings)

    def _finding(self, summary: str, explanation: str) -> Finding:
        """Return a finding; passages of entities count only where it names no relation or source.

        An entity's passages are all that mention it, those of a relation are what supports it.
        """
        named = [
            (kind, self._supports[kind, number])
            for kind, number in references(f"{summary} {explanation}")
            if (kind, number) in self._supports
        ]
        exact = [support for kind, support in named if kind != "entities" and support.chunk_ids]
        chosen = exact or [support for _, support in named]
        relations = [support.relation_id for _, support in named if support.relation_id]
        return Finding(
            without_references(summary),
            without_references(explanation),
            tuple(dict.fromkeys(relations)),
            tuple(dict.fromkeys(id_ for support in chosen for id_ in support.chunk_ids)),
        )
