"""Tells which communities are not those of the present graph any more."""

from __future__ import annotations

import numpy as np

from hoptrail.core.algorithms.cluster_tree import ClusterTree
from hoptrail.core.algorithms.division import Hierarchy
from hoptrail.core.embedding import IntArray
from hoptrail.indexing.communities.clustering import (
    MAX_SIZE,
    Contents,
    Partition,
    contents_of,
    entity_graph,
    recorded,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.community_table import ClusteringRecord

_SEED = 42
_COMPARED = 50_000  # relations of a graph whose communities are not all compared any more
_KEPT_LEAST = 1  # what was made elsewhere keeps its small communities


def touched_communities(kb: KnowledgeBase) -> set[str] | None:
    """Return the communities that what is going to be published changes, by the list of it.

    None where that is to be found out by comparing all, such as in a small graph, where it takes
    no time. What is put back as it was still counts as changed until communities are made again.
    """
    change = kb.listed_change()
    if change is None:
        return None
    graph = kb.index
    if len(graph.relation_ids) < _COMPARED or kb.clustering() is None:
        return None
    relations = graph.relation_rows(change.relations)
    relations = relations[relations >= 0]
    ends = kb.relation_ends(change.relations).union(change.entities)
    entities = graph.entity_rows(sorted(ends))
    rows = (entities[entities >= 0], graph.relation_source[relations])
    touched = np.concatenate((*rows, graph.relation_target[relations]))
    return _with_those_above(kb, touched)


def note_changes(kb: KnowledgeBase, touched: set[str] | None = None) -> None:
    """Mark the communities whose members or relations the published graph has changed.

    Those that a new entity has relations with are marked too, as it may join them. A graph that is
    again as it was makes nothing stale. A hierarchy that was imported is taken as that of the graph
    it came with, so that later changes are told, and clustered, from there.

    Args:
        kb: The base.
        touched: What `touched_communities` returned before that was published.
    """
    if touched is not None:
        if kb.communities_stale:
            kb.mark_communities(sorted(touched), stale=True, further=True)
        return
    if len(kb.community_index.ids) == 0:
        return
    record = kb.clustering()
    if record is None:
        _adopt(kb)
    elif kb.communities_stale:
        contents = _contents(kb)
        keys = kb.community_keys()
        changed = {id_ for id_, key in zip(keys, contents.keys, strict=True) if keys[id_] != key}
        changed |= _reached(kb, record)
        kb.mark_communities(sorted(changed), stale=record.content != contents.whole)


def _contents(kb: KnowledgeBase) -> Contents:
    index = kb.community_index
    return contents_of(kb, Hierarchy(index.level, index.parent, index.of_entity))


def _reached(kb: KnowledgeBase, record: ClusteringRecord) -> set[str]:
    """Return the communities that relations join with entities that are not in the record."""
    graph = kb.index
    is_new = np.ones(len(graph.entity_ids), dtype=np.bool_)
    rows = graph.entity_rows(record.entity_ids)
    is_new[rows[rows >= 0]] = False
    source, target = graph.relation_source, graph.relation_target
    return _with_those_above(kb, np.concatenate((target[is_new[source]], source[is_new[target]])))


def _with_those_above(kb: KnowledgeBase, entities: IntArray) -> set[str]:
    """Return the communities that hold any of these rows of entities."""
    index = kb.community_index
    reached: set[int] = set()
    pending = set(index.of_entity[entities].tolist())
    while pending := pending - reached - {-1}:
        reached |= pending
        pending = set(index.parent[sorted(pending)].tolist())
    return set(index.ids[sorted(reached)].tolist())


def _adopt(kb: KnowledgeBase) -> None:
    index = kb.community_index
    contents = _contents(kb)
    graph = entity_graph(kb.index)
    tree = _with_leaves(ClusterTree(index.parent, index.of_entity))
    whole_up_to = np.zeros(len(tree.parent), dtype=np.int32)
    is_leaf = ~np.isin(np.arange(len(tree.parent)), tree.parent)
    whole_up_to[is_leaf] = np.maximum(tree.sizes()[is_leaf], MAX_SIZE)
    partition = Partition(tree, whole_up_to, graph.degrees.astype(np.float32), _KEPT_LEAST)
    record = recorded(partition, kb.index.entity_ids, contents.whole, _SEED, None)
    kb.adopt_communities(dict(zip(index.ids.tolist(), contents.keys, strict=True)), record)


def _with_leaves(tree: ClusterTree) -> ClusterTree:
    """Return the tree with the members that only a divided cluster has in a part of their own."""
    loose = np.isin(tree.cluster_of, tree.parent) & (tree.cluster_of >= 0)
    above, place = np.unique(tree.cluster_of[loose], return_inverse=True)
    cluster_of = tree.cluster_of.copy()
    cluster_of[loose] = len(tree.parent) + place
    return ClusterTree(np.concatenate((tree.parent, above)), cluster_of)
