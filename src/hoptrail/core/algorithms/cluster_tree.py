"""Clusters within clusters, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import IntArray


@dataclass(frozen=True, slots=True)
class ClusterTree:
    """A hierarchy of clusters of nodes.

    Attributes:
        parent: Cluster that each cluster is part of, shape (clusters,), -1 on the coarsest level.
        cluster_of: Finest cluster of each node, shape (nodes,), -1 for a node in none.
    """

    parent: IntArray
    cluster_of: IntArray

    def sizes(self) -> IntArray:
        """Return the number of nodes in each cluster and those below it, shape (clusters,)."""
        clustered = self.cluster_of[self.cluster_of >= 0]
        sizes = np.bincount(clustered, minlength=len(self.parent)).astype(np.int32)
        above = np.arange(len(sizes), dtype=np.int32)
        own = sizes.copy()
        while len(risen := np.flatnonzero(above >= 0)):
            above[risen] = self.parent[above[risen]]
            arrived = risen[above[risen] >= 0]
            np.add.at(sizes, above[arrived], own[arrived])
        return sizes

    def step_below(self, top: IntArray) -> IntArray:
        """Return for each cluster the one just below `top` on the way down to it.

        Args:
            top: Cluster at or above each cluster, shape (clusters,), -1 for the root of all.

        Returns:
            Shape (clusters,); a cluster that is its own `top` stays.
        """
        step = np.arange(len(self.parent), dtype=np.int32)
        while True:
            higher = np.flatnonzero((step != top) & (self.parent[step] != top))
            if not len(higher):
                return step
            step[higher] = self.parent[step[higher]]

    def grafted(self, part: ClusterTree, nodes: IntArray, under: int) -> ClusterTree:
        """Return this tree with one of these nodes alone added below a cluster.

        Args:
            part: Its nodes are places in `nodes`; those that it has in no cluster get one together.
            nodes: Shape (n,).
            under: The cluster.
        """
        first, rest = len(self.parent), len(part.parent)
        parents = np.append(part.parent, -1) if (part.cluster_of < 0).any() else part.parent
        below = np.where(parents < 0, under, parents + first).astype(np.int32)
        cluster_of = self.cluster_of.copy()
        cluster_of[nodes] = np.where(part.cluster_of < 0, rest, part.cluster_of) + first
        return ClusterTree(np.concatenate((self.parent, below)), cluster_of)
