"""Questions to a knowledge base, their conversations, and what other programs ask it with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from hoptrail.api.conversations import (
    Thread,
    Turn,
    delete_thread,
    find_thread,
    list_threads,
    list_turns,
)
from hoptrail.api.open_base import OpenBase
from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.filter_text import FilterForm
from hoptrail.core.render import Rendered, render
from hoptrail.core.reranking import Reranker
from hoptrail.core.tracing.spans import capturing
from hoptrail.core.types import Answer, Chunk, Entity, Event, Evidence, Hit, JsonDict, Relation

if TYPE_CHECKING:
    from hoptrail.graphs.conversation import Exchange
    from hoptrail.graphs.qa import Graph
    from hoptrail.retrievers.base.retriever import Retriever


class Questions(OpenBase):
    """The methods of `Hoptrail` that answer, retrieve, and keep conversations."""

    def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        history: Sequence[Exchange] = (),
        **context: Any,
    ) -> Answer:
        """Answer a question.

        Args:
            question: As asked; in a thread or with a history it may lean on what was said before.
            thread_id: Conversation to continue, kept beside the knowledge base or where the
                setting `checkpointer` says.
            history: Questions and answers of before, where your program keeps the conversation; a
                third value tells whether the answer was given with reserve.
            **context: Fields of `Context` for this question.

        Raises:
            InputError: If the question is empty or too long.
            ModelNotConfiguredError: If a role of the preset needs a model and has none, though
                answers have one. Where no model is set at all, the answer is an abstention.
        """
        return self._loop.run(self.aask(question, thread_id=thread_id, history=history, **context))

    async def aask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        history: Sequence[Exchange] = (),
        **context: Any,
    ) -> Answer:
        """Answer a question in the caller's event loop; see `ask`."""
        from hoptrail.api.asking import ask_question

        chosen = await asyncio.to_thread(self._context, context)
        with self._told_if_closed():
            return await ask_question(
                question, chosen, self._conversations, thread_id=thread_id, history=history
            )

    def stream(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        history: Sequence[Exchange] = (),
        **context: Any,
    ) -> Iterator[Event]:
        """Yield events while the answer forms: nodes, tokens, hops, the answer last; see `ask`."""
        events = self.astream(question, thread_id=thread_id, history=history, **context)
        yield from self._loop.iterate(events)

    async def astream(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        history: Sequence[Exchange] = (),
        **context: Any,
    ) -> AsyncGenerator[Event, None]:
        """Yield events in the caller's event loop; see `stream`."""
        from hoptrail.api.asking import stream_question

        chosen = await asyncio.to_thread(self._context, context)
        events = stream_question(
            question, chosen, self._conversations, thread_id=thread_id, history=history
        )
        with self._told_if_closed():
            async with aclosing(events):
                async for event in events:
                    yield event

    def warm_up(self) -> None:
        """Load now what the first question would have to load, which takes seconds; asks no model.

        It may run in a thread of its own; a question that comes meanwhile waits for the embedder.

        Raises:
            HoptrailError: As a question would.
        """
        from hoptrail.api.asking import warm_up

        self._conversations.load()
        with self._told_if_closed():
            self._loop.run(warm_up(self._context({})))

    def threads(self, limit: int = 100) -> list[Thread]:
        """Return the conversations over the knowledge base, the latest first.

        Args:
            limit: How many at most.
        """
        self._handle.require_open()
        return list_threads(self._conversations, limit)

    def thread(self, thread_id: str) -> Thread | None:
        """Return a conversation that has an answer, None where there is none of that id."""
        self._handle.require_open()
        return find_thread(self._conversations, thread_id)

    def turns(self, thread_id: str) -> list[Turn]:
        """Return the answered questions of a conversation with their trails, the oldest first.

        There is none where there is no conversation of that id.
        """
        self._handle.require_open()
        return list_turns(self._conversations, thread_id)

    def delete_thread(self, thread_id: str) -> None:
        """Delete a conversation.

        Raises:
            UnknownNameError: If there is none of that id.
            ThreadBusyError: If a question of it is being answered.
        """
        self._loop.run(delete_thread(self._conversations, thread_id))

    def evidence(self, question: str, **context: Any) -> Evidence:
        """Return the evidence that an answer call would be sent, at its budget; asks no model."""
        return self._gather(question, context).evidence

    def context(self, question: str, **context: Any) -> str:
        """Return that evidence as a prompt shows it."""
        return self._gather(question, context).text

    def retrieve(
        self,
        question: str,
        *,
        retriever: str = "ket",
        k: int = 10,
        budget: int = 12_000,
        filter: FilterForm | None = None,
        reranker: str | Reranker | None = None,
        **parameters: Any,
    ) -> JsonDict:
        """Return a retriever's passages, relations and entities as `hoptrail retrieve` does.

        Args:
            question: What to look for.
            retriever: Name of a retriever: vector, bm25, ket, ppr and so on.
            k: Passages to list.
            budget: Tokens of evidence to collect.
            filter: Documents to search, as a text or in JSON form; by default as given to `open`.
            reranker: Orders the passages: a name, an object, or "none"; by default as given to
                `open`, else that of the settings.
            **parameters: Further fields of that retriever, such as `theta`.

        Raises:
            UnknownNameError: If there is no retriever of that name, or no field of the filter's.
            SettingsError: If there is no reranker of that name.
            InputError: If the filter allows no document.
        """
        from hoptrail.retrievers.registry import RETRIEVERS, make_retriever

        wanted = self._filter(filter)
        needs_embedder = wanted is not None or RETRIEVERS.find(retriever).uses_vector
        is_plain = not needs_embedder and not self._handle.is_served
        kb = self._handle.plain() if is_plain else self._allowed(wanted)
        parameters = {**self._order_fields(reranker), **parameters}
        chosen = make_retriever(retriever, kb, k=k, budget=budget, **parameters)
        with capturing(self._settings.tracing.capture_content):
            found = report_retrieval(chosen, question)
        return {**found, "filter": wanted and wanted.to_json()}

    def retriever(
        self,
        name: str = "ket",
        *,
        filter: FilterForm | None = None,
        reranker: str | Reranker | None = None,
        **parameters: Any,
    ) -> Retriever:
        """Return a LangChain retriever over this knowledge base.

        Args:
            name: Name of a retriever: vector, bm25, ket, ppr and so on.
            filter: Documents to search, as a text or in JSON form; by default as given to `open`.
            reranker: Orders the passages: a name, an object, or "none"; by default as given to
                `open`, else that of the settings.
            **parameters: Its fields, such as `k` and `budget`.
        """
        from hoptrail.retrievers.registry import make_retriever

        parameters = {**self._order_fields(reranker), **parameters}
        return make_retriever(name, self._allowed(self._filter(filter)), **parameters)

    def graph(self) -> Graph:
        """Return the compiled LangGraph graph, with this knowledge base and choices as defaults.

        It is a graph like any other, to be invoked or to be a node of yours, with `ainvoke` and
        `astream` or with `invoke` and `stream`; the former are faster.
        """
        from hoptrail.graphs.qa import compile_qa

        return compile_qa(self._context({}))

    def _order_fields(self, given: str | Reranker | None) -> JsonDict:
        """Return the fields of a retriever that say how its passages are ordered."""
        from hoptrail.models.reranker import as_reranker

        reranker = as_reranker(given or self._defaults.reranker, self._settings)
        if reranker is None:
            return {}
        return {"reranker": reranker, "reranked": self._settings.reranker_candidates}

    def _gather(self, question: str, choices: JsonDict) -> Rendered:
        from hoptrail.api.asking import gather_evidence

        context = self._context(choices)
        return render(self._loop.run(gather_evidence(question, context)), context.budget)


