"""The base class of retrievers: checks, question vectors, reranking, the LangChain interface."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, SkipValidation, field_validator

from hoptrail.core import types
from hoptrail.core.budget import current_meter
from hoptrail.core.document_filter import document_fields
from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import HoptrailError, ModelKeyError, ModelReplyError
from hoptrail.core.names import handles_in, part_handles
from hoptrail.core.question import check_question
from hoptrail.core.render import graph_tokens, passage_tokens
from hoptrail.core.reranking import Reranker
from hoptrail.core.tracing.spans import Span, span
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict, Plan, Relation
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.knowledge_source import KnowledgeSource


class Retriever(BaseRetriever, ABC):
    """Finds Evidence for a question; as a LangChain retriever it returns the best passages.

    Attributes:
        kb: The open knowledge base.
        k: Passages to rank; as a LangChain retriever, Documents to return.
        budget: Tokens of evidence to collect; at least `k` passages are returned in any case.
        reranker: Orders the first passages anew, before the budget cuts the list; None for none.
        reranked: Passages that it scores.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    name_in_registry: ClassVar[str]
    uses_vector: ClassVar[bool] = True
    """Whether it needs the question's vector; `hoptrail retrieve` loads no embedder else."""
    plans_by_sub_question: ClassVar[bool] = False
    """Whether a plan's sub-questions are weighed against the question; else they replace it."""
    finds_graph: ClassVar[bool] = True

    kb: SkipValidation[KnowledgeSource] = Field(exclude=True, repr=False)
    k: int = Field(10, ge=1)
    budget: int = Field(12_000, ge=0)
    reranker: SkipValidation[Reranker | None] = Field(None, exclude=True, repr=False)
    reranked: int = Field(50, ge=1, le=1000)

    @field_validator("reranker", mode="before")
    @classmethod
    def _require_reranker(cls, given: Any) -> Any:
        if given is not None and not callable(getattr(given, "score", None)):
            raise ValueError(f"{given!r} is no reranker: it has no method score")
        return given

    def retrieve(
        self, question: str, plan: Plan | None = None, *, vector: FloatArray | None = None
    ) -> Evidence:
        """Return the evidence for a question, each list best first.

        Args:
            question: Natural language, any script.
            plan: Names and keywords to use beside the question's own.
            vector: The question's unit vector, shape (dim,), where the caller has it already.

        Raises:
            InputError: If the question is empty or too long.
        """
        if plan is not None and plan.sub_questions and not self.plans_by_sub_question:
            question, vector = " ".join(plan.sub_questions), None
        text = check_question(question)
        told = {
            "gen_ai.operation.name": "retrieval",
            "hoptrail.retriever": self.name_in_registry,
            "openinference.span.kind": "RETRIEVER",
        }
        with span(f"retrieval {self.name_in_registry}", told) as one:
            one.set_text("gen_ai.retrieval.query.text", text)
            one.set_shown("input", text)
            if vector is None and self.uses_vector:
                vector = self.kb.embed_query(text)
            query = Query(text, vector, plan or Plan())
            focus = replace(query.focus, passages_only=not self.finds_graph)
            with self.kb.view(focus) as view:
                query = self._with_names(query, view)
                found = self._deep()._search(query, view)
            evidence = self._reranked(query.text, found)
            _tell(evidence, one)
        return evidence

    def _deep(self) -> Self:
        """Return what finds as many passages as the reranker scores; itself without one."""
        if self.reranker is None or self.k >= self.reranked:
            return self
        return self.model_copy(update={"k": self.reranked})

    def _reranked(self, question: str, found: Evidence) -> Evidence:
        """Return the evidence as the reranker orders it; as it is without one.

        Args:
            question: What it was found for.
            found: By `_deep`.
        """
        if self.reranker is None:
            return found
        return rerank(
            found,
            question,
            self.reranker,
            most=self.reranked,
            k=self.k,
            budget=self.budget,
        )

    def _with_names(self, query: Query, view: View) -> Query:
        """Return the query with the names of the base parted that run together in it."""
        handles = handles_in(query.text)
        if not handles:
            return query
        named = view.store.find_entities(handles.values())
        text = part_handles(query.text, named.get)
        if text == query.text:
            return query
        vector = self.kb.embed_query(text) if self.uses_vector else None
        return replace(query, text=text, vector=vector)

    @abstractmethod
    def _search(self, query: Query, view: View) -> Evidence:
        """Return the evidence for a checked question."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        wanted = self if k is None else self.model_copy(update={"k": k})
        return to_documents(wanted.retrieve(query), wanted.k, self.kb.store.documents)


def _tell(evidence: Evidence, one: Span) -> None:
    """Tell a span how much was found, and which passages where these may be told."""
    if not one.is_recorded:
        return
    one.set(
        {
            f"hoptrail.evidence.{kind}": len(getattr(evidence, kind))
            for kind in ("chunks", "entities", "relations", "paths", "reports")
        }
    )
    found = [
        {
            "id": hit.item.id,
            "score": hit.score,
            "content": hit.item.text,
            "metadata": {"title": hit.item.title, "doc_id": hit.item.doc_id},
        }
        for hit in evidence.chunks
    ]
    one.set_json("gen_ai.retrieval.documents", found)
    one.set_shown("output", "\n".join(evidence.summary()))


def to_documents(
    evidence: Evidence, k: int, read_documents: Callable[[Sequence[str]], Sequence[types.Document]]
) -> list[Document]:
    """Return the first `k` passages; of a bare graph, which has none, the first `k` relations.

    The metadata of a passage hold the fields of its document too. One that is called as a field of
    the passage is `metadata.<name>`.

    Args:
        evidence: What was found.
        k: Documents to return.
        read_documents: Returns documents of these ids.
    """
    if not evidence.chunks:
        return [_statement(hit) for hit in evidence.relations[:k]]
    hits = evidence.chunks[:k]
    ids = list(dict.fromkeys(hit.item.doc_id for hit in hits))
    fields = {one.id: document_fields(one) for one in read_documents(ids)}
    return [_passage(hit, fields.get(hit.item.doc_id, {})) for hit in hits]


def _passage(hit: Hit[Chunk], fields: Mapping[str, str]) -> Document:
    chunk = hit.item
    own: JsonDict = {
        "chunk_id": chunk.id,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "section": chunk.section or None,
        "place": chunk.place,
        "start": chunk.start,
        "end": chunk.end,
        "score": hit.score,
        "channel": hit.channel,
    }
    # Of `title` and `doc_id` the passage's own are the document's.
    further = {
        f"metadata.{name}" if name in own else name: value
        for name, value in fields.items()
        if name not in ("doc_id", "title")
    }
    return Document(page_content=chunk.text, id=chunk.id, metadata={**own, **further})


def _statement(hit: Hit[Relation]) -> Document:
    relation = hit.item
    return Document(
        page_content=relation.text,
        id=relation.id,
        metadata={
            "relation_id": relation.id,
            "subject": relation.subject,
            "predicate": relation.predicate,
            "object": relation.object,
            "score": hit.score,
            "channel": hit.channel,
        },
    )


_DECIMALS = 5
_log = logging.getLogger(__name__)


def rerank(
    evidence: Evidence, question: str, reranker: Reranker, *, most: int, k: int, budget: int
) -> Evidence:
    """Return the evidence with its first passages in the order of a reranker.

    Passages with equal scores stay in the retriever's order. Those that were not scored follow,
    with the lowest score. Where the reranker fails, the retriever's order is kept, and the account
    of the run, if any, gets a note of it.

    Args:
        evidence: What was retrieved.
        question: What for.
        reranker: Scores the passages.
        most: Passages to score.
        k: Passages that are kept whatever the budget.
        budget: Tokens of evidence; those of the graph count first.

    Raises:
        ModelKeyError: If the reranker's key is refused.
    """
    scored, rest = evidence.chunks[:most], evidence.chunks[most:]
    try:
        scores = _scores(reranker, question, [hit.item.embedded_text for hit in scored])
    except ModelKeyError:
        raise
    except Exception as error:  # an order is a gain, never a condition: any failure of one is told
        _note_loss(reranker.name, error)
        hits = evidence.chunks
    else:
        hits = (*_in_order(scored, scores), *_below(rest, scores))
    room = budget - graph_tokens(evidence)
    return replace(evidence, chunks=_fitting(hits, room, at_least=k))


def _scores(reranker: Reranker, question: str, passages: Sequence[str]) -> FloatArray:
    """Return the rounded scores, shape (len(passages),).

    Raises:
        ModelReplyError: If they are not one finite number for each passage.
    """
    if not passages:
        return np.zeros(0, dtype=np.float32)
    try:
        scores = np.asarray(reranker.score(_proper(question), passages), dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelReplyError(f"reranker {reranker.name} gave no numbers ({error})") from error
    if scores.shape != (len(passages),):
        raise ModelReplyError(
            f"reranker {reranker.name} gave scores of the shape {scores.shape} "
            f"for {len(passages)} passages"
        )
    if not np.isfinite(scores).all():
        raise ModelReplyError(f"reranker {reranker.name} gave a score that is no number")
    return np.round(scores, _DECIMALS)


def _proper(question: str) -> str:
    """Return the question as Unicode that a tokenizer reads and a server can be sent."""
    return question.encode("utf-8", "replace").decode()


def _in_order(hits: Sequence[Hit[Chunk]], scores: FloatArray) -> list[Hit[Chunk]]:
    order = np.argsort(-scores, kind="stable").tolist()
    return [_scored(hits[place], float(scores[place])) for place in order]


def _below(hits: Sequence[Hit[Chunk]], scores: FloatArray) -> list[Hit[Chunk]]:
    lowest = float(scores.min(initial=np.inf))
    return [_scored(hit, lowest) for hit in hits]


def _scored(hit: Hit[Chunk], score: float) -> Hit[Chunk]:
    return replace(hit, score=round(score, _DECIMALS))


def _fitting(hits: Sequence[Hit[Chunk]], room: int, *, at_least: int) -> tuple[Hit[Chunk], ...]:
    tokens = np.cumsum([passage_tokens(hit.item) for hit in hits])
    fitting = int(np.searchsorted(tokens, room, side="right"))
    return tuple(hits[: max(fitting, at_least)])


def _note_loss(name: str, error: Exception) -> None:
    told = error.message if isinstance(error, HoptrailError) else f"{type(error).__name__}: {error}"
    line = f"the reranker gave no order: passages are in the retriever's own ({told})"
    _log.warning("%s", line, exc_info=not isinstance(error, HoptrailError))
    meter = current_meter()
    if meter is not None:
        meter.degraded = True
        meter.note(" ".join(line.split()))
