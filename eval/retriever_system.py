"""A retriever alone: its ranking, and its evidence rendered at its budget."""

from __future__ import annotations

import asyncio
import time

from hoptrail.core.render import render
from hoptrail.core.types import Evidence
from hoptrail.eval.evidence_record import RANKED_DOCUMENTS, record_evidence
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
            **record_evidence(self._ranked(question, evidence), self._documents),
            "tokens": rendered.tokens,
            "seconds": seconds,
        }
        return Outcome(record, rendered.text)

    def _ranked(self, question: str, evidence: Evidence) -> Evidence:
        """Return evidence with enough documents to rank; a small budget may hold too few."""
        if len({hit.item.doc_id for hit in evidence.chunks}) >= self._documents:
            return evidence
        # Several passages of one document share one place in the ranking.
        deeper = self._retriever.model_copy(update={"k": _DEEPER * self._documents})
        return deeper.retrieve(question)