def report_retrieval(retriever: Retriever, question: str) -> JsonDict:
    """Retrieve, and return what was found with its tokens when rendered and the seconds it took.

    `degraded` tells in a line each what went other than it should, such as a reranker that failed.
    """
    started = time.perf_counter()
    meter = Meter("retrieve")
    with booking_to(meter):
        evidence = retriever.retrieve(question)
    seconds = time.perf_counter() - started
    return {
        "question": question,
        "retriever": retriever.name_in_registry,
        "reranker": retriever.reranker and retriever.reranker.name,
        "degraded": meter.notes,
        **report_evidence(evidence, evidence.chunks[: retriever.k]),
        "tokens": render(evidence, retriever.budget).tokens,
        "seconds": round(seconds, 4),
    }


def report_evidence(evidence: Evidence, passages: Sequence[Hit[Chunk]]) -> JsonDict:
    """Return the lists `passages` (those given), `relations` and `entities`."""
    return {
        "passages": [_passage(rank, hit) for rank, hit in enumerate(passages, start=1)],
        "relations": [_relation(hit) for hit in evidence.relations],
        "entities": [_entity(hit) for hit in evidence.entities],
    }


def _passage(rank: int, hit: Hit[Chunk]) -> JsonDict:
    chunk = hit.item
    return {
        "rank": rank,
        "chunk_id": chunk.id,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "section": chunk.section,
        "place": chunk.place,
        "score": hit.score,
        "channel": hit.channel,
        "text": chunk.text,
    }


def _relation(hit: Hit[Relation]) -> JsonDict:
    relation = hit.item
    return {
        "subject": relation.subject,
        "predicate": relation.predicate,
        "object": relation.object,
        "score": hit.score,
        "chunk_ids": list(relation.chunk_ids),
    }


def _entity(hit: Hit[Entity]) -> JsonDict:
    entity = hit.item
    return {"id": entity.id, "name": entity.name, "type": entity.type, "score": hit.score}
