"""Answers questions from a base in Neo4j: for each, a view of what lies around it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hoptrail.core.embedding import (
    Embedder,
    FloatArray,
    RememberingEmbedder,
    embed_one,
    is_symmetric,
)
from hoptrail.core.errors import EmbedderMismatchError, KnowledgeBaseError, StoreError
from hoptrail.core.lru_cache import LruCache
from hoptrail.core.types import Community
from hoptrail.stores.knowledge_source import Focus, Size, View
from hoptrail.stores.local.held_items import CollectionFigures, HeldItems, VectorSlab
from hoptrail.stores.local.local_view import SearchedVectors, make_view
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection, UnansweredError
from hoptrail.stores.neo4j.gathering import Gathering, MovedOnError
from hoptrail.stores.neo4j.live_store import LiveStore
from hoptrail.stores.neo4j.pointer import Pointer
from hoptrail.stores.neo4j.queries.graph_queries import Neo4jGraphQueries
from hoptrail.stores.neo4j.rows import MOST_TYPES, Space, community_of
from hoptrail.stores.neo4j.statements import in_space
from hoptrail.stores.protocols import GraphStore
from hoptrail.stores.serving import BaseDescription
from hoptrail.stores.vector_search import ShownVectors, VectorSearch

_PAUSE_SECONDS = 0.05  # for a commit that is under way; each time longer
_LONGEST_PAUSE = 0.5
_PATIENCE_SECONDS = 60.0  # a busy server may take long to commit
_REMEMBERED = 1_024  # questions, and texts beside them
_HELD = 40_000  # items; 52 MB with their vectors
_VIEWS = 1  # a question is asked through several tools; some 30 MB


@dataclass(frozen=True, slots=True)
class _Shown:
    """The generation that the server shows, and what this process holds of it."""

    space: Space
    base: BaseDescription
    size: Size
    held: HeldItems
    views: LruCache[object, View]


class Neo4jSource:
    """The `KnowledgeSource` of a published base.

    Args:
        connection: To the server.
        kb: The base's name there.
        embedder: That of the base; None for searches by words alone.
        vectors: Where its vectors are searched, if it was published here without them.
    """

    def __init__(
        self,
        connection: Connection,
        kb: str,
        embedder: Embedder | None,
        vectors: VectorSearch | None = None,
    ) -> None:
        self._connection = connection
        self._vectors = vectors
        self._kb = kb
        self._lock = threading.Lock()
        self._shown = self._load()
        self._texts, self._questions = self._remembering(embedder)
        self._store = LiveStore(
            connection,
            kb,
            lambda: self._shown.space,
            lambda: self._shown.base.predicates <= MOST_TYPES,
        )
        self.queries = Neo4jGraphQueries(
            connection, kb, lambda: (self.generation, self._shown.space), self.refresh
        )

    @property
    def generation(self) -> int:
        """Number of the published generation that is shown."""
        return self._shown.held.generation

    @property
    def size(self) -> Size:
        """How much that generation holds."""
        return self._shown.size

    @property
    def store(self) -> GraphStore:
        """Documents, chunks, entities, relations and communities by id, as they are now."""
        return self._store

    @property
    def embedder(self) -> Embedder:
        """The embedder that it was opened with.

        Raises:
            KnowledgeBaseError: If it was opened without one.
        """
        return self._known(self._texts).embedder

    @property
    def description(self) -> str:
        """The graph's subject in words."""
        return self._shown.base.description

    def schema(self) -> dict[str, str]:
        """Return the definition of each entity type."""
        return dict(self._shown.base.schema)

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, shape (dim,); recent ones are remembered.

        Raises:
            KnowledgeBaseError: If it was opened without an embedder.
        """
        return embed_one(self._known(self._questions), text)

    def embed_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of any texts, shape (len(texts), dim); recent are remembered.

        Raises:
            KnowledgeBaseError: If it was opened without an embedder.
        """
        return self._known(self._texts).embed(texts)

    @contextmanager
    def view(self, focus: Focus) -> Iterator[View]:
        """Show what lies around the focus within, all of one generation.

        It is read at once, and nothing that is published later changes it.

        Raises:
            StoreError: If the server fails.
        """
        vector = None if focus.vector is None else focus.vector.tobytes()
        key = focus.texts, vector, focus.entity_ids, focus.passages_only
        deadline = time.monotonic() + _PATIENCE_SECONDS
        pauses = _pauses()
        while True:
            shown = self._shown
            shown.views.forget_others(key)
            is_late = time.monotonic() > deadline
            try:
                view = shown.views.get(key, partial(self._gathered, shown, focus))
            except MovedOnError:
                if is_late:
                    raise self._too_fast() from None
                if not self.refresh():
                    time.sleep(next(pauses))
            except UnansweredError:
                raise
            except StoreError:
                if is_late or not self.refresh():  # else the space that was shown is dropped
                    raise
            else:
                break
        yield view

    def refresh(self) -> bool:
        """Take up a newer generation where there is one, and return whether there was.

        Raises:
            StoreError: If the server fails.
        """
        pointer = self._pointer()
        shown = self._shown
        if (pointer.generation, pointer.space) == (shown.held.generation, shown.space):
            return False
        self._shown = self._load()
        return True

    def _gathered(self, shown: _Shown, focus: Focus) -> View:
        beside = []
        if focus.vector is not None:
            beside = [self.embed_query(text) for text in dict.fromkeys(focus.texts[1:]) if text]
        held = shown.held
        vectors = self._searched_vectors(held.generation)
        gathering = Gathering(self._connection, self._kb, shown.space, held, vectors)
        region, arrived = gathering.run(focus, beside)
        searched = None
        if vectors is not None and self._texts is not None:
            dim = self._texts.dim
            query = np.zeros(dim, dtype=np.float32) if focus.vector is None else focus.vector
            searched = SearchedVectors(vectors, dim, query, gathering.nearest)
        with self._lock:
            if len(held) + len(arrived) > _HELD:
                kept = held.within(region.chunks, region.entities, region.relations)
                if self._shown.held is held:
                    self._shown = replace(self._shown, held=kept)
                held = kept
            held.take(arrived)
            return make_view(region, held, self._store, searched)

    def _searched_vectors(self, generation: int) -> ShownVectors | None:
        """Return the vectors of a generation on the server that has them.

        Raises:
            StoreError: If that does not show this generation.
        """
        if self._vectors is None:
            return None
        vectors = self._vectors.shown(generation)
        if vectors is None:
            raise StoreError(
                f"the vectors of generation {generation} of {self._kb} are not published",
                hint=f"run: hoptrail publish --kb {self._kb}",
            )
        return vectors

    def _load(self) -> _Shown:
        """Read what all questions of the present generation share.

        Raises:
            StoreError: If the base was never published there, or the server fails.
        """
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            pointer = self._pointer()
            if pointer.generation is None or pointer.base is None:
                raise StoreError(
                    f"{self._connection.address} has no base {self._kb!r}",
                    hint=f"publish it with: hoptrail publish --kb {self._kb}",
                )
            shown = self._read_shown(pointer, pointer.base)
            now = Pointer.read(self._connection, self._kb)
            if now == pointer:
                return shown
            if time.monotonic() > deadline:
                raise self._too_fast()

    def _pointer(self) -> Pointer:
        """Return what the server shows once no change is being committed."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        pauses = _pauses()
        while True:
            pointer = Pointer.read(self._connection, self._kb)
            if not pointer.is_moving:
                return pointer
            if time.monotonic() > deadline:
                raise self._too_fast()
            time.sleep(next(pauses))

    def _too_fast(self) -> StoreError:
        return StoreError(
            f"{self._connection.address}: {self._kb} is published faster than it can be read",
            hint="ask again when the publications are through",
        )

    def _read_shown(self, pointer: Pointer, base: BaseDescription) -> _Shown:
        def rows(statement: str) -> list[list[Any]]:
            return self._connection.rows(in_space(statement, pointer.space))

        passages, mean_length = rows(statements.FIGURES)[0][0]
        communities: list[Community] = []
        reports = VectorSlab(base.dim)
        for row in rows(statements.ALL_COMMUNITIES):
            properties, vector = row[0]
            community = community_of(properties)
            communities.append(community)
            if vector is not None:
                reports.add(community.id, vector)
        figures = CollectionFigures(passages, mean_length)
        held = HeldItems(pointer.generation or 0, base.dim, figures, communities, reports)
        [counts] = self._connection.read(in_space(statements.COUNTS, pointer.space))
        reported = sum(bool(one.title or one.summary) for one in communities)
        size = Size(counts["chunk"], counts["entity"], counts["relation"], reported)
        return _Shown(pointer.space, base, size, held, LruCache(_VIEWS))

    def _remembering(
        self, embedder: Embedder | None
    ) -> tuple[RememberingEmbedder | None, RememberingEmbedder | None]:
        if embedder is None:
            return None, None
        base = self._shown.base
        if base.embedder and (base.embedder, base.dim) != (embedder.name, embedder.dim):
            raise EmbedderMismatchError(
                f"{self._connection.address} has vectors of {base.embedder} for {self._kb}, "
                f"not of {embedder.name}",
                hint=f"open it with that embedder, or publish it anew: "
                f"hoptrail publish --kb {self._kb}",
            )
        texts = RememberingEmbedder(embedder, _REMEMBERED)
        if is_symmetric(embedder):
            return texts, texts
        return texts, RememberingEmbedder(embedder, _REMEMBERED, of_queries=True)

    def _known(self, memory: RememberingEmbedder | None) -> RememberingEmbedder:
        if memory is None:
            raise KnowledgeBaseError(
                f"{self._kb} was opened without an embedder", hint="open it with embedder=..."
            )
        return memory


def _pauses() -> Iterator[float]:
    """Yield seconds to wait between attempts, without end: each longer than the one before."""
    pause = 0.0
    while True:
        pause = min(pause + _PAUSE_SECONDS, _LONGEST_PAUSE)
        yield pause
