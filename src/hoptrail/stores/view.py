"""One generation of a knowledge base as retrievers see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hoptrail.core.algorithms.incidence import Hubs
from hoptrail.stores.protocols import GraphStore, VectorIndex, VectorKind
from hoptrail.stores.snapshot.community_index import CommunityIndex
from hoptrail.stores.snapshot.graph_index import GraphIndex
from hoptrail.stores.snapshot.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class View:
    """Arrays that belong together, and the texts behind them, for the length of a retrieval.

    Of an embedded base they hold the whole generation. Of a base on a server they may hold the part
    that the `Focus` of the retrieval asked for: rows count within the view alone.

    Attributes:
        store: Texts by id; ids that it no longer knows are left out of the evidence.
        index: The graph.
        communities: Their hierarchy.
        read_lexicon: Gives words and the chunks they stand in, once they are needed.
        vectors: By kind of item.
        hubs: Entities with many relations.
        derived: What `PerGeneration` made of these arrays; it is gone with them.
    """

    store: GraphStore
    index: GraphIndex
    communities: CommunityIndex
    read_lexicon: Callable[[], Lexicon]
    vectors: Mapping[VectorKind, VectorIndex]
    hubs: Hubs
    derived: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def has_passages(self) -> bool:
        """Whether there is text; a bare graph has none."""
        return len(self.index.chunk_ids) > 0

    @property
    def lexicon(self) -> Lexicon:
        """Words and the chunks they stand in."""
        found = self.derived.get(Lexicon)
        if not isinstance(found, Lexicon):
            self.derived[Lexicon] = found = self.read_lexicon()
        return found
