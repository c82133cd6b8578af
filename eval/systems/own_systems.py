"""Hoptrail under measurement: a retriever alone, and a preset with its answer."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

from hoptrail.api import Hoptrail
from hoptrail.api.questions import report_evidence
from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.errors import ModelNotConfiguredError
from hoptrail.core.render import render
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.evidence_cache import (
    EvidenceCache,
    Retrieval,
    cache_tools,
    noted_savings,
)
from hoptrail.eval.systems.system import (
    RANKED_DOCUMENTS,
    Response,
    RetrievedGraph,
    SystemOutput,
    nearest_node,
    ranked_passages,
)
from hoptrail.graphs.context import Context
from hoptrail.graphs.presets import graph_llm_roles, resolve_preset
from hoptrail.graphs.state import shown_evidence
from hoptrail.models.chat import ChatModels, RoleModel
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.services.open_knowledge_bases import replace_tools
from hoptrail.services.request_services import allow_models, call_tool, resolve_services

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


class PresetSystem:
    """Measures the question answering graph under one context.

    Args:
        hoptrail: Opened with the fields of the context.
        context: The choices of the run, preset included.
        cache: Serves retrievals that it has seen to the graph's tools; a row's `seconds_cached`
            says what they took the first time, which is not in its `usage`.

    Raises:
        ModelNotConfiguredError: If the preset needs a model and none is set.
        UnknownNameError: If there is no retriever of the name that the context gives.
        PluginError: If an installed package adds that retriever and it cannot be used.
    """

    headline = "accuracy"

    def __init__(
        self, hoptrail: Hoptrail, context: Context, cache: EvidenceCache | None = None
    ) -> None:
        allow_models(*filter(None, (context.model, context.reranker, *context.models.values())))
        self._graph = hoptrail.graph()
        if cache is not None:
            replace_tools(context.knowledge_base, partial(cache_tools, cached=cache))
        services = resolve_services(context, graph_llm_roles(context.preset))
        preset = resolve_preset(context.preset, has_model=services.models.configured)
        context = preset.complete(context)
        self.name = f"preset:{preset.name}"
        self._answerer = _answerer(services.models) if preset.needs_model else None
        self._kb = hoptrail.knowledge_base
        self._hydrate = services.tools["hydrate_evidence"]
        self._budget = context.budget
        self._documents = max(context.k, RANKED_DOCUMENTS)
        retriever = context.retriever or preset.retriever
        self._retrieves = retriever is not None
        self._finds_graph = (
            retriever is not None
            and RETRIEVERS.find(retriever).finds_graph
            and self._kb.size.entities > 0
        )

    async def run(self, question: Question) -> SystemOutput:
        """Return the `ask` object with the passages that the answerer was sent."""
        with noted_savings() as savings:
            state = await self._run(question.text)
        evidence = await self._read(shown_evidence(state))
        context = await self._render(evidence)
        retrieved = context
        if shown_evidence(state) != state["retrieved"]:
            retrieved = await self._render(await self._read(state["retrieved"]))
        answer = state["answer"]
        passages = ranked_passages(evidence.chunks, self._documents)
        record = {
            **answer,
            **report_evidence(evidence, passages),
            "cached": bool(savings),
            "seconds_cached": sum(savings),
        }
        graph = self._graph_of(evidence)
        similarity = await asyncio.to_thread(nearest_node, question, graph, self._kb)
        return SystemOutput(record, context, retrieved, _response(answer), graph, similarity)

    async def _run(self, question: str) -> Any:
        """Return the channels as the nodes left them, with all evidence, and the answer."""
        state: JsonDict = {}
        # The system is measured, and not what readers saved of it.
        context = Context(saved_answers=False)
        async for update in self._graph.astream(
            {"question": question}, context=context, stream_mode="updates"
        ):
            for node, written in update.items():
                is_last = node == "finalize"
                state |= {"answer": written["answer"]} if is_last else written or {}
        return state

    def crashed(self) -> SystemOutput:
        """Return an outcome without evidence and answer."""
        record = {"preset": self.name.removeprefix("preset:"), "passages": []}
        context = "" if self._retrieves else None
        return SystemOutput(record, context, context, Response(), self._graph_of(Evidence()))

    async def _read(self, references: JsonDict) -> Evidence:
        evidence: Evidence = await call_tool(self._hydrate, references=references)
        return evidence

    async def _render(self, evidence: Evidence) -> str | None:
        if not self._retrieves:
            return None
        count: TokenCounter = estimate_tokens
        if self._answerer is not None:
            count = await self._answerer.token_counter()
        return render(evidence, self._budget, count).text

    def _graph_of(self, evidence: Evidence) -> RetrievedGraph | None:
        return RetrievedGraph.of(evidence) if self._finds_graph else None


def _answerer(models: ChatModels) -> RoleModel:
    try:
        return models.for_role("answerer")
    except ModelNotConfiguredError as error:
        oracle = "--reader oracle, in Python reader='oracle', measures without a model"
        raise ModelNotConfiguredError(error.message, hint=f"{error.hint}; {oracle}") from error


def _response(answer: JsonDict) -> Response:
    if answer["abstained"]:
        return Response(answer["answer"], (), abstained=True)
    texts = tuple(candidate["text"] for candidate in answer["answers"])
    return Response(answer["answer"], texts or (answer["answer"],))
