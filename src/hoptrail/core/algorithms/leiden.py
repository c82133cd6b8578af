"""Hierarchical Leiden: communities of a weighted graph, divided until they are small.

Traag, Waltman and van Eck, From Louvain to Leiden (2019); the division of large communities is that
of Microsoft GraphRAG (Edge et al., From Local to Global, 2024, section 3.1.4).
"""

from __future__ import annotations

import numpy as np

from hoptrail.core.algorithms.cluster_tree import ClusterTree
from hoptrail.core.algorithms.weighted_graph import WeightedGraph
from hoptrail.core.embedding import IntArray


def hierarchical_leiden(graph: WeightedGraph, *, max_size: int, seed: int) -> ClusterTree:
    """Return the clusters of a graph, each of more than `max_size` nodes divided where possible.

    Modularity is maximised with resolution 1. The same graph and seed give the same clusters.
    """
    if len(graph.source) == 0:
        none: IntArray = np.full(graph.nodes, -1, dtype=np.int32)
        return ClusterTree(none[:0], none)
    import graspologic_native as native

    names = list(map(str, range(graph.nodes)))
    ends = (map(names.__getitem__, side.tolist()) for side in (graph.source, graph.target))
    edges = list(zip(*ends, graph.weight.tolist(), strict=True))
    divide = native.hierarchical_leiden  # pyright: ignore[reportAttributeAccessIssue]
    found = divide(edges, max_cluster_size=max_size, seed=seed)
    del edges
    parents: dict[int, int] = {}
    cluster_of: IntArray = np.full(graph.nodes, -1, dtype=np.int32)
    for entry in found:
        cluster = entry.cluster
        if cluster not in parents:
            parents[cluster] = -1 if entry.parent_cluster is None else entry.parent_cluster
        if entry.is_final_cluster:
            cluster_of[int(entry.node)] = cluster
    # Clusters are numbered from 0 without gaps, a part after what it is part of.
    parent = np.array([parents[cluster] for cluster in range(len(parents))], dtype=np.int32)
    return ClusterTree(parent, cluster_of)
