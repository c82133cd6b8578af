"""The embedded knowledge base: one folder that is opened, written, published and read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TextIO
from weakref import finalize

import numpy as np

from hoptrail.core.algorithms.hubs import Hubs
from hoptrail.core.embedding import (
    Embedder,
    FloatArray,
    RemoteEmbedder,
    embed_one,
    is_symmetric,
    probe_vector,
)
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.remembering_embedder import RememberingEmbedder
from hoptrail.core.types import (
    Chunk,
    Community,
    Document,
    Entity,
    Extraction,
    JsonDict,
    NodeUsage,
    Relation,
)
from hoptrail.core.types.merge import Merge
from hoptrail.stores.export import exporting
from hoptrail.stores.export.exporting import ExportFormat
from hoptrail.stores.knowledge_source import Focus, Size
from hoptrail.stores.protocols import GraphStore, VectorIndex, VectorKind
from hoptrail.stores.recorded_change import RecordedChange
from hoptrail.stores.records import (
    change_table,
    clustering_table,
    community_table,
    consolidation_table,
    document_table,
    embedding_table,
    extraction_table,
    graph_inputs,
    graph_schema,
    graph_table,
    information,
    meta_table,
    source_table,
    triple_table,
    unpublished_table,
)
from hoptrail.stores.records.bulk_graph import BulkGraph, write_bulk_graph
from hoptrail.stores.records.clustering_table import ClusteringRecord
from hoptrail.stores.records.community_table import CommunityLevel
from hoptrail.stores.records.consolidation_table import Decisions, LabelPair
from hoptrail.stores.records.database import Database
from hoptrail.stores.records.document_table import PutResult
from hoptrail.stores.records.embedding_table import check_embedder
from hoptrail.stores.records.extraction_table import ExtractionStatus, FailedExtraction, Mention
from hoptrail.stores.records.filtered_copy import PART_OF, write_filtered_copy
from hoptrail.stores.records.folder import prepare_folder
from hoptrail.stores.records.graph_table import GraphChange
from hoptrail.stores.records.information import LedgerRow
from hoptrail.stores.records.item_store import SqliteGraphStore
from hoptrail.stores.records.origin import Origin, SourceRoot
from hoptrail.stores.records.private_copy import private_copy
from hoptrail.stores.records.taking_in import take_in_base
from hoptrail.stores.records.triple_table import TripleList
from hoptrail.stores.records.verified_embedder import VerifiedEmbedder
from hoptrail.stores.records.writer_lock import WriterLock
from hoptrail.stores.serving import BaseDescription
from hoptrail.stores.snapshot.community_index import (
    CommunityIndex,
    build_community_arrays,
    load_community_index,
)
from hoptrail.stores.snapshot.graph_index import GraphIndex
from hoptrail.stores.snapshot.item_texts import texts_without_vectors, told_relations
from hoptrail.stores.snapshot.lexicon import Lexicon
from hoptrail.stores.snapshot.publishing import CurrentSnapshot, current_snapshot, publish_snapshot
from hoptrail.stores.snapshot.snapshot import Snapshot, SnapshotCache
from hoptrail.stores.view import View

_STATIC_VECTORS = "static_vectors"  # the embedder whose static model made some of its, its name
_REMEMBERED = 1024  # questions, and texts beside them: one is asked through many channels


@dataclass(frozen=True, slots=True)
class _Memory:
    """The embedder with what it embedded lately; both are one where it embeds both alike."""

    texts: RememberingEmbedder
    questions: RememberingEmbedder


class KnowledgeBase:
    """One folder: SQLite holds the truth, arrays beside it each published generation.

    Readers may be many, in any thread and process; there is one writer. What is written is seen in
    `index`, `lexicon` and `vectors` once it is published. Use `open`, and close it (or use `with`).
    """

    def __init__(
        self, path: Path, database: Database, lock: WriterLock | None, embedder: Embedder | None
    ) -> None:
        self._path = path
        self._database = database
        self._lock = lock
        self._embedder = embedder
        self._cache = SnapshotCache(path)
        self._snapshot = CurrentSnapshot(self._load_snapshot)
        self._store = SqliteGraphStore(database)
        self._embedder_id: int | None = None
        self._embedder_id = self._agree_on_embedder(embedder)
        self._memory = self._remember(embedder)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | None = None,
        writable: bool = False,
        create: bool = False,
    ) -> Self:
        """Open a knowledge base.

        Args:
            path: Its folder.
            embedder: Turns questions into vectors; must be the one that embedded the base.
            writable: Take the writer's lock.
            create: Make a missing or empty folder a new base; implies `writable`.

        Raises:
            NotAKnowledgeBaseError: If there is none and `create` is not given.
            FormatVersionError: If a newer Hoptrail wrote it.
            KnowledgeBaseLockedError: If it is to be written and another process does so.
            EmbedderMismatchError: If it was embedded with another model.
            KnowledgeBaseError: If its file is damaged.
        """
        folder = Path(path)
        prepare_folder(folder, create=create)
        lock = WriterLock(folder) if writable or create else None
        database: Database | None = None
        try:
            database = Database(folder, writable=lock is not None, create=create)
            return cls(folder, database, lock, embedder)
        except BaseException:
            if database is not None:
                database.close()
            if lock is not None:
                lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and give the writer's lock back; a second call does nothing."""
        self._database.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def close_when_unused(self) -> None:
        """Close the file once nothing refers to this object any more."""
        finalize(self, self._database.close)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    @property
    def name(self) -> str:
        """That of its folder, wherever it was moved to; of a filtered part, that of the whole."""
        with self._database.read() as connection:
            return meta_table.read_meta(connection, PART_OF) or self._path.resolve().name

    @property
    def generation(self) -> int:
        """Number of the published generation that `index` and the others show."""
        return self._snapshot.get().index.generation

    @property
    def newest_generation(self) -> int:
        """Number of the last published generation, shown or not; 0 before the first."""
        with self._database.read(newest=True) as connection:
            return meta_table.generation(connection)

    @property
    def is_published(self) -> bool:
        """Whether the published generation shows all that was written."""
        with self._database.read() as connection:
            return not meta_table.is_changed(connection)

    @property
    def size(self) -> Size:
        """How much the published generation holds."""
        snapshot = self._snapshot.get()
        index, reports = snapshot.index, snapshot.vectors["report"]
        return Size(
            len(index.chunk_ids), len(index.entity_ids), len(index.relation_ids), len(reports)
        )

    @property
    def store(self) -> GraphStore:
        """Documents, chunks, entities, relations and communities by id."""
        return self._store

    @property
    def index(self) -> GraphIndex:
        """The graph as arrays."""
        return self._snapshot.get().index

    @property
    def community_index(self) -> CommunityIndex:
        """The hierarchy of communities as arrays."""
        return self._snapshot.get().communities

    @property
    def hubs(self) -> Hubs:
        """Entities with many relations, these grouped by what scores the same."""
        return self._snapshot.get().hubs

    @property
    def lexicon(self) -> Lexicon:
        """Words and the chunks they stand in."""
        return self._snapshot.get().lexicon

    def vectors(self, kind: VectorKind) -> VectorIndex:
        """Return the vectors of the items of one kind."""
        return self._snapshot.get().vectors[kind]

    @property
    def embedder(self) -> Embedder:
        """The embedder that it was opened with, or changed to.

        Raises:
            KnowledgeBaseError: If the base was opened without one.
        """
        return self._known_memory().texts.embedder

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, shape (dim,); recent ones are remembered.

        Raises:
            KnowledgeBaseError: If the base was opened without an embedder.
        """
        return embed_one(self._known_memory().questions, text)

    def embed_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of any texts, shape (len(texts), dim); stored ones are taken.

        Only texts that the base has no vector of reach the embedder; recent ones are remembered.

        Raises:
            KnowledgeBaseError: If the base was opened without an embedder.
        """
        vectors = self.embeddings(texts)
        missing = np.flatnonzero(~vectors.any(axis=1))
        if len(missing):
            made = self._known_memory().texts.embed([texts[i] for i in missing.tolist()])
            vectors[missing] = made
        return vectors

    def refresh(self) -> bool:
        """Take up a newer generation where there is one, and return whether there was."""
        return self._snapshot.refresh(self.newest_generation)

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Show this thread one generation within: arrays, and texts from `store` that go with them.

        Another thread or process may publish meanwhile. A newer generation is taken up before.
        """
        while True:
            with self._database.pinned() as connection, self._snapshot.pinned():
                shown, newest = self.generation, meta_table.generation(connection)
                if shown == newest:
                    yield
                    return
            if shown < newest:
                self._snapshot.refresh(newest)

    @contextmanager
    def view(self, focus: Focus | None = None) -> Iterator[View]:
        """Show one generation within: all of it, whatever the focus."""
        with self.pinned():
            shown = self._snapshot.get()
            yield View(
                self._store,
                shown.index,
                shown.communities,
                lambda: shown.lexicon,
                shown.vectors,
                shown.hubs,
                shown.derived,
            )

    def counts(self) -> dict[str, int]:
        """Return the number of documents, chunks, extractions, entities, relations and merges."""
        with self._database.read() as connection:
            return information.counts(connection, self._published_counts(connection))

    def ledger(self) -> list[LedgerRow]:
        """Return what was done and spent, one row per document."""
        with self._database.read() as connection:
            return information.ledger(connection)

    def info(self, *, documents: bool = False) -> JsonDict:
        """Return what `hoptrail info --json` prints; `documents` adds the ledger."""
        with self._database.read() as connection:
            counts = information.counts(connection, self._published_counts(connection))
            told = information.info(connection, counts, documents=documents)
        return {"name": self.name, **told}

    def schema(self) -> dict[str, str]:
        """Return the definition of each entity type: as last put, else as the data suggest."""
        with self._database.read() as connection:
            return graph_schema.read_schema(connection)

    def edited_schema(self) -> dict[str, str]:
        """Return the entity types as last put, none where they are only proposed."""
        with self._database.read() as connection:
            return graph_schema.read_edited_schema(connection)

    def put_schema(self, definitions: Mapping[str, str]) -> None:
        """Set the entity types with their definitions; none at all brings back the proposal."""
        with self._database.write() as connection:
            graph_schema.write_schema(connection, "edited", definitions)

    @property
    def description(self) -> str:
        """The graph's subject in words: as last put, else as the data suggest."""
        with self._database.read() as connection:
            return graph_schema.read_description(connection)

    def put_description(self, text: str) -> None:
        """Set what the graph is about; an empty text brings back the proposal."""
        with self._database.write() as connection:
            graph_schema.write_description(connection, "edited", text.strip())

    def content_hashes(self) -> dict[str, str]:
        """Return `Document.content_hash` by document id, in order of ids."""
        with self._database.read() as connection:
            return document_table.content_hashes(connection)

    def iter_chunks(self, doc_ids: Iterable[str] | None = None) -> Iterator[Chunk]:
        """Yield the chunks of some documents, or all, by document and place in it.

        They are those of the present state, published or not.
        """
        with self._database.read() as connection:
            yield from document_table.iter_chunks(connection, doc_ids)

    def export(self, target: str | Path | TextIO, format: ExportFormat | None = None) -> list[Path]:
        """Write everything that was indexed in canonical order, as `hoptrail export` does.

        Args:
            target: A file, or an open text stream.
            format: `jsonl`, `graphml` or `csv`; a file's ending tells it otherwise. JSONL holds
                documents, chunks, mentions, entities, relations and merges, the others the graph.
                CSV is the table of relations, with `<stem>_entities.csv` beside a file.

        Returns:
            The files that were written.

        Raises:
            InputError: If the format is not known or the file cannot be written.
        """
        with self._database.read() as connection:
            return exporting.export(connection, target, format)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Join the writes of this thread within into one transaction; an error undoes them all."""
        try:
            with self._database.write():
                yield
        except BaseException:
            self._snapshot.drop()  # it may show a generation that was undone
            raise

    @contextmanager
    def private_copy(self) -> Iterator[Self]:
        """Give a writable copy of the present state, which is gone afterwards.

        It takes no lock of the original and has no vectors of texts.
        """
        with (
            private_copy(self._database, self._path) as folder,
            type(self).open(folder, writable=True) as copy,
        ):
            yield copy

    def document_records(self) -> list[Document]:
        """Return all documents by id, published or not, without their texts."""
        with self._database.read() as connection:
            return document_table.document_records(connection)

    def copy_documents(self, folder: Path, doc_ids: Sequence[str]) -> None:
        """Write a knowledge base of these documents and what was read in them.

        Its graph and vectors are to be derived, and it is to be published.

        Args:
            folder: An empty folder.
            doc_ids: Documents of this base.
        """
        name = self.name
        with self._database.read() as connection:
            write_filtered_copy(connection, folder, doc_ids, name)

    def take_in(self, other: KnowledgeBase) -> dict[str, str]:
        """Add the documents of another base with what was read in them, all or nothing.

        The graph is to be derived, and to be published, by others.

        Returns:
            "added" or "unchanged" for each document of the other base, by id.

        Raises:
            InputError: If both have a document of one id with other content.
        """
        with other._database.read() as source, self._database.write() as target:
            return take_in_base(source, target)

    def put_document(self, document: Document, chunks: Sequence[Chunk]) -> PutResult:
        """Store a document with exactly these chunks; what stays keeps its extractions."""
        with self._database.write() as connection:
            return document_table.put_document(connection, document, chunks)

    def delete_documents(self, ids: Iterable[str], *, derived: bool = False) -> None:
        """Delete documents with all that was read in them, and community reports that rest on them.

        The graph is derived anew by others.

        Readers miss their text from the commit on, so publish in the same `transaction`.

        Args:
            ids: Their ids.
            derived: Whether the graph was derived without them within this `transaction`, which is
                to publish it too: their text is gone from the file only then.

        Raises:
            UnknownNameError: If one is not there; then nothing is deleted.
        """
        with self._database.write() as connection:
            document_table.delete_documents(connection, ids, derived=derived)
            source_table.forget_unused(connection)

    def rename_document(self, old: str, new: str) -> None:
        """Give a document another id, with all that was read in it; `new` must not be there yet."""
        with self._database.write() as connection:
            document_table.rename_document(connection, old, new)

    def missing_documents(self, ids: Iterable[str]) -> set[str]:
        """Return which of these ids no document has or once had."""
        with self._database.read(newest=True) as connection:
            return source_table.missing_documents(connection, ids)

    def origins(self) -> list[Origin]:
        """Return the file or address that each document was read from, by id."""
        with self._database.read() as connection:
            return source_table.origins(connection)

    def source_roots(self) -> dict[str, SourceRoot]:
        """Return where the files of each source lie, by the source's name."""
        with self._database.read() as connection:
            return source_table.source_roots(connection)

    def put_source_roots(self, roots: Iterable[SourceRoot]) -> None:
        """Record where the files of sources lie."""
        with self._database.write() as connection:
            source_table.put_source_roots(connection, roots)

    def move_root(self, old: str, new: str) -> None:
        """Note that a folder, an absolute path, lies elsewhere now with all its files."""
        with self._database.write() as connection:
            source_table.move_root(connection, old, new)

    def file_stamps(self) -> dict[str, str]:
        """Return what told the version of each file that was read as a whole, by path."""
        with self._database.read() as connection:
            return source_table.file_stamps(connection)

    def put_file_stamps(self, stamps: Mapping[str, str]) -> None:
        """Record the versions of files, by path."""
        with self._database.write() as connection:
            source_table.put_file_stamps(connection, stamps)

    def put_extraction(
        self,
        doc_id: str,
        chunk_id: str | None,
        extractor: str,
        extraction: Extraction | None,
        usage: NodeUsage,
        error: str | None = None,
    ) -> None:
        """Store what an extractor read in a chunk (None: in the document as a whole), at once.

        Without an `extraction` it is a failure with this `error`. What was spent is added to what
        earlier tries at the same place spent.
        """
        with self._database.write() as connection:
            extraction_table.put_extraction(
                connection, doc_id, chunk_id, extractor, extraction, usage, error
            )

    def drop_extractions(self, extractor: str, chunk_ids: Iterable[str] | None = None) -> None:
        """Delete an extractor's results and failures, of these chunks or all."""
        with self._database.write() as connection:
            extraction_table.drop_extractions(connection, extractor, chunk_ids)

    def extractors(self) -> list[str]:
        """Return the names of all that read in documents, in order."""
        with self._database.read() as connection:
            return extraction_table.extractors(connection)

    def extraction_status(
        self, extractor: str, chunk_ids: Sequence[str] | None = None
    ) -> dict[str, ExtractionStatus]:
        """Return what became of each chunk (or document, by its id) that it was given.

        Args:
            extractor: Its name.
            chunk_ids: Chunks that are asked about; more may be told. None for all.
        """
        with self._database.read() as connection:
            return extraction_table.extraction_status(connection, extractor, chunk_ids)

    def failed_extractions(self) -> list[FailedExtraction]:
        """Return all failures that no later try has mended."""
        with self._database.read() as connection:
            return extraction_table.failed_extractions(connection)

    def mentions(self) -> Iterator[Mention]:
        """Yield `(doc_id, chunk_id or None, extractor, extraction)` in canonical order."""
        with self._database.read() as connection:
            yield from extraction_table.iter_mentions(connection)

    def mentions_added(self) -> list[Mention] | None:
        """Return what was read in the documents that the graph lacks, None if it lacks more."""
        with self._database.read() as connection:
            if extraction_table.has_document_mentions(connection):
                return None
            added = unpublished_table.underived(connection)
            return extraction_table.mentions_of(connection, "doc_id", added)

    def mentions_derived(self, doc_ids: Collection[str]) -> list[Mention] | None:
        """Return what the graph has of some documents, None if that is not to be told apart."""
        with self._database.read() as connection:
            if extraction_table.has_document_mentions(connection):
                return None
            if any(unpublished_table.is_underived(connection, doc_id) for doc_id in doc_ids):
                return None
            return extraction_table.mentions_of(connection, "doc_id", sorted(doc_ids))

    def mentions_named(
        self, keys: Iterable[str], pairs: Iterable[LabelPair], most: int
    ) -> tuple[set[str], list[Mention]]:
        """Return all names that these lead to by names of one entity, and where the graph has them.

        Args:
            keys: Keys of names.
            pairs: Keys that lead to each other beside.
            most: In how many chunks at most.

        Raises:
            TooManyMentionsError: If they stand in more.
        """
        with self._database.read() as connection:
            known, chunks = graph_table.items_named(connection, keys, pairs, most)
            return known, extraction_table.mentions_of(connection, "chunk_id", sorted(chunks))

    @property
    def derived_by(self) -> str:
        """Rules and decisions by which the graph was derived from all but `mentions_added`."""
        with self._database.read() as connection:
            return unpublished_table.derived_by(connection)

    def note_derived(self, by: str) -> None:
        """Note that the graph is derived from all documents; with "", that it never counts so.

        Args:
            by: Version and choices of what derived it.
        """
        with self._database.write() as connection:
            unpublished_table.note_derived(connection, by)

    def change_graph(self, change: GraphChange) -> None:
        """Write what differs of the graph.

        Raises:
            KnowledgeBaseError: If a relation's end point is not among the entities.
        """
        with self._database.write() as connection:
            changed = graph_table.change_graph(connection, change)
            if not (changed.entities or changed.relations or change.merges or change.gone_merges):
                return
            unpublished_table.list_items(connection, "entity", changed.entities)
            unpublished_table.list_items(connection, "relation", changed.relations)
            graph_inputs.record_inputs(connection, "")
            community_table.mark_stale(connection)

    def put_triples(self, doc_id: str, digest: str, triples: TripleList) -> None:
        """Store a bare graph as what a document states; `digest` tells a changed one apart."""
        with self._database.write() as connection:
            triple_table.put_triples(connection, doc_id, digest, triples)
            meta_table.mark_changed(connection)

    def triple_digests(self) -> dict[str, str]:
        """Return the digest of each bare graph by document, in order of documents."""
        with self._database.read() as connection:
            return triple_table.triple_digests(connection)

    def triples(self) -> Iterator[TripleList]:
        """Yield the bare graphs in order of their documents."""
        with self._database.read() as connection:
            yield from triple_table.iter_triples(connection)

    def replace_graph(
        self, entities: Iterable[Entity], relations: Iterable[Relation], merges: Iterable[Merge]
    ) -> bool:
        """Make these the graph, and return whether that changed anything.

        Raises:
            KnowledgeBaseError: If a relation's end point is not among the entities.
        """
        with self._database.write() as connection:
            changed = graph_table.replace_graph(connection, entities, relations, merges)
            if changed:
                graph_inputs.record_inputs(connection, "")
                community_table.mark_stale(connection)
                meta_table.mark_changed(connection)
                unpublished_table.note_derived(connection, "")
            return changed

    def graph_inputs(self, version: str) -> str:
        """Return the hash of all that the graph is derived from, and of the rules' version."""
        with self._database.read() as connection:
            return graph_inputs.inputs_digest(connection, version)

    def replace_graph_in_bulk(
        self,
        bulk: BulkGraph,
        entities: Collection[Entity],
        relations: Collection[Relation],
        merges: Collection[Merge],
        *,
        inputs: str,
        advance: Callable[[int], None],
    ) -> None:
        """Make the columns and these items the graph.

        Args:
            bulk: The columns.
            entities: Read from passages; of an id that both have, this item counts.
            relations: The same.
            merges: The merges.
            inputs: What `graph_inputs` returned when the graph was derived.
            advance: Told how many rows were written.
        """
        with self._database.write() as connection:
            write_bulk_graph(connection, bulk, (entities, relations, merges), advance)
            graph_inputs.record_inputs(connection, inputs)
            community_table.mark_stale(connection)
            meta_table.mark_changed(connection)

    @property
    def derived_from(self) -> str:
        """The `graph_inputs` of the present graph, "" unless it was written in bulk."""
        with self._database.read() as connection:
            return graph_inputs.recorded_inputs(connection)

    def merges(self) -> list[Merge]:
        """Return the merges of the present graph, by id."""
        with self._database.read() as connection:
            return list(graph_table.iter_merges(connection))

    def undo_merge(self, merge_id: str) -> None:
        """Veto a merge: the next derivation of the graph keeps the two apart.

        Raises:
            UnknownNameError: If there is no such merge.
        """
        with self._database.write() as connection:
            graph_table.veto_merge(connection, merge_id)

    def decisions(self, schema: Collection[str] | None = None) -> Decisions:
        """Return what resolution has to respect: vetoes, confirmed merges and type labels.

        Args:
            schema: Types that labels may have; those of the edited schema where None.
        """
        with self._database.read() as connection:
            return consolidation_table.read_decisions(connection, schema)

    def judged_labels(self) -> set[str]:
        """Return the label of each sense that a model was asked about, whatever it said."""
        with self._database.read() as connection:
            return consolidation_table.judged_labels(connection)

    def put_verdicts(self, verdicts: Mapping[LabelPair, bool]) -> None:
        """Store whether pairs of sense labels are one thing; the next derivation respects it."""
        with self._database.write() as connection:
            consolidation_table.put_verdicts(connection, verdicts)

    def put_type_labels(self, labels: Mapping[str, str]) -> None:
        """Store the schema's entity type for types that an extractor wrote, by their name key."""
        with self._database.write() as connection:
            consolidation_table.put_type_labels(connection, labels)

    def communities(self, level: int | None = None) -> list[Community]:
        """Return the communities of one level or all, with their reports, by level and id.

        They come without `entity_ids`; `store.communities` returns these too.
        """
        with self._database.read() as connection:
            return community_table.list_communities(connection, level)

    def community_levels(self) -> list[CommunityLevel]:
        """Return how many communities each level has, the coarsest first."""
        with self._database.read() as connection:
            return community_table.community_levels(connection)

    def community_keys(self) -> dict[str, str]:
        """Return the content hash of each community, which its report is stored under, by id."""
        with self._database.read() as connection:
            return community_table.community_keys(connection)

    def hierarchy(self) -> dict[str, tuple[str, ...]]:
        """Return the ids of the children by the parent's id, those of level 0 under ""."""
        with self._database.read() as connection:
            return community_table.hierarchy(connection)

    def unpublished_community_index(self) -> CommunityIndex:
        """Return the hierarchy as it is now, as arrays; entities are rows of `index`."""
        entity_ids = self.index.entity_ids
        with self._database.read() as connection:
            arrays = build_community_arrays(connection, entity_ids)
        return load_community_index({"entity_ids": entity_ids, **arrays})

    @property
    def communities_stale(self) -> bool:
        """Whether the graph changed since the communities were made."""
        with self._database.read() as connection:
            return community_table.is_stale(connection)

    def replace_communities(
        self,
        communities: Sequence[Community],
        keys: Mapping[str, str],
        *,
        record: ClusteringRecord | None = None,
    ) -> bool:
        """Make these the hierarchy, none of them stale; return whether that changed anything.

        Reports stay, also those whose key no community bears any more.

        Args:
            communities: Their reports are not read. `entity_ids` of one with children may be left
                out (with `size` set), or list all members.
            keys: Content hash of each by id: of members, relations and the children's keys.
            record: What the next clustering is to go on from; without it, a hierarchy that is new
                has none.
        """
        with self._database.write() as connection:
            changed = community_table.replace_communities(connection, communities, keys)
            if changed:
                clustering_table.drop_clustering(connection)
                meta_table.mark_changed(connection)
            if record is not None:
                clustering_table.put_clustering(connection, record)
            return changed

    def clustering(self) -> ClusteringRecord | None:
        """Return what the next clustering goes on from, None where there is nothing."""
        with self._database.read() as connection:
            return clustering_table.read_clustering(connection)

    def adopt_communities(self, keys: Mapping[str, str], record: ClusteringRecord) -> None:
        """Let the next clustering go on from a hierarchy that was made elsewhere.

        Args:
            keys: Content hash of each community by id, in place of those it was given with.
            record: The hierarchy as a tree of clusters.
        """
        with self._database.write() as connection:
            community_table.rename_keys(connection, keys)
            clustering_table.put_clustering(connection, record)

    def descriptions(self, table: Literal["entities", "relations"]) -> Iterator[tuple[str, str]]:
        """Yield id and description of the entities or relations that have one, by id."""
        with self._database.read() as connection:
            yield from graph_table.iter_descriptions(connection, table)

    def mark_communities(self, changed: Iterable[str], *, stale: bool) -> None:
        """Note which communities the present graph changes, and whether any work is to be done.

        A new entity may make the hierarchy stale and no community of it.
        """
        with self._database.write() as connection:
            community_table.put_stale(connection, changed, stale=stale)

    def put_report(self, key: str, report: Community, *, maker: str, usage: NodeUsage) -> None:
        """Store a report under its community's content hash, at once, in place of an earlier one.

        Args:
            key: From `community_keys`.
            report: Title, summary, rating and findings are kept.
            maker: What made it; `report_keys` tells the reports of one maker.
            usage: What it took.
        """
        with self._database.write() as connection:
            community_table.put_report(connection, key, report, maker, usage)
            meta_table.mark_changed(connection)

    def report_keys(self, maker: str | None = None) -> set[str]:
        """Return the content hashes that have a report, of one maker or any."""
        with self._database.read() as connection:
            return community_table.report_keys(connection, maker)

    def prune_reports(self, maker: str | None = None) -> int:
        """Delete the reports that no present community has, and return their number.

        Args:
            maker: Whose reports are deleted whatever community has them.
        """
        with self._database.write() as connection:
            return community_table.prune_reports(connection, maker)

    def texts_without_vectors(self, *, read: bool | None = None) -> list[str]:
        """Return each text that still needs a vector once, in a stable order.

        These are the passages, their sentences, and the texts of entities, relations and reports.

        Args:
            read: Only what was read in passages, which are sentences, names and relations (True),
                only the rest (False), or both.
        """
        with self._database.read() as connection:
            return texts_without_vectors(connection, self._embedder_id, read=read)

    def texts_without_vectors_of(self, embedder: str) -> list[str]:
        """Return each text once that no embedder of this name gave a vector, in a stable order."""
        with self._database.read() as connection:
            embedder_id = embedding_table.newest_of_name(connection, embedder)
            return texts_without_vectors(connection, embedder_id)

    def texts_read(self) -> list[str]:
        """Return the sentences, names and relations that were read in passages, each once."""
        with self._database.read() as connection:
            return texts_without_vectors(connection, None, read=True)

    def put_embeddings(
        self, texts: Sequence[str], vectors: FloatArray, *, static: str | None = None
    ) -> None:
        """Store the unit vectors of these texts, shape (len(texts), dim).

        Args:
            texts: The texts.
            vectors: Their vectors.
            static: Name of the embedder's static model, if that made them. Where another one made
                vectors before, these remain noted as its: what it made is still among them.

        Raises:
            KnowledgeBaseError: If the shape is wrong, or the base has no embedder yet.
        """
        with self._database.write() as connection:
            had_vectors = embedding_table.put_embeddings(
                connection, self._known_embedder(), texts, vectors
            )
            if static is not None and self._static_model(connection) is None:
                noted = f"{self._embedder_id} {static}"
                meta_table.write_meta(connection, _STATIC_VECTORS, noted)
            if had_vectors or not unpublished_table.listed_only(connection):
                meta_table.mark_changed(connection)

    @property
    def static_model(self) -> str | None:
        """Name of the static model that made vectors of names, relations and sentences.

        None where the embedder itself made all; empty in a base of a version that did not note it.
        """
        with self._database.read() as connection:
            return self._static_model(connection)

    def note_static_model(self, name: str | None) -> None:
        """Note which static model has made all those vectors anew, None for the embedder itself."""
        noted = "" if name is None else f"{self._embedder_id} {name}"
        with self._database.write() as connection:
            meta_table.write_meta(connection, _STATIC_VECTORS, noted)
            change_table.note_all_changed(connection)

    def embeddings(self, texts: Sequence[str]) -> FloatArray:
        """Return stored vectors, shape (len(texts), dim); zeros for a text that has none yet.

        Raises:
            KnowledgeBaseError: If neither the base nor who opened it has an embedder.
        """
        if self._embedder_id is None and self._embedder is not None:
            return np.zeros((len(texts), self._embedder.dim), dtype=np.float32)
        with self._database.read() as connection:
            return embedding_table.stored_vectors(connection, self._known_embedder(), texts)

    def told_relations(self) -> list[str]:
        """Return the ids of the relations with a text of their own; others share a vector."""
        with self._database.read() as connection:
            return told_relations(connection)

    def change_embedder(self, embedder: Embedder) -> None:
        """Embed with another model from now on; readers see its vectors once it is published."""
        probe = probe_vector(embedder)
        with self._database.write() as connection:
            self._embedder_id = embedding_table.register_embedder(connection, embedder.name, probe)
        self._embedder = embedder
        self._memory = self._remember(embedder)

    def publish(self) -> int:
        """Make the present state the next generation and return its number.

        Embeddings that no text needs any more are deleted. A state that is already published keeps
        its number. Within a `transaction`, readers see it when that ends.
        """
        number = publish_snapshot(self._database, self._cache, self._embedder_id)
        self.refresh()
        return number

    @property
    def changes_tracked_since(self) -> int:
        """The generation from which on it is known what changed; tracking has begun."""
        with self._database.read() as connection:
            return change_table.tracked_since(connection)

    def track_changes(self) -> None:
        """Note from now on which items change, for servers that are told of changes alone."""
        with self._database.write() as connection:
            change_table.start_tracking(connection)

    def forget_changes(self, until: int) -> None:
        """Forget what changed up to a generation that every server shows."""
        with self._database.write() as connection:
            change_table.forget_changes(connection, until)

    def base_description(self) -> BaseDescription:
        """Return what the published base says of itself to a server; its changes are tracked."""
        index = self.index
        with self._database.read() as connection:
            embedder = embedding_table.published_embedder(connection)
            return BaseDescription(
                records_id=change_table.records_id(connection),
                name=self.name,
                description=graph_schema.read_description(connection),
                schema=graph_schema.read_schema(connection),
                embedder="" if embedder is None else embedder.name,
                dim=0 if embedder is None else embedder.dim,
                counts={
                    "document": len(index.doc_ids),
                    "chunk": len(index.chunk_ids),
                    "entity": len(index.entity_ids),
                    "relation": len(index.relation_ids),
                    "community": len(self.community_index.ids),
                },
                predicates=len(index.predicates),
            )

    def change(self, since: int | None) -> RecordedChange:
        """Return what is published and was not in an earlier generation; None: all of it."""
        return RecordedChange(
            self._database.read,
            self._store,
            self.vectors,
            self.base_description(),
            self.newest_generation,
            since,
        )

    def _static_model(self, connection: sqlite3.Connection) -> str | None:
        noted = meta_table.read_meta(connection, _STATIC_VECTORS) or ""
        made_for, _, name = noted.partition(" ")
        return name if made_for == str(self._embedder_id) else None

    def _published_counts(self, connection: sqlite3.Connection) -> dict[str, int]:
        """Return what the arrays tell about tables that are slow to count; {} where they differ."""
        if meta_table.is_changed(connection):
            return {}
        snapshot = self._cache.load(meta_table.generation(connection))
        if snapshot is None:
            return {}
        index = snapshot.index
        return {
            "chunks": len(index.chunk_ids),
            "entities": len(index.entity_ids),
            "relations": len(index.relation_ids),
        }

    def _load_snapshot(self) -> Snapshot:
        """Load the published generation, unless another model embedded it since `open`."""
        if self._lock is None and self._embedder is not None:
            before = self._embedder_id
            self._embedder_id = self._agree_on_embedder(self._embedder)
            if self._embedder_id != before:
                self._memory = self._remember(self._embedder)
        return current_snapshot(self._database, self._cache)

    def _known_memory(self) -> _Memory:
        if self._memory is None:
            raise KnowledgeBaseError(
                f"{self._path} was opened without an embedder", hint="open it with embedder=..."
            )
        return self._memory

    def _remember(self, embedder: Embedder | None) -> _Memory | None:
        """Return the embedder with a memory; a remote one with a check of what it sends."""
        if embedder is None:
            return None
        if isinstance(embedder, RemoteEmbedder) and self._embedder_id is not None:
            with self._database.read() as connection:
                record = embedding_table.embedder_record(connection, self._embedder_id)
            embedder = VerifiedEmbedder(embedder, record, self._path)
        texts = RememberingEmbedder(embedder, _REMEMBERED)
        if is_symmetric(embedder):
            return _Memory(texts, texts)
        return _Memory(texts, RememberingEmbedder(embedder, _REMEMBERED, of_queries=True))

    def _known_embedder(self) -> int:
        if self._embedder_id is None:
            raise KnowledgeBaseError(
                f"{self._path} has no embedder yet", hint="open it with embedder=..."
            )
        return self._embedder_id

    def _agree_on_embedder(self, embedder: Embedder | None) -> int | None:
        """Check the embedder against the record, or record it where there is none."""
        with self._database.read() as connection:
            record = embedding_table.published_embedder(connection)
        if record is not None:
            if embedder is not None and record.id != self._embedder_id:
                check_embedder(record, embedder, self._path)
            return record.id
        if embedder is None or self._lock is None:
            return None
        probe = probe_vector(embedder)
        with self._database.write() as connection:
            embedder_id = embedding_table.register_embedder(connection, embedder.name, probe)
            embedding_table.publish_embedder(connection, embedder_id)
        return embedder_id
