"""Stage three: the graph that all mentions and bare graphs make.

Changes of the graph by documents that come, go or are replaced, from the mentions of their names
alone.

A name's senses depend on the places that name it, its entity on those of all names that it shares
one with, and a relation on those of its two ends. So these places are resolved twice, with the
documents as they were and as they are, and what differs is what the resolution of all would change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from hoptrail.core.machine import paused_garbage_collection
from hoptrail.core.progress import Progress
from hoptrail.core.types import Entity, Relation
from hoptrail.core.types.graph import Merge
from hoptrail.indexing.given_graphs.bare_graph import VERSION, bulk_graph, unite
from hoptrail.indexing.given_graphs.ms_graphrag.graph import EXTRACTOR as IMPORTED
from hoptrail.indexing.given_graphs.ms_graphrag.graph import join_imported, without_imported
from hoptrail.indexing.resolution.entity_resolution import Resolution, resolve
from hoptrail.indexing.resolution.readings import Mention, NameKeys, value_keys
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.graph_decisions import Decisions, LabelPair
from hoptrail.stores.records.graph_table import GraphChange, GraphIds, TooManyMentionsError

_STAGE = "graph"
_FEW = 1000  # mentions that are resolved twice sooner than those of a large base once

FindNamed = Callable[[Iterable[str]], tuple[set[str], list[Mention]]]
"""Returns all keys that keys of names lead to, and the mentions of all of them in the graph."""

T = TypeVar("T", Entity, Relation, Merge)


@paused_garbage_collection()
def derive_graph(kb: KnowledgeBase, progress: Progress) -> None:
    """Resolve all mentions to the graph and join the bare graphs to it.

    Where documents were added to a graph that was derived before, or replaced, and nothing else has
    changed, only the names that they bring or had are resolved.

    Bare graphs may be large: what they make is written in bulk, and only if anything that the graph
    is derived from changed.
    """
    if kb.triple_digests():
        kb.note_derived("")
        _derive_in_bulk(kb, progress)
        return
    by = _derived_by(kb.decisions())
    if kb.derived_by == by and _derive_changed(kb, by, progress):
        return
    found, has_imported = _resolve(kb, progress)
    progress.start(_STAGE, None)
    kb.replace_graph(found.entities, found.relations, found.merges)
    kb.note_derived("" if has_imported else by)
    progress.finish(_STAGE)


@paused_garbage_collection()
def delete_documents(kb: KnowledgeBase, doc_ids: Collection[str], progress: Progress) -> None:
    """Delete documents, and what the graph has of them where it is small beside the whole.

    Of a base that was published, the next generation is to be published in the same transaction.

    Raises:
        UnknownNameError: If one of them is not there; then nothing is deleted.
    """
    with kb.transaction():
        kb.delete_documents(doc_ids, derived=_derive_without(kb, doc_ids, progress))


def _derive_changed(kb: KnowledgeBase, by: str, progress: Progress) -> bool:
    """Bring new and replaced documents into the graph, and return whether that can be done."""
    changed = kb.mentions_changed()
    if changed is None:
        return False
    gone, added = changed
    if any(mention[2] == IMPORTED for mention in (*gone, *added)):
        return False
    if (gone or added) and not _derive_change(kb, gone, added, progress):
        return False
    kb.note_derived(by)
    return True


def _derive_without(kb: KnowledgeBase, doc_ids: Collection[str], progress: Progress) -> bool:
    """Take out of the graph what documents say, and return whether that can be done."""
    by = _derived_by(kb.decisions())
    if kb.triple_digests() or kb.derived_by != by or not _derive_changed(kb, by, progress):
        return False
    gone = kb.mentions_derived(doc_ids)
    return gone is not None and _derive_change(kb, gone, (), progress)


def _derive_change(
    kb: KnowledgeBase, gone: Sequence[Mention], added: Sequence[Mention], progress: Progress
) -> bool:
    """Take out of the graph what is gone and put in what is added; return if it is not too much."""
    decisions = kb.decisions()
    pairs = [_keys(pair) for pair in decisions.confirmed]
    most = max(_FEW, kb.counts()["extractions"] // 4)
    progress.start("resolve", None)
    try:
        change = resolve_change(
            gone, added, lambda keys: kb.mentions_named(keys, pairs, most), decisions
        )
    except TooManyMentionsError:
        return False
    finally:
        progress.finish("resolve")
    progress.start(_STAGE, None)
    kb.change_graph(change)
    progress.finish(_STAGE)
    return True


def _derived_by(decisions: Decisions) -> str:
    """Return what tells by which rules and decisions a graph was derived."""
    told = (VERSION, decisions.vetoes, decisions.confirmed, sorted(decisions.type_labels.items()))
    return hashlib.sha256(repr(told).encode(errors="replace")).hexdigest()


def _keys(pair: LabelPair) -> LabelPair:
    """Return the keys of the names of two senses."""
    kept, merged = (label.partition(" [")[0] for label in pair)
    return kept, merged


def _derive_in_bulk(kb: KnowledgeBase, progress: Progress) -> None:
    inputs = kb.graph_inputs(VERSION)
    if kb.derived_from == inputs:
        return
    triples, weights = unite(kb.triples())
    bulk, read = bulk_graph(triples, weights, _resolve(kb, progress)[0])
    progress.start(_STAGE, len(triples.nodes) + len(triples.triples))
    kb.replace_graph_in_bulk(
        bulk,
        read.entities,
        read.relations,
        read.merges,
        inputs=inputs,
        advance=lambda rows: progress.advance(_STAGE, rows),
    )
    progress.finish(_STAGE)


def _resolve(kb: KnowledgeBase, progress: Progress) -> tuple[Resolution, bool]:
    """Resolve what was read, and join it with what was imported, if there is any."""
    progress.start("resolve", None)
    imported: list[Mention] = []
    found = resolve(without_imported(kb.mentions(), imported), kb.decisions())
    joined = join_imported(imported, found) if imported else found
    progress.finish("resolve")
    return joined, bool(imported)


def resolve_change(
    gone: Sequence[Mention],
    added: Sequence[Mention],
    find_named: FindNamed,
    decisions: Decisions,
) -> GraphChange:
    """Return what documents change in a graph as they come, go or say otherwise.

    Args:
        gone: All that the graph has of these documents.
        added: All that it is to have of them.
        find_named: Looks names up in the graph.
        decisions: Those that the graph was resolved with.
    """
    own = (*gone, *added)
    keys = _names(own)
    before, after = _both(keys, gone, added, find_named, decisions)
    parted = {
        place[0] for place, id_ in before.meanings.items() if after.meanings.get(place, id_) != id_
    }
    if parted:
        # Relations of what falls apart or together need the entities at their other ends.
        known, mentions = find_named(keys)
        near = _neighbours([*mentions, *own], parted)
        if not near <= known:
            before, after = _both(keys | near, gone, added, find_named, decisions)
    return _change(before, after)


def _change(before: Resolution, after: Resolution) -> GraphChange:
    return GraphChange(
        _differing(before.entities, after.entities),
        _differing(before.relations, after.relations),
        _differing(before.merges, after.merges),
        GraphIds(
            _missing(before.entities, after.entities), _missing(before.relations, after.relations)
        ),
        _missing(before.merges, after.merges),
    )


def _both(
    keys: Iterable[str],
    gone: Sequence[Mention],
    added: Sequence[Mention],
    find_named: FindNamed,
    decisions: Decisions,
) -> tuple[Resolution, Resolution]:
    """Return the resolution of what these names lead to, before and after the documents change."""
    known, mentions = find_named(keys)
    documents = {mention[0] for mention in (*gone, *added)}
    others = [mention for mention in mentions if mention[0] not in documents]
    return (
        resolve([*others, *gone], decisions, within=known),
        resolve([*others, *added], decisions, within=known),
    )


def _names(mentions: Iterable[Mention]) -> set[str]:
    """Return the keys of all names in the mentions but those of values, which join nothing."""
    keys: set[str] = set()
    key_of = NameKeys()
    for _, _, extractor, extraction in mentions:
        values = value_keys(extractor, extraction, key_of)
        for entity in extraction.entities:
            if key_of[entity.name] not in values:
                keys.add(key_of[entity.name])
            keys.update(map(key_of.__getitem__, entity.aliases))
        for relation in extraction.relations:
            keys.add(key_of[relation.subject])
            if key_of[relation.object] not in values:
                keys.add(key_of[relation.object])
    return keys - {""}


def _neighbours(mentions: Iterable[Mention], keys: set[str]) -> set[str]:
    """Return the names, none a value, that relations join with these."""
    found: set[str] = set()
    key_of = NameKeys()
    for _, _, extractor, extraction in mentions:
        values = value_keys(extractor, extraction, key_of)
        for relation in extraction.relations:
            ends = {key_of[relation.subject], key_of[relation.object]}
            if not ends.isdisjoint(keys):
                found |= ends - values
    return found - {""}


def _differing(before: Iterable[T], after: Iterable[T]) -> list[T]:
    known = {one.id: one for one in before}
    return [one for one in after if known.get(one.id) != one]


def _missing(before: Iterable[T], after: Iterable[T]) -> list[str]:
    there = {one.id for one in after}
    return [one.id for one in before if one.id not in there]
