"""Stage three: the graph that all mentions and bare graphs make."""

from __future__ import annotations

from hoptrail.core.garbage_collection import paused_garbage_collection
from hoptrail.core.progress import Progress
from hoptrail.indexing.deriving.bare_graph import VERSION, bulk_graph, unite
from hoptrail.indexing.ms_graphrag.graph import join_imported, split_imported
from hoptrail.indexing.resolution.entity_resolution import Resolution, resolve
from hoptrail.stores.knowledge_base import KnowledgeBase

_STAGE = "graph"


@paused_garbage_collection()
def derive_graph(kb: KnowledgeBase, progress: Progress) -> None:
    """Resolve all mentions to the graph and join the bare graphs to it.

    Bare graphs may be large: what they make is written in bulk, and only if anything that the graph
    is derived from changed.
    """
    if not kb.triple_digests():
        found = _resolve(kb, progress)
        progress.start(_STAGE, None)
        kb.replace_graph(found.entities, found.relations, found.merges)
        progress.finish(_STAGE)
        return
    inputs = kb.graph_inputs(VERSION)
    if kb.derived_from == inputs:
        return
    triples, weights = unite(kb.triples())
    bulk, read = bulk_graph(triples, weights, _resolve(kb, progress))
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


def _resolve(kb: KnowledgeBase, progress: Progress) -> Resolution:
    """Resolve what was read, and join it with what was imported."""
    progress.start("resolve", None)
    read, imported = split_imported(kb.mentions())
    found = resolve(read, kb.decisions())
    joined = join_imported(imported, found) if imported else found
    progress.finish("resolve")
    return joined
