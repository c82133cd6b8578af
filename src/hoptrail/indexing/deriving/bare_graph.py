"""From bare graphs, and what passages say, to the columns of one graph."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.node_names import is_unnamed
from hoptrail.core.text import name_key
from hoptrail.core.types import Entity
from hoptrail.indexing.deriving.node_types import node_types
from hoptrail.indexing.resolution.entity_resolution import Resolution
from hoptrail.stores.records.bulk_graph import BulkGraph, BulkIds
from hoptrail.stores.records.triple_table import TripleList

VERSION = "2"  # of the rules in this file, in `node_types` and in `resolution`
_ID_TYPE = "S16"


def unite(lists: Iterable[TripleList]) -> tuple[TripleList, FloatArray]:
    """Return several lists as one, and how many of them state each triple, shape (n,).

    Nodes and predicates of the same name are one.
    """
    found = list(lists)
    if len(found) == 1:
        return found[0], np.ones(len(found[0].triples), dtype=np.float32)
    nodes: dict[str, int] = {}
    predicates: dict[str, int] = {}
    parts = [np.zeros((0, 3), dtype=np.int32)]
    for one in found:
        node = np.array([nodes.setdefault(name, len(nodes)) for name in one.nodes], dtype=np.int32)
        predicate = np.array(
            [predicates.setdefault(name, len(predicates)) for name in one.predicates],
            dtype=np.int32,
        )
        subjects, kinds, objects = one.triples.T
        parts.append(np.stack((node[subjects], predicate[kinds], node[objects]), axis=1))
    triples, counts = np.unique(np.concatenate(parts), axis=0, return_counts=True)
    return TripleList(list(nodes), list(predicates), triples), counts.astype(np.float32)


def bulk_graph(
    triples: TripleList, weights: FloatArray, read: Resolution
) -> tuple[BulkGraph, Resolution]:
    """Return the graph of the triples in columns, and what passages say joined to it.

    A node is told apart by its very name. It is the entity that passages speak of where one has
    its name or alias (compared by `name_key`) and no other; an unnamed node never is. What both
    state is left to the passages, with the weights added.
    """
    types = node_types(triples.nodes, triples.predicates, triples.triples)
    node_ids = _node_ids(triples.nodes, _by_key(read.entities))
    relation_ids = _relation_ids(node_ids, triples.predicates, triples.triples)
    bulk = BulkGraph(
        node_ids, triples.nodes, types, triples.predicates, triples.triples, relation_ids, weights
    )
    return _without_repetitions(bulk), _joined(read, bulk)


def _by_key(entities: Iterable[Entity]) -> dict[str, str]:
    """Return the id of the entity that alone bears a name or alias, by the name's key."""
    owners: dict[str, set[str]] = {}
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            owners.setdefault(name_key(name), set()).add(entity.id)
    return {key: next(iter(ids)) for key, ids in owners.items() if len(ids) == 1}


def _node_ids(names: Sequence[str], known: Mapping[str, str]) -> BulkIds:
    ids = np.array([_hash(name) for name in names], dtype=_ID_TYPE)
    if known:
        for place, name in enumerate(names):
            joined = None if is_unnamed(name) else known.get(name_key(name))
            if joined is not None:
                ids[place] = joined.encode()
    return ids


def _relation_ids(node_ids: BulkIds, predicates: Sequence[str], triples: IntArray) -> BulkIds:
    ids = np.empty(len(triples), dtype=_ID_TYPE)
    middles = [f"\0{predicate}\0" for predicate in predicates]
    nodes: list[str] = node_ids.astype(np.str_).tolist()
    for place, (subject, predicate, target) in enumerate(triples.tolist()):
        ids[place] = _hash(nodes[subject] + middles[predicate] + nodes[target])
    return ids


def _without_repetitions(bulk: BulkGraph) -> BulkGraph:
    """Drop relations whose nodes became one entity by joining what passages speak of."""
    _, first = np.unique(bulk.relation_ids, return_index=True)
    if len(first) == len(bulk.relation_ids):
        return bulk
    return replace(
        bulk,
        triples=bulk.triples[first],
        relation_ids=bulk.relation_ids[first],
        weights=bulk.weights[first],
    )


def _joined(read: Resolution, bulk: BulkGraph) -> Resolution:
    """Return what was read with the types and weights that the bare graphs add."""
    nodes = _places(bulk.node_ids, [entity.id for entity in read.entities])
    triples = _places(bulk.relation_ids, [relation.id for relation in read.relations])
    entities = [
        entity if entity.type or node < 0 else replace(entity, type=bulk.types[node])
        for entity, node in zip(read.entities, nodes, strict=True)
    ]
    relations = [
        relation
        if triple < 0
        else replace(relation, weight=relation.weight + float(bulk.weights[triple]))
        for relation, triple in zip(read.relations, triples, strict=True)
    ]
    return Resolution(entities, relations, read.merges)


def _places(ids: BulkIds, wanted: Sequence[str]) -> list[int]:
    """Return where each wanted id is in `ids`, -1 where it is not."""
    if not wanted or not len(ids):
        return [-1] * len(wanted)
    order = np.argsort(ids, kind="stable")
    keys = np.array(wanted, dtype=_ID_TYPE)
    found = order[np.minimum(np.searchsorted(ids, keys, sorter=order), len(ids) - 1)]
    places: list[int] = np.where(ids[found] == keys, found, -1).tolist()
    return places


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()[:16]
