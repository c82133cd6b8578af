"""Hashes of each community's content: its id and the key that its report is stored under."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.division import Hierarchy
from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import rows_of

_DIGEST = 8  # bytes


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
