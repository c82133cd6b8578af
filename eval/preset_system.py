"""A preset: its answer, the evidence of its last answer call, and what compression left out."""

from __future__ import annotations

from typing import Any

from hoptrail.api import Hoptrail
from hoptrail.api.retrieval import report_evidence
from hoptrail.core.render import render
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Evidence, JsonDict
from hoptrail.eval.metrics import Response
from hoptrail.eval.ranking import RANKED_DOCUMENTS, ranked_passages
from hoptrail.eval.systems import Outcome
from hoptrail.graphs.context import Context
from hoptrail.graphs.presets import resolve_preset
from hoptrail.graphs.qa import RECURSION_LIMIT
from hoptrail.tools.calling import call_tool
from hoptrail.tools.services import allow_models, resolve_services


class PresetSystem:
    """Measures the question answering graph under one context.

    Args:
        hoptrail: Opened with the fields of the context.
        context: The choices of the run, preset included.

    Raises:
        ModelNotConfiguredError: If the preset needs a model and none is set.
    """

    headline = "accuracy"

    def __init__(self, hoptrail: Hoptrail, context: Context) -> None:
        allow_models(*filter(None, (context.model, *context.models.values())))
        services = resolve_services(context)
        preset = resolve_preset(context.preset, has_model=services.models.configured)
        self.name = f"preset:{preset.name}"
        self._answerer = services.models.for_role("answerer") if preset.needs_model else None
        self._hydrate = services.tools["hydrate_evidence"]
        self._graph = hoptrail.graph()
        self._budget = context.budget
        self._documents = max(context.k, RANKED_DOCUMENTS)

    async def run(self, question: str) -> Outcome:
        """Return the `ask` object with the passages that the answerer was sent."""
        config: Any = {"recursion_limit": RECURSION_LIMIT}
        state = await self._graph.ainvoke({"question": question}, config)
        evidence = await self._read(state["evidence"])
        context = await self._render(evidence)
        retrieved = context
        if state["retrieved"] != state["evidence"]:
            retrieved = await self._render(await self._read(state["retrieved"]))
        answer = state["answer"]
        passages = ranked_passages(evidence.chunks, self._documents)
        record = {**answer, **report_evidence(evidence, passages)}
        return Outcome(record, context, retrieved, _response(answer))

    def crashed(self) -> Outcome:
        """Return an outcome without evidence and answer."""
        record = {"preset": self.name.removeprefix("preset:"), "passages": []}
        return Outcome(record, "", "", Response())

    async def _read(self, references: JsonDict) -> Evidence:
        evidence: Evidence = await call_tool(self._hydrate, references=references)
        return evidence

    async def _render(self, evidence: Evidence) -> str:
        count: TokenCounter = estimate_tokens
        if self._answerer is not None:
            count = await self._answerer.token_counter()
        return render(evidence, self._budget, count).text


def _response(answer: JsonDict) -> Response:
    if answer["abstained"]:
        return Response(answer["answer"], (), abstained=True)
    texts = tuple(candidate["text"] for candidate in answer["answers"])
    return Response(answer["answer"], texts or (answer["answer"],))
