"""Stage three: the graph that all mentions and bare graphs make."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

from hoptrail.core.garbage_collection import paused_garbage_collection
from hoptrail.core.progress import Progress
from hoptrail.indexing.deriving.bare_graph import VERSION, bulk_graph, unite
from hoptrail.indexing.ms_graphrag.graph import EXTRACTOR as IMPORTED
from hoptrail.indexing.ms_graphrag.graph import join_imported, without_imported
from hoptrail.indexing.resolution.entity_resolution import Resolution, resolve
from hoptrail.indexing.resolution.graph_change import resolve_change
from hoptrail.indexing.resolution.readings import Mention
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.consolidation_table import Decisions, LabelPair
from hoptrail.stores.records.graph_table import TooManyMentionsError

_STAGE = "graph"
_FEW = 1000  # mentions that are resolved twice sooner than those of a large base once


@paused_garbage_collection()
def derive_graph(kb: KnowledgeBase, progress: Progress) -> None:
    """Resolve all mentions to the graph and join the bare graphs to it.

    Where documents were added to a graph that was derived before, and nothing else has changed,
    only the names that they bring are resolved.

    Bare graphs may be large: what they make is written in bulk, and only if anything that the graph
    is derived from changed.
    """
    if kb.triple_digests():
        kb.note_derived("")
        _derive_in_bulk(kb, progress)
        return
    by = _derived_by(kb.decisions())
    if kb.derived_by == by and _derive_added(kb, progress):
        kb.note_derived(by)
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


def _derive_added(kb: KnowledgeBase, progress: Progress) -> bool:
    """Add to the graph what was read in new documents, and return whether that can be done."""
    added = kb.mentions_added()
    if added is None or any(mention[2] == IMPORTED for mention in added):
        return False
    return _derive_change(kb, added, progress, gone=False)


def _derive_without(kb: KnowledgeBase, doc_ids: Collection[str], progress: Progress) -> bool:
    """Take out of the graph what documents say, and return whether that can be done."""
    if kb.triple_digests() or kb.derived_by != _derived_by(kb.decisions()):
        return False
    gone = kb.mentions_derived(doc_ids)
    return gone is not None and _derive_change(kb, gone, progress, gone=True)


def _derive_change(
    kb: KnowledgeBase, own: Sequence[Mention], progress: Progress, *, gone: bool
) -> bool:
    """Put what documents say into the graph or take it out; return whether it is not too much."""
    decisions = kb.decisions()
    pairs = [_keys(pair) for pair in decisions.confirmed]
    most = max(_FEW, kb.counts()["extractions"] // 4)
    progress.start("resolve", None)
    try:
        change = resolve_change(
            own, lambda keys: kb.mentions_named(keys, pairs, most), decisions, gone=gone
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
