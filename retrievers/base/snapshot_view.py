"""One generation of a knowledge base, held for the length of a retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from hoptrail.core.algorithms.hubs import Hubs
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import GraphStore, VectorIndex
from hoptrail.stores.snapshot.community_index import CommunityIndex
from hoptrail.stores.snapshot.graph_index import GraphIndex
from hoptrail.stores.snapshot.lexicon import Lexicon

Kind = Literal["chunk", "entity", "relation", "word", "report"]
_KINDS: tuple[Kind, ...] = ("chunk", "entity", "relation", "word", "report")


@dataclass(frozen=True, slots=True)
class View:
    """Arrays that belong together, although another thread may refresh the knowledge base.

    The store shows the newest state unless the knowledge base is `pinned`: ids that it no longer
    knows are left out of the evidence.
    """

    store: GraphStore
    index: GraphIndex
    communities: CommunityIndex
    lexicon: Lexicon
    vectors: Mapping[Kind, VectorIndex]
    hubs: Hubs

    @property
    def has_passages(self) -> bool:
        """Whether there is text; a bare graph has none."""
        return len(self.index.chunk_ids) > 0

    @classmethod
    def of(cls, kb: KnowledgeBase) -> Self:
        """Return the present generation of a knowledge base."""
        with kb.pinned():
            vectors: dict[Kind, VectorIndex] = {kind: kb.vectors(kind) for kind in _KINDS}
            return cls(kb.store, kb.index, kb.community_index, kb.lexicon, vectors, kb.hubs)
