"""From bare graphs, and what passages say, to the columns of one graph."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.names import is_unnamed, predicate_words
from hoptrail.core.text import name_key
from hoptrail.core.types import Entity
from hoptrail.indexing.resolution.entity_resolution import Resolution
from hoptrail.stores.records.bare_graphs import BulkGraph, BulkIds, TripleList

VERSION = "2"  # of the rules in this file, in `node_types` and in `resolution`
_ID_TYPE = "S16"

_IS_A = frozenset({"type", "rdf:type", "instance of", "instance_of", "is a", "isa", "is_a", "a"})
_GENERIC = ("base.", "common.", "dataworld.", "freebase.", "kg.", "topic_server.", "type.", "user.")
_SAME_ROLE = 0.5  # share of the smaller role's nodes that two roles must have in common

Places = NDArray[np.int64]


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


@dataclass(frozen=True, slots=True)
class _Votes:
    """Types that speak for nodes: a node may be there many times."""

    nodes: Places
    labels: Places


def node_types(nodes: Sequence[str], predicates: Sequence[str], triples: IntArray) -> list[str]:
    """Return a type for each node, "" where nothing tells.

    A predicate that states a type (`rdf:type`, `instance of`) decides. Else a predicate of the form
    `domain.type.property` (Freebase) gives its subjects the type `domain.type`: the one that most
    predicates of the node have, types of general domains last, the more frequent of equals; and
    its objects, where they have none of their own, the type that most of its other objects have.
    A plain predicate has two roles, subject and object. Roles that share half of the smaller one's
    nodes are one type, named after the role with the most nodes: "subject of directed by".

    Args:
        nodes: Names.
        predicates: The predicates.
        triples: Subject, predicate and object as places in them, shape (m, 3).
    """
    labels = _Labels()
    subject, predicate, target = (triples[:, column].astype(np.int64) for column in range(3))
    domains = np.array([labels.domain(name) for name in predicates], dtype=np.int64)
    states_type = np.array([name.casefold() in _IS_A for name in predicates], dtype=np.bool_)
    plain = np.flatnonzero((domains < 0) & ~states_type)
    found = np.full(len(nodes), -1, dtype=np.int64)

    stated = states_type[predicate]
    kinds = np.array(
        [labels.add(nodes[place], 3) for place in map(int, target[stated])], dtype=np.int64
    )
    votes = [_Votes(subject[stated], kinds)]
    with_domain = domains[predicate] >= 0
    pairs = _distinct(subject[with_domain], predicate[with_domain], len(predicates))
    votes.append(_Votes(pairs[0], domains[pairs[1]]))
    is_plain = np.isin(predicate, plain)
    votes.append(
        _role_votes(subject[is_plain], predicate[is_plain], target[is_plain], predicates, labels)
    )
    _elect(found, votes, labels)
    if with_domain.any():
        _elect(found, [_range_votes(found, predicate[with_domain], target[with_domain])], labels)
    names = [*labels.names, ""]
    return [names[place] for place in found.tolist()]


class _Labels:
    """Numbers the types; the rank says which of them goes before others."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.ranks: list[int] = []
        self._places: dict[str, int] = {}

    def add(self, name: str, rank: int) -> int:
        """Return the number of a type."""
        place = self._places.setdefault(name, len(self.names))
        if place == len(self.names):
            self.names.append(name)
            self.ranks.append(rank)
        return place

    def domain(self, predicate: str) -> int:
        """Return the number of the type that the predicate's name begins with, -1 where none."""
        parts = predicate.split(".")
        if len(parts) < 3 or not all(parts) or " " in predicate:
            return -1
        return self.add(".".join(parts[:-1]), 0 if predicate.startswith(_GENERIC) else 2)


