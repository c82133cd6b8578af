"""One tool per retriever, and those that read or cut what retrieval found from its references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.budget import current_meter
from hoptrail.core.embedding import RemoteEmbedder
from hoptrail.core.errors import HoptrailError, ModelReplyError, ModelUnavailableError
from hoptrail.core.render import render
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence, Hit, HitReference, Path, PathReference, Plan, Relation
from hoptrail.models.reranker import chosen_reranker, load_reranker
from hoptrail.retrievers.graph_walk_compressor import GraphWalkCompressor
from hoptrail.retrievers.graphrag import read_reports
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_source import KnowledgeSource

_SHOWN_TOKENS = 2_000
"""Most tokens that a model is shown; the whole Evidence is the artifact."""
_WITHOUT_VECTORS = "bm25"
_LOSS = "the embedder gave no vector of the question: passages were found by their words alone"
RERANKER: Any = Field(
    None,
    description="Model that orders the passages anew; by default that of the settings, `none` for "
    "none.",
)
"""The argument of a tool that finds passages."""


class RetrievalArguments(BaseModel):
    """Arguments of a retrieval tool."""

    question: str = Field(description="What to look for, in natural language.")
    k: int = Field(10, ge=1, le=1000, description="Passages of the ranked list.")
    budget: int = Field(12_000, ge=50, description="Tokens of evidence to collect.")
    entities: list[str] = Field(
        default_factory=list, description="Names to start from, beside those in the question."
    )
    keywords: list[str] = Field(default_factory=list, description="Further themes to look for.")
    sub_questions: list[str] = Field(
        default_factory=list, description="Steps towards the answer, in order, for dagr."
    )
    theta: float | None = Field(
        None, ge=0, le=1, description="The entity channel's share of the budget, for ket."
    )
    level: int | None = Field(
        None, ge=0, description="Level of community reports, 0 is the coarsest, for community."
    )
    parameters: dict[str, bool | int | float | str] = Field(
        default_factory=dict, description="Further parameters of this retriever by name."
    )
    reranker: str | None = RERANKER


def make_retrieval_tool(
    name: str, kb: KnowledgeSource, settings: Settings | None = None
) -> BaseTool:
    """Return the tool `retrieve_<name>`; its artifact is the Evidence.

    Args:
        name: Of the retriever.
        kb: What it reads.
        settings: Their reranker orders the passages, unless a call names another that they list.
    """
    retriever_class = RETRIEVERS[name]

    def retrieve(
        question: str,
        k: int,
        budget: int,
        entities: list[str],
        keywords: list[str],
        sub_questions: list[str],
        theta: float | None,
        level: int | None,
        parameters: dict[str, bool | int | float | str],
        reranker: str | None,
    ) -> tuple[str, Evidence]:
        order = order_fields(reranker, settings)
        chosen: dict[str, Any] = {"k": k, "budget": budget, **order, **parameters}
        for field, value in (("theta", theta), ("level", level)):
            if value is not None and field in retriever_class.model_fields:
                chosen.setdefault(field, value)
        retriever = make_retriever(name, kb, **chosen)
        plan = Plan(tuple(sub_questions), tuple(entities), tuple(keywords))
        told = ""
        try:
            evidence = retriever.retrieve(question, plan)
        except (ModelUnavailableError, ModelReplyError) as error:
            if not isinstance(kb.embedder, RemoteEmbedder):
                raise
            told = _note_loss(error)
            by_words = make_retriever(_WITHOUT_VECTORS, kb, k=k, budget=budget, **order)
            evidence = by_words.retrieve(question)
        return told + (render(evidence, _SHOWN_TOKENS).text or "Nothing was found."), evidence

    return StructuredTool.from_function(
        retrieve,
        name=f"retrieve_{name}",
        description=_first_line(retriever_class.__doc__),
        args_schema=RetrievalArguments,
        response_format="content_and_artifact",
    )


def _note_loss(error: HoptrailError) -> str:
    """Note in the account of the run, if any, that vectors were lacking, and return the line."""
    meter = current_meter()
    if meter is not None:
        meter.degraded = True
        meter.note(f"{_LOSS} ({error.message})")
    return f"{_LOSS}.\n"


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().partition("\n")[0]


def order_fields(name: str | None, settings: Settings | None) -> dict[str, Any]:
    """Return the fields of a retriever that say how its passages are ordered.

    Args:
        name: As a call gives it.
        settings: Of the knowledge base; None where it has none, and so no reranker.

    Raises:
        SettingsError: If the name is not listed, or no reranker is found under it.
        ModelKeyError: If its key is missing.
    """
    chosen = None if settings is None else chosen_reranker(name, settings)
    if settings is None or chosen is None:
        return {}
    return {
        "reranker": load_reranker(chosen, settings),
        "reranked": settings.reranker_candidates,
    }


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
