"""From references, as graph state carries them, back to Evidence: all of it, or what is near."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.types import Evidence, Hit, HitReference, Path, PathReference, Relation
from hoptrail.retrievers.graph_walk_compressor import GraphWalkCompressor
from hoptrail.retrievers.graphrag import read_reports
from hoptrail.stores.knowledge_source import KnowledgeSource

T = TypeVar("T")


class HydrationArguments(BaseModel):
    """Arguments of `hydrate_evidence`."""

    references: dict[str, list[Any]] = Field(description="Evidence as ids, by kind.")


def hydrate(kb: KnowledgeSource, references: dict[str, list[Any]]) -> Evidence:
    """Return the evidence of `Evidence.references()`; what was deleted meanwhile is left out."""
    store = kb.store
    entities, relations, chunks, paths, reports = (
        references.get(kind, []) for kind in ("entities", "relations", "chunks", "paths", "reports")
    )
    return Evidence(
        entities=_hits(entities, _by_id(store.entities(_ids(entities))).get),
        relations=_hits(relations, _by_id(store.relations(_ids(relations))).get),
        chunks=_hits(chunks, _by_id(store.chunks(_ids(chunks))).get),
        paths=_path_hits(kb, paths),
        reports=_hits(reports, _by_id(read_reports(store, _ids(reports))).get),
    )


def make_hydration_tool(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `hydrate_evidence`; its artifact is the Evidence."""

    def read(references: dict[str, list[Any]]) -> tuple[str, Evidence]:
        evidence = hydrate(kb, references)
        return f"{len(evidence.chunks)} passages, {len(evidence.relations)} relations.", evidence

    return StructuredTool.from_function(
        read,
        name="hydrate_evidence",
        description="Read the texts behind the ids of retrieved evidence.",
        args_schema=HydrationArguments,
        response_format="content_and_artifact",
    )


def _path_hits(kb: KnowledgeSource, listed: Sequence[list[Any]]) -> tuple[Hit[Path], ...]:
    references = [PathReference(*fields) for fields in listed]
    known = _by_id(kb.store.relations([id_ for path in references for id_ in path.relation_ids]))
    hits: list[Hit[Path]] = []
    for found in references:
        relations: list[Relation] = [known[id_] for id_ in found.relation_ids if id_ in known]
        if len(relations) == len(found.relation_ids):
            path = Path(tuple(relations), found.score, found.verdict)
            hits.append(Hit(path, found.score, found.channel, found.hop, tuple(found.provenance)))
    return tuple(hits)


def _ids(listed: Iterable[list[Any]]) -> list[str]:
    return [HitReference(*fields).id for fields in listed]


def _by_id(items: Iterable[Any]) -> dict[str, Any]:
    return {item.id: item for item in items}


def _hits(listed: Iterable[list[Any]], find: Callable[[Any], T | None]) -> tuple[Hit[T], ...]:
    hits = []
    for id_, score, channel, hop, provenance in (HitReference(*fields) for fields in listed):
        item = find(id_)
        if item is not None:
            hits.append(Hit(item, score, channel, hop, tuple(provenance)))
    return tuple(hits)


class CompressionArguments(BaseModel):
    """Arguments of the compression tool."""

    question: str = Field(description="The question that the evidence is for.")
    references: dict[str, list[Any]] = Field(description="Evidence as ids, by kind.")
    budget: int = Field(4_000, ge=50, description="Tokens that may be left.")
    hops: int = Field(3, ge=1, le=6, description="Reach of the walk.")
    graph_share: float = Field(
        0.1, ge=0, le=1, description="Share of the budget for entities and relations."
    )


def make_compression_tool(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `compress_evidence`; its artifact is the Evidence that is left."""

    def compress(
        question: str,
        references: dict[str, list[Any]],
        budget: int,
        hops: int,
        graph_share: float,
    ) -> tuple[str, Evidence]:
        evidence = hydrate(kb, references)
        compressor = GraphWalkCompressor(hops=hops, budget=budget, graph_share=graph_share)
        kept = compressor.compress(question, evidence)
        summary = f"Kept {len(kept.chunks)} of {len(evidence.chunks)} passages."
        return summary, kept

    return StructuredTool.from_function(
        compress,
        name="compress_evidence",
        description="Keep the part of the evidence near the question's entities.",
        args_schema=CompressionArguments,
        response_format="content_and_artifact",
    )
