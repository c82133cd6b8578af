"""Hierarchical Leiden: communities of a weighted graph, divided until they are small.

Traag, Waltman and van Eck, From Louvain to Leiden (2019); the division of large communities is that
of Microsoft GraphRAG (Edge et al., From Local to Global, 2024, section 3.1.4).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

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

    rank = _ranks_beside_neighbours(graph)
    names = list(map(str, range(graph.nodes)))
    order = np.lexsort((rank[graph.target], rank[graph.source]))
    ends = (map(names.__getitem__, side[order].tolist()) for side in (graph.source, graph.target))
    edges = list(zip(*ends, graph.weight[order].tolist(), strict=True))
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


def _ranks_beside_neighbours(graph: WeightedGraph) -> IntArray:
    """Return a rank for each node that is near those of its neighbours, shape (nodes,).

    The library numbers nodes as it meets them and reads the neighbours of one after another: where
    they lie far apart in memory, a large graph waits for it (Cuthill and McKee, Reducing the
    Bandwidth of Sparse Symmetric Matrices, 1969).
    """
    one_way = csr_array(
        (np.ones(len(graph.source), dtype=np.int8), (graph.source, graph.target)),
        shape=(graph.nodes, graph.nodes),
    )
    order = reverse_cuthill_mckee((one_way + one_way.T).tocsr(), symmetric_mode=True)
    rank: IntArray = np.empty(graph.nodes, dtype=np.int32)
    rank[order] = np.arange(graph.nodes, dtype=np.int32)
    return rank
