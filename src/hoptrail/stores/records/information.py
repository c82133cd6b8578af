"""Information on a knowledge base: counts, the ledger, `hoptrail info`."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hoptrail.core.language.detection import ENGLISH
from hoptrail.core.types import JsonDict, Record
from hoptrail.stores.records.community_table import community_levels, is_stale
from hoptrail.stores.records.document_table import document_languages
from hoptrail.stores.records.embedding_table import published_embedder
from hoptrail.stores.records.graph_decisions import read_description, read_schema
from hoptrail.stores.records.schema import FORMAT_VERSION
from hoptrail.stores.records.source_table import source_roots
from hoptrail.stores.records.tables import generation, is_changed

DocumentStatus = Literal["extracted", "failed", "stored"]

_COUNTED = ("documents", "chunks", "extractions", "entities", "relations", "merges")
_LEDGER = """SELECT d.id, d.title,
    (SELECT count(*) FROM chunks c WHERE c.doc_id = d.id),
    count(DISTINCT CASE WHEN e.result IS NOT NULL THEN ifnull(e.chunk_id, '') END),
    count(CASE WHEN e.doc_id IS NOT NULL AND e.result IS NULL THEN 1 END),
    ifnull(sum(e.llm_calls), 0), ifnull(sum(e.prompt_tokens), 0),
    ifnull(sum(e.completion_tokens), 0), ifnull(sum(e.usd), 0.0)
    FROM documents d LEFT JOIN extractions e ON e.doc_id = d.id GROUP BY d.id ORDER BY d.id"""
_EXTRACTORS = """SELECT extractor, count(result), count(*) - count(result), sum(llm_calls),
    sum(prompt_tokens), sum(completion_tokens), sum(usd)
    FROM extractions GROUP BY extractor ORDER BY extractor"""


@dataclass(frozen=True, slots=True)
class LedgerRow(Record):
    """The work done and spent for one document.

    `extracted` counts places (chunks, or the whole document) with a result, `failed` those where
    an extractor failed.
    """

    doc_id: str
    title: str
    status: DocumentStatus
    chunks: int
    extracted: int
    failed: int
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float


def counts(connection: sqlite3.Connection, known: Mapping[str, int]) -> dict[str, int]:
    """Return the number of rows of each kind; those of `known` are not counted again."""
    return {
        table: known[table] if table in known else _count(connection, table) for table in _COUNTED
    }


def ledger(connection: sqlite3.Connection) -> list[LedgerRow]:
    """Return one row per document, by id."""
    return [
        LedgerRow(doc_id, title, _status(extracted, failed), chunks, extracted, failed, *spent)
        for doc_id, title, chunks, extracted, failed, *spent in connection.execute(_LEDGER)
    ]


def info(connection: sqlite3.Connection, counts: Mapping[str, int], *, documents: bool) -> JsonDict:
    """Return what `hoptrail info --json` prints of the tables.

    Args:
        connection: The state to tell about.
        counts: Its number of rows of each kind.
        documents: Whether to add the ledger.
    """
    embedder = published_embedder(connection)
    told: JsonDict = {
        "format_version": FORMAT_VERSION,
        "generation": generation(connection),
        "unpublished_changes": is_changed(connection),
        "counts": dict(counts),
        "embedder": embedder and {"name": embedder.name, "dim": embedder.dim},
        "extractors": [_extractor(row) for row in connection.execute(_EXTRACTORS)],
        "communities": _communities(connection),
        "sources": [
            {"name": one.name, "root": one.root} for one in source_roots(connection).values()
        ],
        "languages": languages(connection),
        "description": read_description(connection),
        "schema": read_schema(connection),
    }
    if documents:
        told["documents"] = [row.to_json() for row in ledger(connection)]
    return told


def languages(connection: sqlite3.Connection) -> JsonDict:
    """Return by language, commonest first, its `documents` and what rules read of them.

    `sentences_by_rules` tells whether rules read relations from the order of a sentence's words;
    labels and rows of tables they read in any language. Documents that were indexed before
    languages were told are in none.
    """
    return {
        language: {"documents": documents, "sentences_by_rules": language == ENGLISH}
        for language, documents in document_languages(connection).items()
    }


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _communities(connection: sqlite3.Connection) -> JsonDict:
    levels = community_levels(connection)
    return {
        "levels": len(levels),
        "communities": sum(level.communities for level in levels),
        "reports": sum(level.reported for level in levels),
        "stale": is_stale(connection),
    }


def _status(extracted: int, failed: int) -> DocumentStatus:
    if failed:
        return "failed"
    return "extracted" if extracted else "stored"


def _extractor(row: tuple[str, int, int, int, int, int, float]) -> JsonDict:
    keys = ("name", "done", "failed", "llm_calls", "prompt_tokens", "completion_tokens", "usd")
    return dict(zip(keys, row, strict=True))
