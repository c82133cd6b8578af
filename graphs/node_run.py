"""The frame of every node: resolved choices, services, and the account of its calls."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.runtime import get_runtime
from langgraph.types import Overwrite

from hoptrail.agents.decision import PromptedModel
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.core.background import run_to_end
from hoptrail.core.budget import Limits, Meter, booking_to, run_clock
from hoptrail.core.language.detection import load_detector
from hoptrail.core.tables.table import Table
from hoptrail.core.tracing.spans import Span, capturing, span
from hoptrail.core.types import Chunk, Community, Evidence, HitReference, JsonDict
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import PRESETS, Preset, graph_llm_roles, resolve_preset
from hoptrail.graphs.state import Update, add_usage, total_usage
from hoptrail.graphs.traced_graph import spent, traced_question
from hoptrail.services.request_services import Services, call_tool, resolve_services
from hoptrail.tools.graph_llm import GraphReply
from hoptrail.tools.tables import READ_TABLES

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NodeRun:
    """One node's run: its choices, its services and its meter."""

    context: Context
    preset: Preset
    services: Services
    meter: Meter

    def spent(self, seconds: float) -> JsonDict:
        """Return what the node spent, its own time included."""
        return self.meter.spent(round(seconds, 4)).brief()

    @property
    def retriever(self) -> str | None:
        """Name of the retriever: the request's, else the preset's for this kind of base.

        Where the preset lacks its model, a closed book is opened: its passages are all there is.
        """
        is_closed = self.preset.retriever is None and self.lacks_model
        preset = PRESETS["offline"] if is_closed else self.preset
        for_graph = preset.graph_retriever if self.services.has_graph_only else None
        return self.context.retriever or for_graph or preset.retriever

    @property
    def lacks_model(self) -> bool:
        """Whether the preset answers with a language model, and none is set."""
        if not self.preset.needs_model or self.context.max_model_calls == 0:
            return False
        return self.services.models.has_none("answerer")

    def model(self, role: str) -> PromptedModel | None:
        """Return the chat model of a role, for a decider; None where the choices rule models out.

        A run that the graph LLM answers needs no other model: other roles then go without. So do
        all of a run that no model can answer.

        Raises:
            ModelNotConfiguredError: If there is a model for answers and none for this role.
        """
        if not self.preset.needs_model or self.context.max_model_calls == 0 or self.lacks_model:
            return None
        models = self.services.models
        if models.name_of(role) is None and models.is_graph_llm("answerer"):
            return None
        return PromptedModel(models.for_role(role), self.meter, self.services.prompts)

    def optional_model(self, role: str) -> PromptedModel | None:
        """Return the chat model of a role, also where the preset does without one.

        None where no model may be called, or none is set but the graph LLM, which reads no prompt.
        """
        models = self.services.models
        if self.context.max_model_calls == 0 or models.name_of(role) is None:
            return None
        if models.is_graph_llm(role):
            return None
        return PromptedModel(models.for_role(role), self.meter, self.services.prompts)

    def similarity(self) -> TextSimilarity:
        """Return what compares texts by meaning with the base's embedder, and costs nothing."""
        return TextSimilarity(self.services.embed_freely, self.services.embed_roughly)

    async def evidence(self, references: JsonDict) -> Evidence:
        """Return the evidence that references of the state stand for."""
        return await self.retrieve("hydrate_evidence", references=references)

    async def read_reports(
        self, references: JsonDict, numbers: Sequence[int] | None = None
    ) -> dict[int, Community]:
        """Return the reports that references stand for, by number; deleted ones are left out.

        Args:
            references: Of evidence with reports.
            numbers: Number of each report; by default their places from 1.
        """
        ids = [HitReference(*listed).id for listed in references["reports"]]
        known = {hit.item.id: hit.item for hit in (await self.evidence(references)).reports}
        numbered = zip(numbers or range(1, len(ids) + 1), ids, strict=True)
        return {number: known[id_] for number, id_ in numbered if id_ in known}

    async def retrieve(self, tool: str, **arguments: object) -> Evidence:
        """Call a tool whose artifact is Evidence, by name."""
        found: Evidence = await call_tool(self.services.tools[tool], **arguments)
        return found

    async def describe_graph(self) -> JsonDict:
        """Return the graph's `description` and its `entity_types` with their definitions."""
        schema: JsonDict = await call_tool(self.services.tools["describe_graph"])
        return schema

    def reads_graph(self, role: str, evidence: Evidence) -> bool:
        """Return whether a role's model is the graph LLM, and there is a graph for it to read.

        A graph LLM is not shown Hoptrail's prompts but what it was trained on: the question and
        the relations around it.
        """
        return self.services.models.is_graph_llm(role) and bool(
            evidence.relations or evidence.paths
        )

    async def ask_graph_llm(self, question: str, references: JsonDict) -> str:
        """Return the graph LLM's reply to a question about the graph of some evidence.

        Args:
            question: In natural language.
            references: Of the evidence.

        Raises:
            BudgetExceededError: If no call is left.
            ModelUnavailableError: If the graph LLM cannot be reached.
        """
        reply: GraphReply = await call_tool(
            self.services.tools["ask_graph_llm"],
            question=question,
            references=references,
            meter=self.meter,
        )
        return reply.text

    async def find_anchors(self, question: str, concepts: Sequence[JsonDict]) -> list[JsonDict]:
        """Return where a search starts: each `concept`, and its entities' ids as `anchors`."""
        found: list[JsonDict] = await call_tool(
            self.services.tools["find_anchors"],
            question=question,
            concepts=list(concepts),
            parameters=self.context.parameters,
        )
        return found

    async def read_chunks(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return the passages of these ids."""
        chunks: tuple[Chunk, ...] = await call_tool(
            self.services.tools["read_chunks"], chunk_ids=list(ids)
        )
        return chunks

    async def read_tables(self, evidence: Evidence) -> tuple[Table, ...]:
        """Return the tables, as wholes, that passages of the evidence tell rows of."""
        ids = [hit.item.id for hit in evidence.chunks if hit.item.tables]
        if not ids:
            return ()
        tables: tuple[Table, ...] = await call_tool(self.services.tools[READ_TABLES], chunk_ids=ids)
        return tables


Work = Callable[[Any, NodeRun], Awaitable[Update]]
"""A node's work: its state, which is the turn's or that of one branch, and its run."""


def as_node(
    work: Work,
    defaults: Context | None = None,
    *,
    opens_turn: bool = False,
    degrades_as: str | None = None,
) -> RunnableLambda[Any, Update]:
    """Wrap a node's work: resolve its services first, account for its time and calls after.

    The account also says whether the node had to do without a model that it should have used.

    The node serves graphs that are invoked with `ainvoke` and with `invoke` alike.

    Args:
        work: What the node does.
        defaults: What holds for context fields that a request leaves unset.
        opens_turn: Whether the account and clock of an earlier turn end here.
        degrades_as: Name under which `degraded` tells of the node; its own by default.
    """
    name = work.__name__

    async def node(state: Any) -> Update:
        started = time.perf_counter()
        before = {} if opens_turn else state
        given = get_runtime(Context).context
        with span(f"node {name}", {"openinference.span.kind": "CHAIN"}) as one:
            run = await _begin(name, before, resolve_context(given, defaults), opens_turn)
            with booking_to(run.meter), capturing(run.services.captures_content):
                update = await work(state, run)
                _tell(one, run, update)
        seconds = time.perf_counter() - started
        _log.info("preset %s: %s took %.2f s", run.preset.name, name, seconds)
        account: Update = {
            "usage": {name: run.spent(seconds)},
            "notes": run.meter.notes,
            "degraded": [degrades_as or name] if run.meter.degraded else [],
        }
        if opens_turn:
            account = {channel: Overwrite(value) for channel, value in account.items()}
        # First what a person reads of it, then the ids and the account.
        told = {"summary": update["summary"]} if "summary" in update else {}
        return {**told, **update, **account}

    def node_of_sync_run(state: Any) -> Update:
        return run_to_end(node(state))

    return RunnableLambda(node_of_sync_run, node, name)


def _tell(one: Span, run: NodeRun, update: Update) -> None:
    """Tell the node's span what it has spent, and the question's what the node knows of it."""
    if one.is_recorded:
        degraded = run.meter.degraded or None
        one.set({"hoptrail.preset": run.preset.name, "hoptrail.degraded": degraded})
        one.set(spent(run.meter.usage.to_json()))
    if "summary" in update:
        one.set_shown("output", "\n".join(update["summary"]))
    question = traced_question()
    if question is None:
        return
    if "asked" in update:
        question.tell_question(update["asked"])
    if update.get("answer"):
        question.tell_answer(update["answer"])


async def _begin(
    name: str, state: Mapping[str, Any], context: Context, opens_turn: bool
) -> NodeRun:
    started_at = state.get("started_at") or run_clock()
    # Deriving the base of a filter is not cut short: the next question would begin it anew.
    seconds = None if context.filter else context.max_seconds
    opening = Meter(name, Limits(max_seconds=seconds, started_at=started_at))
    with booking_to(opening):
        # The first question under a filter may have a served embedder called for its base.
        services, asked = await asyncio.to_thread(_resolve, context, opens_turn)
    preset = PRESETS[state.get("preset") or asked.name]
    context = preset.complete(asked.complete(context))
    limits = Limits(
        max_calls=state.get("max_calls", context.max_model_calls),
        max_tokens=state.get("max_tokens", context.max_tokens),
        max_seconds=context.max_seconds,
        started_at=started_at,
    )
    # A branch knows what the turn spent before it; what other branches spend is in its share.
    spent = total_usage(add_usage(state.get("spent"), state.get("usage")))
    meter = Meter(name, limits, spent)
    meter.take_over(opening)
    return NodeRun(context, preset, services, meter)


def _resolve(context: Context, opens_turn: bool) -> tuple[Services, Preset]:
    """Return what the context names; blocking: it may open files and import plugins.

    A turn looks for a newer generation of the knowledge base once, when it begins.
    """
    load_detector()
    roles = graph_llm_roles(context.preset)
    services = resolve_services(context, roles, refresh=opens_turn)
    has_model = services.models.name_of("answerer") is not None
    return services, resolve_preset(context.preset, has_model=has_model)
