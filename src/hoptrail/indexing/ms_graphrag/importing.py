"""Stores index folders of Microsoft GraphRAG in a knowledge base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.progress import Progress
from hoptrail.core.types import NodeUsage
from hoptrail.indexing.loading.documents import Source
from hoptrail.indexing.loading.file_paths import real_path
from hoptrail.indexing.loading.index_folder import is_index_folder
from hoptrail.indexing.loading.skipped import Skipped
from hoptrail.indexing.ms_graphrag.communities import GivenHierarchy, hierarchy_of
from hoptrail.indexing.ms_graphrag.extractions import extractions
from hoptrail.indexing.ms_graphrag.folder import GivenIndex, read_index
from hoptrail.indexing.ms_graphrag.graph import EXTRACTOR
from hoptrail.indexing.ms_graphrag.text_places import PlacedText, place_texts
from hoptrail.indexing.report import ImportedIndex, RunLog
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.origin import file_uri


def split_inputs(inputs: Iterable[Source]) -> tuple[list[Path], list[Source]]:
    """Return the inputs that are index folders, and the others."""
    folders: list[Path] = []
    others: list[Source] = []
    for item in inputs:
        if isinstance(item, str | Path) and is_index_folder(Path(item)):
            folders.append(Path(item))
        else:
            others.append(item)
    return folders, others


def import_indexes(
    kb: KnowledgeBase, folders: Sequence[Path], source: str | None, log: RunLog, progress: Progress
) -> list[GivenHierarchy]:
    """Store the documents of index folders and what they say about them; return the communities.

    A folder that cannot be used is logged as skipped.

    Args:
        kb: The knowledge base, open for writing.
        folders: The index folders.
        source: First part of the document ids; by default a folder's name.
        log: Gets the documents and what was imported.
        progress: Observer.

    Raises:
        MissingExtraError: If one is stored as Parquet and no reader is installed.
    """
    hierarchies: list[GivenHierarchy] = []
    for folder in folders:
        progress.start("import", None)
        try:
            hierarchies.append(_import(kb, folder, source, log))
        except InputError as error:
            log.skipped.append(Skipped(str(folder), error.message))
        progress.finish("import")
    return hierarchies


def place_folder(folder: Path, source: str | None) -> tuple[GivenIndex, list[PlacedText]]:
    """Read an index folder and return it with its documents and chunks.

    Raises:
        InputError: If the folder cannot be used.
        MissingExtraError: If it is stored as Parquet and no reader is installed.
    """
    index = read_index(folder)
    texts = list(place_texts(index, source or folder.resolve().name, file_uri(real_path(folder))))
    if not texts:
        raise InputError("no document has a text unit")
    return index, texts


def _import(kb: KnowledgeBase, folder: Path, source: str | None, log: RunLog) -> GivenHierarchy:
    with log.timed("load"):
        index, texts = place_folder(folder, source)
    chunk_ids = {unit: id_ for text in texts for unit, id_ in text.chunk_ids.items()}
    with log.timed("store"), kb.transaction():
        for text in texts:
            log.outcomes[text.document.id] = kb.put_document(text.document, text.chunks)
        _store_extractions(kb, index, texts, chunk_ids)
    hierarchy = hierarchy_of(index, chunk_ids)
    missing = index.missing_names
    log.imported.append(
        ImportedIndex(
            path=str(folder),
            entities=len(index.entities),
            untyped_entities=len(missing),
            relations=len(index.relationships),
            incomplete_relations=sum(
                one.is_usable and not missing.isdisjoint((one.source, one.target))
                for one in index.relationships
            ),
            communities=len(hierarchy.communities),
            reports=len(hierarchy.reports),
        )
    )
    return hierarchy


def _store_extractions(
    kb: KnowledgeBase,
    index: GivenIndex,
    texts: Sequence[PlacedText],
    chunk_ids: Mapping[str, str],
) -> None:
    """Store what the index says by passage; what has no passage belongs to the first document."""
    doc_ids = {chunk.id: chunk.doc_id for text in texts for chunk in text.chunks}
    first = texts[0].document.id
    for chunk_id, extraction in extractions(index, chunk_ids).items():
        doc_id = doc_ids[chunk_id] if chunk_id else first
        kb.put_extraction(doc_id, chunk_id, EXTRACTOR, extraction, NodeUsage())
