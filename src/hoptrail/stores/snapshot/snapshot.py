"""One generation of a knowledge base as arrays, and the cache folder that holds it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from hoptrail.core.algorithms.incidence import Hubs
from hoptrail.core.embedding import Embedder, FloatArray, IntArray
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.machine import paused_garbage_collection
from hoptrail.stores.protocols import VectorKind
from hoptrail.stores.records.bare_graphs import triple_digests
from hoptrail.stores.records.document_table import gone_passages
from hoptrail.stores.records.embedding_table import HashPlaces, note_static
from hoptrail.stores.records.stored_values import (
    HASH_TYPE,
    HashArray,
    hashes_of,
    passage_text,
    text_hash,
)
from hoptrail.stores.snapshot.arrays import (
    Arrays,
    HeldColumns,
    NextArrays,
    SealedArrays,
    array_lengths,
    load_arrays,
    load_sealed,
    save_arrays,
    seal_arrays,
    sync,
)
from hoptrail.stores.snapshot.graph_index import (
    CommunityIndex,
    GraphIndex,
    build_community_arrays,
    extend_community_arrays,
    load_community_index,
)
from hoptrail.stores.snapshot.graph_index_builder import (
    build_graph_arrays,
    extend_graph,
    load_graph_index,
)
from hoptrail.stores.snapshot.item_texts import (
    item_texts,
    listed_entity_texts,
    listed_passages,
    listed_relation_texts,
    note_complete,
)
from hoptrail.stores.snapshot.lexicon import (
    Lexicon,
    build_word_tables,
    extend_lexicon,
    lexicon_arrays,
    load_lexicon,
)
from hoptrail.stores.snapshot.schema_proposal import SchemaProposal, propose_schema
from hoptrail.stores.snapshot.vector_builder import (
    COARSE_MATRICES,
    VectorMakers,
    load_rows,
    load_vectors,
    write_vectors,
)
from hoptrail.stores.snapshot.vector_extension import KindTexts, NotExtendableError, VectorExtension
from hoptrail.stores.snapshot.vector_index import NumpyVectorIndex, WordVectorIndex

_ARRAYS_VERSION = 8  # of the files in a folder; others are built anew


@dataclass(frozen=True)
class TextVectors:
    """Vectors of the static model, which the tables do not store, by the hash of their text.

    Attributes:
        arrays: Those of a generation.
    """

    arrays: Arrays

    def of(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of texts that were read in passages, zeros for others.

        Shape (len(texts), dim).
        """
        found = np.zeros((len(texts), load_rows(self.arrays, "chunk").dim), dtype=np.float32)
        hashes: HashArray = np.array([text_hash(text) for text in texts], dtype=HASH_TYPE)
        for name, (order, places) in self._sorted.items():
            at = places.of(hashes)
            known = at >= 0
            found[known] = load_rows(self.arrays, name).vectors(order[at[known]])
        return found

    @cached_property
    def _sorted(self) -> dict[str, tuple[IntArray, HashPlaces]]:
        """The order of the rows of each matrix by hash, and the places of hashes in that order."""
        found: dict[str, tuple[IntArray, HashPlaces]] = {}
        for name in sorted(COARSE_MATRICES):
            if f"{name}_digests" in self.arrays:
                digests = np.ascontiguousarray(self.arrays[f"{name}_digests"])
                beginnings, ends = digests.view(">u8").astype(np.uint64).T
                order = np.lexsort((ends, beginnings)).astype(np.int32)
                found[name] = order, HashPlaces(hashes_of(digests[order]))
        return found


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One published generation as a reader sees it.

    `texts` finds vectors by text; `derived` is what readers made of it all.
    """

    index: GraphIndex
    communities: CommunityIndex
    lexicon: Lexicon
    vectors: dict[VectorKind, NumpyVectorIndex | WordVectorIndex]
    hubs: Hubs
    texts: TextVectors
    derived: dict[object, object] = field(default_factory=dict, repr=False, compare=False)


@paused_garbage_collection()
def build_snapshot(
    connection: sqlite3.Connection,
    folder: Path,
    embedder: tuple[int, int],
    static: Embedder | None = None,
    *,
    prune: bool = False,
) -> SchemaProposal:
    """Write all arrays of the present state into an empty folder; propose a schema from them.

    Args:
        connection: The state to read.
        folder: An existing, empty folder.
        embedder: Id and dimension of the embedder whose vectors are used.
        static: Its static model, which makes those that are not stored of what was read.
        prune: Whether to delete the embeddings that no text needs any more, and to note what is
            published: whether all has vectors, and whose.
    """
    graph = build_graph_arrays(connection)
    save_arrays(folder, graph)
    save_arrays(folder, build_community_arrays(connection, graph["entity_ids"]))
    words = build_word_tables(connection)
    save_arrays(folder, lexicon_arrays(words.lexicon))
    items = item_texts(connection, graph)
    extendable = not triple_digests(connection)  # bare graphs are large, and read at once
    made = write_vectors(
        connection,
        folder,
        VectorMakers(*embedder, static),
        items,
        words,
        extendable=extendable,
        prune=prune,
    )
    if prune:
        note_complete(connection, embedder[0], complete=made.complete and bool(embedder[0]))
        note_static(connection, embedder[0], static.name if static and made.statically else None)
    seal_arrays(folder)
    return propose_schema(connection, graph)


@paused_garbage_collection()
def extend_snapshot(
    connection: sqlite3.Connection,
    folder: Path,
    embedder: tuple[int, int],
    static: Embedder | None,
    known: SealedArrays,
) -> tuple[SchemaProposal, HeldColumns] | None:
    """Do what `build_snapshot` does, from the arrays of the last generation and what is listed.

    It takes the time of copying arrays of numbers, beside that of what came or went.

    Args:
        connection: The state to read, which differs from the last generation in what is listed.
        folder: An existing, empty folder.
        embedder: Id and dimension of the embedder whose vectors are used.
        static: Its static model, as for `build_snapshot`.
        known: The arrays of the last generation.

    Returns:
        The proposed schema and the columns; None where all has to be built anew.
    """
    passages, gone = list(listed_passages(connection)), gone_passages(connection)
    graph, rows = extend_graph(connection, known.arrays, [passage[0] for passage in gone])
    lexicon, words = extend_lexicon(connection, known.arrays, rows.chunks, passages, gone)
    entities = [text for _, text in listed_entity_texts(connection)]
    relations = [text for _, text in listed_relation_texts(connection)]
    items = {
        "chunk": KindTexts(rows.chunks, [passage_text(*passage[1:]) for passage in passages]),
        "entity": KindTexts(rows.entities, entities),
        "relation": KindTexts(rows.relations, relations),
    }
    arrays = NextArrays(folder, known)
    try:
        statically = VectorExtension(
            connection, arrays, known, VectorMakers(*embedder, static)
        ).write(items, words, [text for _, _, text in passages])
    except NotExtendableError:
        arrays.clear()
        return None
    arrays.save(graph)
    arrays.save(extend_community_arrays(connection, known.arrays, rows.entities))
    arrays.save(lexicon)
    held = arrays.seal()
    if static is not None and statically:
        note_static(connection, embedder[0], static.name)
    return propose_schema(connection, graph), held


def load_snapshot(folder: Path, generation: int) -> Snapshot:
    """Map the arrays of a folder into memory.

    Raises:
        OSError: If the folder or a file of it is not there.
        ValueError: If a file is damaged.
    """
    return _snapshot(load_arrays(folder), generation)


def _snapshot(arrays: Arrays, generation: int) -> Snapshot:
    index = load_graph_index(arrays, generation)
    return Snapshot(
        index,
        load_community_index(arrays),
        load_lexicon(arrays),
        load_vectors(arrays),
        # Relations that share a vector score the same for any question.
        Hubs(index.graph, arrays["relation_vector_of"]),
        TextVectors(arrays),
    )


class SnapshotCache:
    """The folder `cache` of a knowledge base: one folder of arrays per generation."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "cache"
        self._held: HeldColumns | None = None

    def load(self, generation: int) -> Snapshot | None:
        """Return the snapshot of a generation, or None where it is missing or damaged."""
        sealed = self.sealed(generation)
        if sealed is None:
            return None
        if self._held is None or self._held.digest != sealed.digest:
            self._held = HeldColumns(sealed.digest, sealed.arrays)
        return _snapshot(sealed.arrays, generation)

    def sealed(self, generation: int) -> SealedArrays | None:
        """Return the arrays of a generation, or None where they are missing or damaged."""
        try:
            return load_sealed(self._place(generation), self._held)
        except (OSError, ValueError):
            return None

    def lengths(self, generation: int) -> dict[str, int]:
        """Return how long each array of a generation is; none where they are missing."""
        try:
            return array_lengths(self._place(generation))
        except (OSError, ValueError):
            return {}

    @contextmanager
    def building(self, *, elsewhere: bool = False) -> Iterator[Path]:
        """Give a new folder to build in; it is gone afterwards unless `put` took it.

        Args:
            elsewhere: Whether it lies among the system's temporary files, where `put` cannot take
                it: what is loaded from there stays mapped.

        Raises:
            FileNotFoundError: If a publication removed the folder meanwhile.
            KnowledgeBaseError: If it cannot be filled, such as on a full disk.
        """
        folder = None if elsewhere else self._new_folder()
        # Mapped files outlive their names, so a read-only base is served from elsewhere.
        folder = folder or Path(tempfile.mkdtemp(prefix="hoptrail-"))
        try:
            yield folder
        except FileNotFoundError:
            raise
        except OSError as error:
            raise KnowledgeBaseError(
                f"the arrays of {self._folder.parent} cannot be written: {error}",
                hint="free disk space and try again; nothing is lost",
            ) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _new_folder(self) -> Path | None:
        try:
            self._folder.mkdir(exist_ok=True)
            return Path(tempfile.mkdtemp(prefix=".building-", dir=self._folder))
        except OSError:
            return None

    def put(self, built: Path, generation: int, held: HeldColumns | None = None) -> None:
        """Make a built folder the cache of a generation, all at once.

        It takes the place of one that is damaged, or that a killed writer left.

        Args:
            built: The folder.
            generation: Its number.
            held: Its columns, if they are in memory; they are kept for who loads them next.
        """
        self._held = held
        place = self._place(generation)
        os.chmod(built, 0o755)
        try:
            with suppress(FileNotFoundError):
                place.rename(built.with_name(f"{built.name}-replaced"))
            built.rename(place)
            sync(self._folder)
        except OSError:
            pass  # another reader was first, or the base is read-only: what is built can be used
        finally:
            _remove(built.with_name(f"{built.name}-replaced"))

    def keep_only(self, generation: int) -> None:
        """Remove every other generation and what killed processes left behind."""
        for path in self._folder.iterdir():
            if path != self._place(generation):
                _remove(path)

    def _place(self, generation: int) -> Path:
        return self._folder / f"generation-{generation}-v{_ARRAYS_VERSION}"


def _remove(path: Path) -> None:
    """Remove a folder, or a file in its place, as far as the system lets us."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)
