"""A retriever alone: its ranking, and its evidence rendered at its budget."""

from __future__ import annotations

import asyncio
import time

from hoptrail.api.retrieval import report_evidence
from hoptrail.core.render import render
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.eval.ranking import RANKED_DOCUMENTS, ranked_passages
from hoptrail.eval.systems import Outcome
from hoptrail.retrievers.base import Retriever

_DEEPER = 10


class RetrieverSystem:
    """Measures a retriever at its own `k` and `budget`."""

    headline = "recall@5"

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self._documents = max(retriever.k, RANKED_DOCUMENTS)

    @property
    def name(self) -> str:
        """`retriever:` and its name."""
        return f"retriever:{self._retriever.name_in_registry}"

    async def run(self, question: str) -> Outcome:
        """Return the `retrieve` object with passages of enough documents for every metric."""
        return await asyncio.to_thread(self._run, question)

    def crashed(self) -> Outcome:
        """Return an empty ranking."""
        return Outcome({"retriever": self._retriever.name_in_registry, "passages": []})

    def _run(self, question: str) -> Outcome:
        started = time.perf_counter()
        evidence = self._retriever.retrieve(question)
        seconds = time.perf_counter() - started
        rendered = render(evidence, self._retriever.budget)
        record = {
            "retriever": self._retriever.name_in_registry,
            **report_evidence(evidence, self._rank(question, evidence)),
            "tokens": rendered.tokens,
            "seconds": seconds,
        }
        return Outcome(record, rendered.text)

    def _rank(self, question: str, evidence: Evidence) -> list[Hit[Chunk]]:
        """Return passages of enough documents; a small budget may hold too few."""
        if len({hit.item.doc_id for hit in evidence.chunks}) < self._documents:
            # Several passages of one document share one place in the ranking.
            deeper = self._retriever.model_copy(update={"k": _DEEPER * self._documents})
            evidence = deeper.retrieve(question)
        return ranked_passages(evidence.chunks, self._documents)
