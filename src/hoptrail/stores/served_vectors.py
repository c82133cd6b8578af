"""Answers questions from a folder whose vectors a server searches.

Graph, words and texts are the folder's, memory-mapped as ever; its vectors are not read, but those
of words, which no server has. Where the server does not answer, or shows another generation, the
folder's own vectors take its place: the answers are the same, and the account of the run tells it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from hoptrail.core.budget import current_meter
from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.errors import StoreError
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import Focus, Size, View
from hoptrail.stores.protocols import GraphStore, VectorIndex, VectorKind
from hoptrail.stores.served_vector_index import (
    AROUND,
    ServedVectorIndex,
    ask_in_one_round,
)
from hoptrail.stores.serving import VectorStore
from hoptrail.stores.snapshot.graph_index import rows_of
from hoptrail.stores.snapshot.vector_index import NumpyVectorIndex
from hoptrail.stores.vector_search import (
    SERVED_KINDS,
    Keys,
    ServedKind,
    ShownVectors,
    VectorSearch,
)

_SILENT_SECONDS = 15.0  # for which a server that failed is not asked again
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Generation:
    """One generation: what the server shows of it, and what readers made of its arrays."""

    number: int
    shown: ShownVectors
    indexes: Mapping[ServedKind, ServedVectorIndex]
    derived: dict[object, object] = field(default_factory=dict)


class FolderSource:
    """The `KnowledgeSource` of a folder whose vectors are searched elsewhere.

    Args:
        records: The folder, opened with its embedder.
        open_store: Connects to the server, once a question needs it.
        address: Names the server in messages.
    """

    def __init__(
        self, records: KnowledgeBase, open_store: Callable[[], VectorStore], address: str
    ) -> None:
        self._records = records
        self._open_store = open_store
        self._store: VectorStore | None = None
        self._search: VectorSearch | None = None
        self._address = address
        self._lock = threading.Lock()
        self._known: _Generation | None = None
        self._silent_until = 0.0

    @property
    def generation(self) -> int:
        """Number of the published generation that is shown."""
        return self._records.generation

    @property
    def size(self) -> Size:
        """How much that generation holds."""
        return self._records.size

    @property
    def store(self) -> GraphStore:
        """Documents, chunks, entities, relations and communities by id."""
        return self._records.store

    @property
    def embedder(self) -> Embedder:
        """The embedder that the folder was opened with.

        Raises:
            KnowledgeBaseError: If it was opened without one.
        """
        return self._records.embedder

    @property
    def description(self) -> str:
        """The graph's subject in words."""
        return self._records.description

    def schema(self) -> dict[str, str]:
        """Return the definition of each entity type."""
        return self._records.schema()

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, shape (dim,).

        Raises:
            KnowledgeBaseError: If the folder was opened without an embedder.
        """
        return self._records.embed_query(text)

    def embed_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of any texts, shape (len(texts), dim); stored ones are taken.

        Raises:
            KnowledgeBaseError: If the folder was opened without an embedder.
        """
        return self._records.embed_texts(texts)

    def refresh(self) -> bool:
        """Take up a newer generation where there is one, and return whether there was."""
        return self._records.refresh()

    def close(self) -> None:
        """Give the connection back; a second call does nothing."""
        with self._lock:
            store, self._store, self._search = self._store, None, None
        if store is not None:
            store.close()

    @contextmanager
    def view(self, focus: Focus) -> Iterator[View]:
        """Show one generation within; what is nearest to the focus is asked for in one round."""
        with self._records.view() as whole:
            try:
                generation = self._shown(whole)
                if generation is not None and focus.vector is not None:
                    self._ask(generation, focus.vector, passages_only=focus.passages_only)
            except StoreError as error:
                self._silent_until = time.monotonic() + _SILENT_SECONDS
                self._tell(str(error))
                generation = None
            if generation is None:
                yield whole
            else:
                vectors: dict[VectorKind, VectorIndex] = dict(whole.vectors)
                vectors.update(generation.indexes.items())
                yield replace(whole, vectors=vectors, derived=generation.derived)

    def _shown(self, whole: View) -> _Generation | None:
        """Return the server's vectors of the generation that the folder shows."""
        number = whole.index.generation
        if time.monotonic() < self._silent_until:
            self._tell(f"{self._address} did not answer")
            return None
        shown = self._opened().shown(number)
        if shown is None:
            if len(whole.vectors["chunk"]) or len(whole.vectors["entity"]):
                self._tell(f"{self._address} does not show generation {number}")
            return None
        with self._lock:
            if self._known is None or self._known.shown is not shown:
                self._known = _Generation(number, shown, self._indexes(whole, shown))
            return self._known

    def _opened(self) -> VectorSearch:
        with self._lock:
            if self._store is None or self._search is None:
                self._store = self._open_store()
                self._search = self._store.vectors()
            return self._search

    def _ask(self, generation: _Generation, query: FloatArray, *, passages_only: bool) -> None:
        kinds: tuple[ServedKind, ...] = ("chunk", "entity", "relation")
        wanted = kinds[:1] if passages_only else kinds
        indexes = [generation.indexes[kind] for kind in wanted]
        ask_in_one_round(indexes, generation.shown, query)

    def _indexes(self, whole: View, shown: ShownVectors) -> dict[ServedKind, ServedVectorIndex]:
        found: dict[ServedKind, ServedVectorIndex] = {}
        ids = {
            "chunk": whole.index.chunk_ids,
            "entity": whole.index.entity_ids,
            "relation": whole.index.relation_ids,
            "report": whole.communities.ids,
        }
        for kind in SERVED_KINDS:
            own = whole.vectors[kind]
            keys = self._relation_keys(whole) if kind == "relation" else Keys.own(ids[kind])
            if isinstance(own, NumpyVectorIndex) and len(own.has_vector) == len(keys.of_items):
                keys = Keys(keys.sorted, np.where(own.has_vector, keys.of_items, -1))
            around = partial(AROUND[kind], whole.index) if kind in AROUND else None
            # Paths go on from relation to relation.
            ahead = around if kind == "relation" else None
            found[kind] = ServedVectorIndex(
                kind, ids[kind], keys, shown, own.dim, around=around, ahead=ahead
            )
        return found

    def _relation_keys(self, whole: View) -> Keys:
        """Return the keys of relations, of which those without a text share their predicate's."""
        index = whole.index
        if index.relation_chunks.counts(np.arange(len(index.relation_ids), dtype=np.int32)).all():
            return Keys.own(index.relation_ids)
        is_bare = np.ones(len(index.relation_ids), dtype=bool)
        is_bare[rows_of(index.relation_ids, self._records.told_relations())] = False
        return Keys.of_relations(index, is_bare)

    def _tell(self, reason: str) -> None:
        """Note in the log and in the account of the run that the folder's vectors are read."""
        line = f"vectors were read from the folder: {reason}"
        _log.warning(line)
        meter = current_meter()
        if meter is not None:
            meter.note(line)
