"""Stage one: documents and given triples go into the knowledge base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import BinaryIO, TypeVar

from hoptrail.core.errors import InputError, SourceRootError
from hoptrail.core.progress import Progress
from hoptrail.core.types import Chunk, Document, Extraction, NodeUsage
from hoptrail.indexing.document_languages import DocumentLanguages
from hoptrail.indexing.file_run import FileRun
from hoptrail.indexing.given_graphs.bare_triples import read_bare
from hoptrail.indexing.given_graphs.triples import (
    PassageTriples,
    files_digest,
    plain_stem,
    read_passages,
    split_by_chunk,
    triple_form,
)
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.documents import Source, Wanted, every_document, load_documents
from hoptrail.indexing.loading.files import Skipped, real_path
from hoptrail.indexing.loading.scans.reading import Scans
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.report import RunLog
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.source_table import file_uri

_BATCH = 128
_BATCH_SECONDS = 5.0
T = TypeVar("T")


def store_documents(
    kb: KnowledgeBase,
    inputs: Sequence[Source],
    options: IndexOptions,
    log: RunLog,
    progress: Progress,
    stdin: BinaryIO | None = None,
    *,
    files: FileRun,
    scans: Scans | None = None,
    wanted: Wanted = every_document,
) -> None:
    """Load, chunk and store the inputs, some documents per transaction.

    Pictures are recognised by `scans`, or as the options say; `wanted` decides by their ids which
    documents are read.

    Raises:
        SourceRootError: If one would give a source a second root; then nothing is stored.
    """
    progress.start("load", None)
    files.names.check(inputs)
    triples = kb.triple_digests()
    scans = scans or Scans(options.ocr, shelf=kb, progress=progress, max_pages=options.ocr_pages)
    loaded = load_documents(
        inputs,
        source=options.source,
        stdin=stdin,
        code=options.code,
        private_addresses=options.private_addresses,
        names=files.names,
        stamps=files.stamps,
        left_out=files.left_out,
        scans=scans,
        wanted=wanted,
    )
    languages = DocumentLanguages(kb)
    while batch := _take(loaded, log):
        documents: list[Document] = []
        for item in batch:
            if isinstance(item, Skipped):
                log.skipped.append(item)
            elif item.id in triples and item.text:
                log.skipped.append(Skipped(item.id, "in the knowledge base as a list of triples"))
            else:
                log.note_text(item)
                documents.append(item)
        documents = languages.told(documents)
        with log.timed("load"):
            chunked = [(doc, chunk_document(doc, options.chunk_tokens)) for doc in documents]
        with log.timed("store"), kb.transaction():
            for document, chunks in chunked:
                is_moved = _take_over(kb, document, files, log)
                outcome = kb.put_document(document, chunks)
                same = "moved" if is_moved else "unchanged"
                log.outcomes[document.id] = same if outcome == "unchanged" else outcome
            kb.put_source_roots(files.names.roots_of({doc.source for doc in documents}))
        progress.advance("load", len(documents))
    for origin in files.unchanged():
        log.outcomes.setdefault(origin.doc_id, "unchanged")
    languages.settle()
    kb.put_file_stamps({path: stamp for path, stamp in files.stamps.whole.items() if stamp})
    kb.forget_unused_scans()
    progress.finish("load")


def store_triples(
    kb: KnowledgeBase,
    options: IndexOptions,
    log: RunLog,
    progress: Progress,
    *,
    files: FileRun,
) -> None:
    """Store the given triples with the documents that they belong to.

    Raises:
        SourceRootError: If a file would give a source a second root.
    """
    if not options.triples:
        return
    progress.start("triples", None)
    writer = _TripleWriter(kb, options, log)
    for path in options.triples:
        try:
            if triple_form(path) == "passages":
                _store_passages(path, writer, log, progress)
            else:
                _store_bare(kb, path, files, log, progress)
        except SourceRootError:
            raise
        except InputError as error:
            log.skipped.append(Skipped(str(path), error.message))
        except UnicodeDecodeError:
            log.skipped.append(Skipped(str(path), "not text in UTF-8"))
        except OSError as error:
            log.skipped.append(Skipped(str(path), error.strerror or str(error)))
    progress.finish("triples")


def _store_passages(path: Path, writer: _TripleWriter, log: RunLog, progress: Progress) -> None:
    loaded = read_passages(path)
    while batch := _take(loaded, log):
        with log.timed("store"), writer.kb.transaction():
            for item in batch:
                writer.put(path, item)
        progress.advance("triples", len(batch))


def _store_bare(
    kb: KnowledgeBase, path: Path, files: FileRun, log: RunLog, progress: Progress
) -> None:
    """Store a bare graph at once, unless its files are the same as before."""
    real = real_path(path)
    name = files.names.file(real)
    identity, stem = name.id, plain_stem(path)
    document = Document(identity, stem, "", name.source, uri=file_uri(real))
    is_moved = _take_over(kb, document, files, log)
    with log.timed("load"):
        digest = files_digest(path)
        if kb.triple_digests().get(identity) == digest:
            log.outcomes[identity] = "moved" if is_moved else "unchanged"
            return
        triples, skipped = read_bare(path, lambda lines: progress.advance("triples", lines))
    log.skipped += skipped
    if triples is None:
        return
    with log.timed("store"), kb.transaction():
        outcome = kb.put_document(document, [])
        kb.put_source_roots(files.names.roots_of({name.source}))
        kb.put_triples(identity, digest, triples)
        # The ledger shows by it who read the document.
        kb.put_extraction(identity, None, f"triples:{stem}", Extraction(), NodeUsage())
    log.outcomes[identity] = "added" if outcome == "added" else "replaced"


def _take_over(kb: KnowledgeBase, document: Document, files: FileRun, log: RunLog) -> bool:
    """Give the document its id where the base has it under another one, and tell whether it had."""
    former = files.former.find(document)
    if former is None:
        return False
    kb.rename_document(former, document.id)
    log.former_ids[document.id] = former
    return True


def _take(items: Iterator[T], log: RunLog) -> list[T]:
    """Return the next items; fewer where they come slowly, so that what is there is stored."""
    taken: list[T] = []
    with log.timed("load"):
        began = perf_counter()
        for item in islice(items, _BATCH):
            taken.append(item)
            if perf_counter() - began > _BATCH_SECONDS:
                break
    return taken


class _TripleWriter:
    """Joins triples to documents by title and text, else by id, else adds the passage."""

    def __init__(self, kb: KnowledgeBase, options: IndexOptions, log: RunLog) -> None:
        self.kb = kb
        self._options = options
        self._log = log
        self._languages = DocumentLanguages(kb)
        hashes = kb.content_hashes()
        self._ids = set(hashes)
        sources = {doc_id.rpartition("/")[0] for doc_id in log.outcomes}
        self._run_source = sources.pop() if len(sources) == 1 else None
        self._by_content: dict[str, list[str]] = {}
        for doc_id, content in hashes.items():
            self._by_content.setdefault(content, []).append(doc_id)
        self._chunks: dict[str, list[Chunk]] = {}
        for chunk in kb.iter_chunks():
            self._chunks.setdefault(chunk.doc_id, []).append(chunk)

    def put(self, path: Path, item: PassageTriples | Skipped) -> None:
        """Store what one line says."""
        if isinstance(item, Skipped):
            self._log.skipped.append(item)
        else:
            self._put_passage(path, item)

    def _put_passage(self, path: Path, passage: PassageTriples) -> None:
        doc_id = self._find(path, passage) or self._add_passage(path, passage)
        if doc_id is None:
            reason = f"no document has the id {passage.passage_id!r}, and there is no text"
            self._log.skipped.append(Skipped(str(path), reason))
            return
        self._log.outcomes.setdefault(doc_id, "unchanged")
        chunks = self._chunks.get(doc_id, [])
        parts = split_by_chunk(passage.extraction, [chunk.text for chunk in chunks])
        for chunk, part in zip(chunks, parts, strict=True):
            self._store(doc_id, chunk.id, path, part)

    def _find(self, path: Path, passage: PassageTriples) -> str | None:
        own = Document("", passage.title, passage.text)
        same = self._by_content.get(own.content_hash, []) if passage.text else []
        if same:
            ends = (doc_id for doc_id in same if doc_id.endswith(f"/{passage.passage_id}"))
            return next(ends, same[0])
        by_id = (
            f"{self._options.source or self._run_source or plain_stem(path)}/{passage.passage_id}"
        )
        return by_id if by_id in self._ids else None

    def _add_passage(self, path: Path, passage: PassageTriples) -> str | None:
        if not passage.text.strip() or not passage.passage_id:
            return None
        source = self._options.source or plain_stem(path)
        identity = f"{source}/{passage.passage_id}"
        document = Document(identity, passage.title, passage.text, source, uri=str(path))
        self._add(*self._languages.told([document]))
        return identity

    def _add(self, document: Document) -> None:
        chunks = chunk_document(document, self._options.chunk_tokens)
        self._log.outcomes[document.id] = self.kb.put_document(document, chunks)
        self._ids.add(document.id)
        self._by_content.setdefault(document.content_hash, []).append(document.id)
        self._chunks[document.id] = chunks

    def _store(self, doc_id: str, chunk_id: str | None, path: Path, extraction: Extraction) -> None:
        extractor = f"triples:{plain_stem(path)}"
        self.kb.put_extraction(doc_id, chunk_id, extractor, extraction, NodeUsage())
