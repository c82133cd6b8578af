"""Finds the communities of a knowledge base, from nothing or from what changed since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.cluster_tree import ClusterTree
from hoptrail.core.algorithms.division import Hierarchy, divide
from hoptrail.core.algorithms.weighted_graph import WeightedGraph, weighted_graph
from hoptrail.core.embedding import IdArray
from hoptrail.core.machine import paused_garbage_collection
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.types import Community
from hoptrail.indexing.communities.content import contents_of
from hoptrail.indexing.communities.partition import clustered_anew, recorded, updated
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import GraphIndex

_STAGE = "cluster"


@dataclass(frozen=True, slots=True)
class Clustering:
    """The outcome of a clustering.

    Attributes:
        levels: Number of communities of each level, the coarsest first.
        kept: Communities with the same content as one that was there before.
        changed: The others.
        is_new: Whether the whole graph was clustered, not only what changed.
    """

    levels: tuple[int, ...]
    kept: int
    changed: int
    is_new: bool


@paused_garbage_collection()
def cluster(
    kb: KnowledgeBase, *, rebuild: bool = False, seed: int = 42, progress: Progress | None = None
) -> Clustering:
    """Make the communities those of the published graph, and store them.

    Where there are some, only what changed is clustered. A graph that is as it was is not looked
    at. The same graph and seed give the same communities when it is clustered as a whole, in
    whatever order it was indexed.

    Args:
        kb: The knowledge base, open for writing.
        rebuild: Cluster the whole graph, whatever is there.
        seed: Seed of the clustering; another than before clusters the whole graph.
        progress: Observer.
    """
    record = None if rebuild else kb.clustering()
    if record is not None and record.seed != seed:
        record = None
    known = kb.community_keys()
    if known and record is not None and not kb.communities_stale:
        return Clustering(_counts(kb), len(known), 0, is_new=False)
    observer = progress or NoProgress()
    observer.start(_STAGE, None)
    index = kb.index
    graph = entity_graph(index)
    if record is None:
        partition = clustered_anew(graph, seed)
    else:
        partition = updated(graph, index.entity_ids, record)
    found = divide(graph, partition.tree, partition.whole_up_to, least=partition.least)
    contents = contents_of(kb, found)
    keys = dict(zip(contents.ids, contents.keys, strict=True))
    kb.replace_communities(
        list(_communities(found, contents.ids, index.entity_ids)),
        keys,
        record=recorded(partition, index.entity_ids, contents.whole, seed, record),
    )
    observer.finish(_STAGE)
    kept = len(set(keys.values()) & set(known.values()))
    return Clustering(_counts(kb), kept, len(keys) - kept, partition.is_new)


def entity_graph(index: GraphIndex) -> WeightedGraph:
    """Return the graph that communities are found in: entities joined by their relations."""
    return weighted_graph(
        len(index.entity_ids), index.relation_source, index.relation_target, index.relation_weight
    )


def _communities(found: Hierarchy, ids: list[str], entity_ids: IdArray) -> Iterator[Community]:
    """Yield the communities; those that are divided come without members."""
    sizes = ClusterTree(found.parent, found.of_node).sizes().tolist()
    order = np.argsort(found.of_node, kind="stable")
    starts = np.searchsorted(found.of_node[order], np.arange(len(ids) + 1)).tolist()
    columns = zip(ids, found.level.tolist(), found.parent.tolist(), sizes, strict=True)
    for row, (id_, level, parent, size) in enumerate(columns):
        members = entity_ids[order[starts[row] : starts[row + 1]]].tolist()
        yield Community(
            id_,
            level,
            parent=None if parent < 0 else ids[parent],
            size=size,
            entity_ids=tuple(members),
        )


def _counts(kb: KnowledgeBase) -> tuple[int, ...]:
    return tuple(level.communities for level in kb.community_levels())