def _elect(found: Places, votes: Sequence[_Votes], labels: _Labels) -> None:
    """Give each node that has no type the one that most votes speak for."""
    if not labels.names:
        return
    nodes = np.concatenate([vote.nodes for vote in votes])
    chosen = np.concatenate([vote.labels for vote in votes])
    open_ = found[nodes] < 0
    keys, counts = np.unique(nodes[open_] * len(labels.names) + chosen[open_], return_counts=True)
    node, label = np.divmod(keys, len(labels.names))
    frequency = np.bincount(label, minlength=len(labels.names))
    alphabetic = np.argsort(np.argsort(np.array(labels.names)))
    ranks = np.array(labels.ranks)
    order = np.lexsort((alphabetic[label], -frequency[label], -counts, -ranks[label], node))
    first = np.unique(node[order], return_index=True)[1]
    found[node[order][first]] = label[order][first]


def _range_votes(found: Places, predicate: Places, target: Places) -> _Votes:
    """Let each predicate's most frequent type of objects speak for the objects without one."""
    typed = found[target] >= 0
    width = int(found.max(initial=0)) + 1
    keys, counts = np.unique(predicate[typed] * width + found[target[typed]], return_counts=True)
    owner, label = np.divmod(keys, width)
    order = np.lexsort((label, -counts, owner))
    owners, first = np.unique(owner[order], return_index=True)
    ranges = np.full(int(predicate.max(initial=0)) + 1, -1, dtype=np.int64)
    ranges[owners] = label[order][first]
    objects, asking = _distinct(target[~typed], predicate[~typed], len(ranges))
    known = ranges[asking] >= 0
    return _Votes(objects[known], ranges[asking[known]])


def _role_votes(
    subject: Places,
    predicate: Places,
    target: Places,
    predicates: Sequence[str],
    labels: _Labels,
) -> _Votes:
    """Let the roles of plain predicates speak for the nodes that are in them."""
    width = len(predicates)
    nodes, roles = _distinct(
        np.concatenate((subject, target)), np.concatenate((predicate, predicate + width)), 2 * width
    )
    names = {role: _role_name(role, width, predicates) for role in np.unique(roles).tolist()}
    clusters = _clusters(nodes, roles, names, width)
    numbers = {role: labels.add(names[head], 1) for role, head in clusters.items()}
    chosen = np.array([numbers[role] for role in roles.tolist()], dtype=np.int64)
    return _Votes(nodes, chosen)


def _role_name(role: int, width: int, predicates: Sequence[str]) -> str:
    side = "subject" if role < width else "object"
    return f"{side} of {predicate_words(predicates[role % width])}"


def _clusters(nodes: Places, roles: Places, names: Mapping[int, str], width: int) -> dict[int, int]:
    """Return for each role the one that its cluster is named after: the one with most nodes.

    Of equals a subject's role (below `width`) goes before an object's.
    """
    from scipy.sparse import csr_array

    present, rows = np.unique(roles, return_inverse=True)
    shape = (len(present), int(nodes.max(initial=0)) + 1)
    table = csr_array((np.ones(len(nodes), dtype=np.int64), (rows, nodes)), shape=shape)
    shared = (table @ table.T).tocoo()
    sizes = np.bincount(rows, minlength=len(present))
    smaller = np.minimum(sizes[shared.row], sizes[shared.col])
    joined = shared.data >= _SAME_ROLE * smaller
    head = {int(role): int(role) for role in present}
    size_of = dict(zip(present.tolist(), sizes.tolist(), strict=True))

    def root(role: int) -> int:
        while head[role] != role:
            role = head[role]
        return role

    for one, other in zip(present[shared.row[joined]], present[shared.col[joined]], strict=True):
        ends = {root(int(one)), root(int(other))}
        best = min(ends, key=lambda role: (-size_of[role], role >= width, names[role]))
        for role in ends:
            head[role] = best
    return {role: root(role) for role in head}


def _distinct(first: Places, second: Places, width: int) -> tuple[Places, Places]:
    """Return the distinct pairs, where `second` is below `width`."""
    keys = np.unique(first * max(width, 1) + second)
    left, right = np.divmod(keys, max(width, 1))
    return left, right
