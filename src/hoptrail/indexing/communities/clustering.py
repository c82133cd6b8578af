"""Finds the communities of a knowledge base, from nothing or from what changed since.

A clustering from nothing moves many entities for a single new document, and each of their
communities would need another report. So what is there stays: an entity that is new is placed
beside the others, one that is gone keeps its cluster in case it comes back, and a cluster that has
grown too large is divided. The graph is clustered anew once a large part of it has changed.

A community's id, and the key that its report is stored under, are hashes of its content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.cluster_tree import (
    ClusterTree,
    WeightedGraph,
    hierarchical_leiden,
    place_nodes,
    weighted_graph,
)
from hoptrail.core.algorithms.division import Hierarchy, divide
from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.machine import paused_garbage_collection
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.types import Community
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.community_table import ClusteringRecord
from hoptrail.stores.snapshot.graph_index import GraphIndex, rows_of

_DIGEST = 8  # bytes

LEAST = 3  # entities; fewer tell no more than the one relation between them
MAX_SIZE = 10  # entities; the default of Microsoft GraphRAG
_MOST_CHANGE = 0.25  # of all degrees; above it, the clusters are found anew
_STAGE = "cluster"


@dataclass(frozen=True, slots=True)
class Contents:
    """Hashes of the communities of a hierarchy and of all of them together.

    Attributes:
        ids: Hash of level, members and children of each.
        keys: Hash of members, of the relations among them and of the children's keys: whatever a
            report on it is written from.
        whole: Key of the graph as a whole, also of what is in no community.
    """

    ids: list[str]
    keys: list[str]
    whole: str


def contents_of(kb: KnowledgeBase, hierarchy: Hierarchy) -> Contents:
    """Return the hashes of a hierarchy over the published graph.

    Each entity counts in its finest community and each relation in the finest one that holds both
    its ends; what they add to the communities above comes with the children's keys.
    """
    graph = kb.index
    root = len(hierarchy.level)
    owner = np.where(hierarchy.of_node < 0, root, hierarchy.of_node).astype(np.int32)
    isolated = np.diff(graph.entity_relations.indptr) == 0
    owner[isolated & (owner == root)] = -1
    entities = _Items(graph.entity_ids, owner, _digests(kb, "entities", graph.entity_ids), root)
    common = _common(hierarchy, graph.relation_source, graph.relation_target)
    told = _digests(kb, "relations", graph.relation_ids)
    weights = graph.relation_weight.astype("<f4")[:, None].view(np.uint8)
    relations = _Items(graph.relation_ids, common, np.hstack((weights, told)), root)
    children: list[list[int]] = [[] for _ in range(root + 1)]
    for row, parent in enumerate(hierarchy.parent.tolist()):
        children[parent].append(row)  # the root is the last
    ids, keys = [""] * (root + 1), [""] * (root + 1)
    for row in (*np.argsort(-hierarchy.level, kind="stable").tolist(), root):
        level = "" if row == root else str(hierarchy.level[row])
        members = entities.ids(row)
        ids[row] = _hash(level, *members, "", *sorted(ids[child] for child in children[row]))[:16]
        inside = sorted(keys[child] for child in children[row])
        parts = (*members, "", *relations.ids(row), "", *inside)
        keys[row] = _hash(*parts, extra=entities.digests(row) + relations.digests(row))
    return Contents(ids[:-1], keys[:-1], keys[-1])


class _Items:
    """Entities or relations by the community that they count in, -1 for none.

    Args:
        ids: Shape (n,).
        owner: Community of each, shape (n,).
        digests: Bytes that tell a changed item apart, shape (n, bytes).
        last: Highest community.
    """

    def __init__(
        self, ids: IdArray, owner: IntArray, digests: NDArray[np.uint8], last: int
    ) -> None:
        order = np.argsort(owner, kind="stable")
        self._starts = np.searchsorted(owner[order], np.arange(last + 2)).tolist()
        self._ids = ids
        self._order = order
        self._digests = digests[order]

    def ids(self, row: int) -> list[str]:
        """Return the ids of what counts in a community."""
        inside = self._order[self._starts[row] : self._starts[row + 1]]
        found: list[str] = self._ids[inside].tolist()
        return found

    def digests(self, row: int) -> bytes:
        """Return the digests of what counts in a community."""
        return self._digests[self._starts[row] : self._starts[row + 1]].tobytes()


def _common(hierarchy: Hierarchy, source: IntArray, target: IntArray) -> IntArray:
    """Return the finest community that holds both ends of each relation, the root's row if none."""
    root = len(hierarchy.level)
    above = np.append(np.where(hierarchy.parent < 0, root, hierarchy.parent), root)
    level = np.append(hierarchy.level, -1)
    finest = np.where(hierarchy.of_node < 0, root, hierarchy.of_node)
    one, other = finest[source], finest[target]
    while len(apart := np.flatnonzero(one != other)):
        gap = level[one[apart]] - level[other[apart]]
        low, high = apart[gap >= 0], apart[gap <= 0]
        one[low], other[high] = above[one[low]], above[other[high]]
    return one.astype(np.int32)


def _digests(
    kb: KnowledgeBase, table: Literal["entities", "relations"], ids: IdArray
) -> NDArray[np.uint8]:
    """Return a digest of each item's description, shape (n, _DIGEST); zeros without one."""
    digests = np.zeros((len(ids), _DIGEST), dtype=np.uint8)
    described: list[str] = []
    hashes: list[bytes] = []
    for id_, description in kb.descriptions(table):
        described.append(id_)
        text = description.encode(errors="replace")
        hashes.append(hashlib.blake2b(text, digest_size=_DIGEST).digest())
    rows = rows_of(ids, described)
    found = np.frombuffer(b"".join(hashes), dtype=np.uint8).reshape(-1, _DIGEST)
    digests[rows[rows >= 0]] = found[rows >= 0]
    return digests


def _hash(*parts: str, extra: bytes = b"") -> str:
    digest = hashlib.sha256("\0".join(parts).encode(errors="replace"))
    digest.update(b"\0" + extra)
    return digest.hexdigest()[:32]


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


def _clustered_anew(graph: WeightedGraph, seed: int) -> Partition:
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
        return _clustered_anew(graph, record.seed)
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
        partition = _clustered_anew(graph, seed)
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
