"""The clusters that every entity is in, from one clustering to the next.

A clustering from nothing moves many entities for a single new document, and each of their
communities would need another report. So what is there stays: an entity that is new is placed
beside the others, one that is gone keeps its cluster in case it comes back, and a cluster that has
grown too large is divided. The graph is clustered anew once a large part of it has changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.cluster_tree import ClusterTree, hierarchical_leiden, place_nodes
from hoptrail.core.algorithms.weighted_graph import WeightedGraph
from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.records.clustering_table import ClusteringRecord
from hoptrail.stores.snapshot.graph_index import rows_of

LEAST = 3  # entities; fewer tell no more than the one relation between them
MAX_SIZE = 10  # entities; the default of Microsoft GraphRAG
_MOST_CHANGE = 0.25  # of all degrees; above it, the clusters are found anew


@dataclass(frozen=True, slots=True)
class Partition:
    """The clusters of a graph.

    Attributes:
        tree: The clusters; nodes are rows of entities.
        whole_up_to: How many nodes each cluster may have undivided, shape (clusters,).
        degrees: Degree of each node when the whole graph was clustered, shape (nodes,).
        least: Fewest nodes of a community.
        is_new: Whether the whole graph was clustered now.
    """

    tree: ClusterTree
    whole_up_to: IntArray
    degrees: FloatArray
    least: int = LEAST
    is_new: bool = False


def clustered_anew(graph: WeightedGraph, seed: int) -> Partition:
    """Cluster a whole graph."""
    tree = hierarchical_leiden(graph, max_size=MAX_SIZE, seed=seed)
    whole_up_to = np.full(len(tree.parent), MAX_SIZE, dtype=np.int32)
    return Partition(tree, whole_up_to, graph.degrees.astype(np.float32), is_new=True)


def updated(graph: WeightedGraph, ids: IdArray, record: ClusteringRecord) -> Partition:
    """Return the partition of a graph, as close to the recorded one as may be.

    Args:
        graph: The graph as it is now.
        ids: Entity of each node, shape (nodes,), sorted.
        record: The last partition.
    """
    rows = rows_of(ids, record.entity_ids)
    there = rows >= 0
    degrees: FloatArray = np.zeros(graph.nodes, dtype=np.float32)
    degrees[rows[there]] = record.degrees[there]
    gone = record.degrees[~there].sum()
    change = np.abs(graph.degrees - degrees).sum() + gone
    if change > _MOST_CHANGE * record.degrees.sum():
        return clustered_anew(graph, record.seed)
    cluster_of: IntArray = np.full(graph.nodes, -1, dtype=np.int32)
    cluster_of[rows[there]] = record.cluster_of[there]
    # What comes back to a cluster that was divided meanwhile is placed among its parts.
    cluster_of[np.isin(cluster_of, record.parent) | (graph.degrees == 0)] = -1
    known = ClusterTree(record.parent, cluster_of)
    left_out = np.zeros(graph.nodes, dtype=np.bool_)
    left_out[rows[there]] = record.cluster_of[there] < 0
    left_out &= degrees == graph.degrees.astype(np.float32)
    new = np.flatnonzero((cluster_of < 0) & (graph.degrees > 0) & ~left_out)
    tree = place_nodes(graph, known, new.astype(np.int32))
    begun = len(tree.parent) - len(known.parent)
    whole_up_to = np.append(record.whole_up_to, np.full(begun, MAX_SIZE)).astype(np.int32)
    before = np.append(known.sizes(), np.zeros(begun)).astype(np.int32)
    partition = Partition(tree, whole_up_to, degrees, record.least)
    return _divided(graph, partition, before, record.seed)


def recorded(
    partition: Partition, ids: IdArray, content: str, seed: int, last: ClusteringRecord | None
) -> ClusteringRecord:
    """Return the record of a partition.

    Args:
        partition: The partition.
        ids: Entity of each node.
        content: Hash of what was clustered.
        seed: Seed of the clustering.
        last: The record that it was made from, whose other entities are kept.
    """
    is_known = partition.tree.cluster_of >= 0
    if last is None:
        is_known |= partition.degrees > 0  # what is left out stays so
    clustered = np.flatnonzero(is_known)
    entity_ids = ids[clustered].tolist()
    cluster_of, degrees = partition.tree.cluster_of[clustered], partition.degrees[clustered]
    if last is not None and not partition.is_new:
        known = set(entity_ids)
        gone = [place for place, id_ in enumerate(last.entity_ids) if id_ not in known]
        if len(gone) > len(known):
            gone = []  # documents that come and go must not make the record grow for ever
        entity_ids += [last.entity_ids[place] for place in gone]
        cluster_of = np.concatenate((cluster_of, last.cluster_of[gone]))
        degrees = np.concatenate((degrees, last.degrees[gone]))
    return ClusteringRecord(
        content,
        seed,
        entity_ids,
        cluster_of,
        degrees,
        partition.tree.parent,
        partition.whole_up_to,
        partition.least,
    )


def _divided(graph: WeightedGraph, partition: Partition, before: IntArray, seed: int) -> Partition:
    """Divide the clusters that grew too large, with the sizes that they had before.

    Should what is new go again, they are as small as before and whole again.
    """
    tree, whole_up_to = partition.tree, partition.whole_up_to.copy()
    sizes = tree.sizes()
    grown = (sizes > np.maximum(whole_up_to, before)) & ~np.isin(np.arange(len(sizes)), tree.parent)
    for cluster in np.flatnonzero(grown).tolist():
        nodes = np.flatnonzero(tree.cluster_of == cluster).astype(np.int32)
        part = hierarchical_leiden(graph.among(nodes), max_size=MAX_SIZE, seed=seed)
        if np.count_nonzero(part.parent < 0) > 1:
            tree = tree.grafted(part, nodes, cluster)
            whole_up_to[cluster] = max(whole_up_to[cluster], before[cluster])
    begun = len(tree.parent) - len(whole_up_to)
    whole_up_to = np.append(whole_up_to, np.full(begun, MAX_SIZE)).astype(np.int32)
    return Partition(tree, whole_up_to, partition.degrees, partition.least)
