"""A retriever alone: its ranking, and its evidence rendered at its budget."""

from __future__ import annotations

import asyncio
import time

from hoptrail.api.questions import report_evidence
from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.render import render
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.evidence_cache import EvidenceCache, Retrieval
from hoptrail.eval.systems.nearest_node import nearest_node
from hoptrail.eval.systems.ranking import RANKED_DOCUMENTS, ranked_passages
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph
from hoptrail.eval.systems.system import SystemOutput
from hoptrail.retrievers.base.retriever import Retriever

_DEEPER = 10


class RetrieverSystem:
    """Measures a retriever at its own `k` and `budget`.

    Args:
        retriever: Over an open knowledge base.
        cache: Serves what it has seen; `seconds` are then those of the first time.
    """

    headline = "recall@5"

    def __init__(self, retriever: Retriever, cache: EvidenceCache | None = None) -> None:
        self._retriever = retriever
        self._cache = cache
        self._documents = max(retriever.k, RANKED_DOCUMENTS)
        self._finds_graph = retriever.finds_graph and retriever.kb.size.entities > 0

    @property
    def name(self) -> str:
        """`retriever:` and its name, with that of its reranker."""
        reranker = self._retriever.reranker
        order = f"+{reranker.name}" if reranker is not None else ""
        return f"retriever:{self._retriever.name_in_registry}{order}"

    async def run(self, question: Question) -> SystemOutput:
        """Return the `retrieve` object with passages of enough documents for every metric."""
        return await asyncio.to_thread(self._run, question)

    def crashed(self) -> SystemOutput:
        """Return an empty ranking."""
        record = {"retriever": self._retriever.name_in_registry, "passages": []}
        return SystemOutput(record, graph=self._graph(Evidence()))

    def _run(self, question: Question) -> SystemOutput:
        meter = Meter("retrieve")
        with booking_to(meter):
            found = self._retrieve(self._retriever, question.text)
            passages = self._rank(question.text, found.evidence)
        rendered = render(found.evidence, self._retriever.budget)
        record = {
            "retriever": self._retriever.name_in_registry,
            **report_evidence(found.evidence, passages),
            "degraded": meter.notes,
            "tokens": rendered.tokens,
            "seconds": found.seconds,
            "cached": found.cached,
        }
        graph = self._graph(found.evidence)
        similarity = nearest_node(question, graph, self._retriever.kb)
        return SystemOutput(record, rendered.text, graph=graph, node_similarity=similarity)

    def _rank(self, text: str, evidence: Evidence) -> list[Hit[Chunk]]:
        """Return passages of enough documents; a small budget may hold too few."""
        if len({hit.item.doc_id for hit in evidence.chunks}) < self._documents:
            # Several passages of one document share one place in the ranking.
            deeper = self._retriever.model_copy(update={"k": _DEEPER * self._documents})
            evidence = self._retrieve(deeper, text).evidence
        return ranked_passages(evidence.chunks, self._documents)

    def _retrieve(self, retriever: Retriever, text: str) -> Retrieval:
        if self._cache is None:
            started = time.perf_counter()
            evidence = retriever.retrieve(text)
            return Retrieval(evidence, round(time.perf_counter() - started, 4), cached=False)
        settings = retriever.model_dump(mode="json")
        # Its name holds that of the reranker, which no field of the settings tells.
        call = {"retriever": self.name, "question": text, "settings": settings}
        return self._cache.fetch(call, lambda: retriever.retrieve(text))

    def _graph(self, evidence: Evidence) -> RetrievedGraph | None:
        return RetrievedGraph.of(evidence) if self._finds_graph else None
