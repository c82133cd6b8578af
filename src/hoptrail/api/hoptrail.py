"""`Hoptrail`: one knowledge base with everything that can be done with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hoptrail.api.asking import with_choices
from hoptrail.api.checked_context import checked_context
from hoptrail.api.conversations import Conversations, open_conversations
from hoptrail.api.handle import KnowledgeBaseHandle
from hoptrail.api.kept_threads import (
    Thread,
    Turn,
    delete_thread,
    find_thread,
    list_threads,
    list_turns,
)
from hoptrail.api.retrieval import report_retrieval
from hoptrail.core.background import BackgroundLoop
from hoptrail.core.embedding import Embedder, RemoteEmbedder
from hoptrail.core.errors import ClosedError, InputError, UnknownNameError
from hoptrail.core.filters.document_filter import DocumentFilter
from hoptrail.core.filters.filter_text import FilterForm, parse_filter
from hoptrail.core.progress import Progress
from hoptrail.core.render import Rendered, render
from hoptrail.core.settings import Settings, load_settings
from hoptrail.core.types import Answer, Community, Event, Evidence, JsonDict
from hoptrail.core.types.merge import Merge
from hoptrail.core.unknown_variables import log_unknown_variables
from hoptrail.graphs.context import Context
from hoptrail.indexing.communities.options import CommunityOptions
from hoptrail.indexing.consolidation.options import ConsolidationOptions
from hoptrail.indexing.options import IndexOptions
from hoptrail.models.embedder import as_embedder, is_remote
from hoptrail.services.serving_stores import StoreReport
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.tools import BaseTool

    from hoptrail.graphs.conversation import Exchange
    from hoptrail.graphs.qa import Graph
    from hoptrail.indexing.communities.building import CommunityBuilder
    from hoptrail.indexing.loading.documents import Source
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.retrievers.base.retriever import Retriever


class Hoptrail:
    """Answers questions over one knowledge base and maintains it.

    Open it with `Hoptrail.open`, best in a `with` statement. Every question method takes the
    fields of `hoptrail.graphs.context.Context` as keyword arguments; what is left out holds as
    given to `open`.

    To open one loads no more than the store: LangGraph, LangChain and the embedder are imported by
    the first method that needs them.
    """

    def __init__(self, handle: KnowledgeBaseHandle, settings: Settings, defaults: Context) -> None:
        self._handle = handle
        self._settings = settings
        self._defaults = defaults
        self._background: BackgroundLoop | None = None
        self._opening = threading.Lock()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = False,
        writable: bool = False,
        settings: Settings | None = None,
        embedder: str | Embedder | Embeddings | None = None,
        embedder_name: str | None = None,
        **context: Any,
    ) -> Self:
        """Open a knowledge base.

        Args:
            path: Its folder, or a name that the settings list.
            create: Make a missing or empty folder a new knowledge base.
            writable: Keep the writer's lock until `close`, so that nobody else writes meanwhile.
                It is not needed for `index` and whatever else changes the base: each call takes
                the lock for itself, and opens the base again, which takes a moment.
            settings: Models, keys and prices; else read from `hoptrail.toml` and `HOPTRAIL_*`.
            embedder: Makes vectors, in place of the settings' embedder: a LangChain `Embeddings`,
                an embedder of your own, or a name such as `openai:text-embedding-3-small`.
            embedder_name: Name by which the base knows a LangChain `Embeddings`; else that of its
                provider and model, or its class.
            **context: Fields of `Context` that hold for every question.

        Raises:
            KnowledgeBaseError: If the folder holds none, or it cannot be opened.
            UnknownNameError: If a context field or preset does not exist.
        """
        if settings is None:
            log_unknown_variables()
            settings = load_settings()
        served = settings.base_of(path)
        folder = served.records.resolve()
        defaults = checked_context({"knowledge_base": str(folder), **context})
        handle = KnowledgeBaseHandle(
            served,
            defaults.knowledge_base,
            str(path),
            settings,
            writable=writable,
            create=create,
            embedder=_embedder(embedder, settings, embedder_name),
        )
        return cls(handle, settings, defaults)

    @property
    def knowledge_base(self) -> KnowledgeBase:
        """The open store with its embedder, for code that needs more than this class offers."""
        return self._handle.embedded()

    @property
    def stored(self) -> KnowledgeBase:
        """The open store without its embedder, which need not be loaded: no vector search."""
        return self._handle.plain()

    def index(
        self,
        paths: Sequence[Source] = (),
        *,
        options: IndexOptions | None = None,
        model: str | None = None,
        progress: Progress | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Index documents and triples.

        A run that was stopped is continued by the same call, and pays for nothing twice.

        Args:
            paths: Files, folders, or documents (Hoptrail's or LangChain's).
            options: How to index; `choices` change single fields of it.
            model: Chat model that extracts, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            **choices: Fields of `hoptrail.indexing.options.IndexOptions`: source, extractor,
                triples, beta, concurrency, max_usd, retry_failed and more.

        Returns:
            Counts, skipped inputs, usage and seconds, as `hoptrail index --json` prints them.

        Raises:
            NothingIndexedError: If nothing of the input could be used.
            CostLimitError: At `max_usd`; what was paid for is stored.
            ModelNotConfiguredError: If a model is needed and none is set.
        """
        with self._handle.writing() as kb:
            indexer = self._indexer(kb, model, progress)
            report = indexer.index(paths, with_choices(options or IndexOptions(), choices))
        return self._with_stores(report.to_json())

    def forecast(
        self,
        paths: Sequence[Source] = (),
        *,
        options: IndexOptions | None = None,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return calls, tokens, dollars and minutes of an `index` run; spends nothing."""
        indexer = self._indexer(self._handle.plain(), model, None)
        return indexer.forecast(paths, with_choices(options or IndexOptions(), choices)).to_json()

    def sync(
        self,
        folder: str | Path,
        *,
        options: IndexOptions | None = None,
        allow_empty: bool = False,
        moved: bool = False,
        model: str | None = None,
        progress: Progress | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Bring the documents of a folder in step with its files: add, replace, delete.

        Files that are as they were are not read. A file that cannot be read keeps its documents and
        is listed as skipped. A run that was stopped is continued by the same call.

        Args:
            folder: The folder; its documents are those that `index` gives it.
            options: How to index; `choices` change single fields of it.
            allow_empty: Whether all its documents are deleted where it holds no readable file.
            moved: Whether it is the folder of its source, which was moved here.
            model: Chat model that extracts, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            **choices: Fields of `hoptrail.indexing.options.IndexOptions`, as for `index`.

        Returns:
            As `index`: `documents` counts what was added, replaced, deleted, moved, unchanged and
            skipped; `deleted` lists ids, `moved` pairs of `former_id` and `doc_id`.

        Raises:
            InputError: If the folder is missing, or empty without `allow_empty`: then nothing is
                deleted.
            SourceRootError: If another folder of that name is in the base.
            CostLimitError: At `max_usd`; what was paid for is stored.
            ModelNotConfiguredError: If a model is needed and none is set.
        """
        chosen = with_choices(options or IndexOptions(), choices)
        with self._handle.writing() as kb:
            report = self._indexer(kb, model, progress).sync(
                folder, chosen, allow_empty=allow_empty, moved=moved
            )
        self._forget_quotes(report.deleted)
        return self._with_stores(report.to_json())

    def plan_sync(
        self,
        folder: str | Path,
        *,
        options: IndexOptions | None = None,
        allow_empty: bool = False,
        moved: bool = False,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return what `sync` would do, and its forecast as of `forecast`; changes nothing.

        Returns:
            `added`, `replaced` and `deleted` list ids, `moved` pairs of `former_id` and `doc_id`;
            `unchanged`, `skipped` and `forecast`.
        """
        chosen = with_choices(options or IndexOptions(), choices)
        indexer = self._indexer(self._handle.plain(), model, None)
        plan = indexer.plan_sync(folder, chosen, allow_empty=allow_empty, moved=moved)
        return plan.to_json()

    def consolidate(
        self,
        *,
        options: ConsolidationOptions | None = None,
        model: str | None = None,
        progress: Progress | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Merge entities that a model finds to be one, and bring their types into a schema.

        What was decided is kept: nothing is asked twice, and it holds for later documents.

        Args:
            options: How to tidy; `choices` change single fields of it.
            model: Chat model that decides, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            **choices: Fields of
                `hoptrail.indexing.consolidation.options.ConsolidationOptions`: entity_types,
                similarity, concurrency, max_usd.

        Returns:
            `merged, apart, labelled, unlabelled, failed, usage`.

        Raises:
            CostLimitError: At `max_usd`; what was decided is stored and holds.
            ModelNotConfiguredError: If no model is set.
        """
        with self._handle.writing() as kb:
            indexer = self._indexer(kb, model, progress)
            report = indexer.consolidate(with_choices(options or ConsolidationOptions(), choices))
        return self._with_stores(report.to_json())

    def forecast_consolidation(
        self,
        *,
        options: ConsolidationOptions | None = None,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return what `consolidate` would cost: types, entities, calls, tokens, dollars."""
        indexer = self._indexer(self._handle.embedded(), model, None)
        return indexer.forecast_consolidation(
            with_choices(options or ConsolidationOptions(), choices)
        ).to_json()

    def merges(self) -> list[Merge]:
        """Return the merges of entities, with the reason of each."""
        return self._handle.plain().merges()

    def undo_merges(self, merge_ids: Sequence[str]) -> list[Merge]:
        """Take merges back and return them: each two are kept apart for good; calls no model.

        Raises:
            UnknownNameError: If one of them is not there; then nothing is taken back.
        """
        with self._handle.writing() as kb:
            return self._indexer(kb, None, None).undo_merges(merge_ids)

    def communities(
        self,
        *,
        options: CommunityOptions | None = None,
        model: str | None = None,
        progress: Progress | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Find the communities of the graph and write the reports that they lack.

        Only what changed since the last run is done again; a run that was stopped is continued by
        the same call, and pays for nothing twice. Without a model the reports are put together from
        names and key sentences.

        Args:
            options: How to find and report; `choices` change single fields of it.
            model: Chat model that reports, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            **choices: Fields of `hoptrail.indexing.communities.options.CommunityOptions`: rebuild,
                extractive, concurrency, max_usd, material_tokens, seed.

        Returns:
            `levels[{level, communities, reported, reused, made, dropped}]` from the coarsest on,
            `failed[{community_id, reason}]`, `usage`, `seconds`, `resumable`.

        Raises:
            CostLimitError: At `max_usd`; what was paid for is stored.
        """
        with self._handle.writing() as kb:
            builder = self._community_builder(kb, model, progress)
            report = builder.build(with_choices(options or CommunityOptions(), choices))
        return self._with_stores(report.to_json())

    def forecast_communities(
        self,
        *,
        options: CommunityOptions | None = None,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return what `communities` would cost: calls, tokens, dollars, minutes; spends nothing."""
        builder = self._community_builder(self._handle.plain(), model, None)
        return builder.forecast(with_choices(options or CommunityOptions(), choices)).to_json()

    def reports(self, level: int | None = None) -> list[Community]:
        """Return the communities of one level or all with their reports, without their members."""
        return self._handle.plain().communities(level)

    def delete(self, doc_ids: Sequence[str], *, max_usd: float | None = None) -> JsonDict:
        """Delete documents and all that only they supported; calls no model.

        Conversations show "deleted" where they quoted them.

        Args:
            doc_ids: Their ids.
            max_usd: What vectors of a served embedder may cost: some entities read otherwise after.

        Raises:
            UnknownNameError: If one of them is not there; then nothing is deleted.
            CostLimitError: At `max_usd`; nothing is deleted.
        """
        with self._handle.writing() as kb:
            report = self._indexer(kb, None, None).delete(doc_ids, max_usd)
        self._forget_quotes(report.deleted)
        return self._with_stores(report.to_json())

    def merge(
        self,
        other: str | Path,
        *,
        max_usd: float | None = None,
        progress: Progress | None = None,
    ) -> JsonDict:
        """Add the documents of another knowledge base, with all that was read in them.

        Nothing is read again; vectors of the same embedder are taken over. The other base stays as
        it is.

        Args:
            other: Its folder, or a name that the settings list.
            max_usd: What vectors of a served embedder may cost.
            progress: Observer of the stages.

        Raises:
            InputError: If both have a document of one id with other text, or a source with another
                root: then nothing is added.
            CostLimitError: At `max_usd`; what was added is stored, and the same call goes on.
        """
        folder = self._settings.base_of(other).records
        if folder.resolve() == self._handle.path.resolve():
            raise InputError(f"{other} is this knowledge base", hint="name another one")
        with KnowledgeBase.open(folder) as given, self._handle.writing() as kb:
            report = self._indexer(kb, None, progress).merge(given, max_usd)
        return self._with_stores(report.to_json())

    def forecast_deletion(self, doc_ids: Sequence[str]) -> JsonDict:
        """Return texts, tokens and dollars of vectors that `delete` would make; spends nothing."""
        indexer = self._indexer(self._handle.plain(), None, None)
        return indexer.forecast_deletion(doc_ids).to_json()

    def without_deleted(self, answer: Answer) -> Answer:
        """Return an answer of before with "deleted" for quotes of documents that are gone since."""
        from hoptrail.api.deleted_quotes import without_deleted

        return without_deleted(answer, self._handle.plain().missing_documents)

    def reembed(
        self,
        embedder: str | Embedder | Embeddings,
        *,
        embedder_name: str | None = None,
        max_usd: float | None = None,
        progress: Progress | None = None,
    ) -> JsonDict:
        """Give everything vectors of another embedder, and use it from now on.

        A run that was stopped is continued by the same call, and pays for nothing twice.

        Args:
            embedder: As of `open`.
            embedder_name: As of `open`.
            max_usd: What the run may spend at most.
            progress: Observer of the stages.

        Raises:
            CostLimitError: At `max_usd`; the vectors so far are stored.
        """
        chosen = as_embedder(embedder, self._settings, embedder_name)
        with self._handle.writing(chosen) as kb:
            report = self._indexer(kb, None, progress).reembed(chosen, max_usd)
        return self._with_stores(report.to_json())

    def publish(self, *, progress: Progress | None = None) -> JsonDict:
        """Bring the server of the base in step with its folder, as every writing call does itself.

        Only what changed since the server's generation is written; all of it where that is not
        known, or where the server lost something.

        Args:
            progress: Observer of the stages.

        Returns:
            `generation` of the folder, and `stores[{store, generation, in_step, counts, written,
            removed, repaired, error}]`.

        Raises:
            SettingsError: If the settings name no server for the base.
        """
        self._handle.publish(progress)
        return self._with_stores({"generation": self._handle.plain().newest_generation})

    @property
    def publications(self) -> list[StoreReport]:
        """The reports of the last call that wrote to servers; a failed one has an error."""
        return self._handle.publications

    def stores(self) -> list[StoreReport]:
        """Return what each server of the base holds, and whether it is in step with the folder."""
        return self._handle.stores()

    def forecast_reembedding(
        self, embedder: str | Embedder | Embeddings, *, embedder_name: str | None = None
    ) -> JsonDict:
        """Return texts, tokens and dollars of a `reembed` run; spends nothing."""
        if isinstance(embedder, str):
            remote = embedder if is_remote(embedder) else None
        else:
            given = as_embedder(embedder, self._settings, embedder_name)
            remote = given.name if isinstance(given, RemoteEmbedder) else None
        indexer = self._indexer(self._handle.plain(), None, None)
        return indexer.forecast_reembedding(remote).to_json()

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
        **parameters: Any,
    ) -> JsonDict:
        """Return a retriever's passages, relations and entities as `hoptrail retrieve` does.

        Args:
            question: What to look for.
            retriever: Name of a retriever: vector, bm25, ket, ppr and so on.
            k: Passages to list.
            budget: Tokens of evidence to collect.
            filter: Documents to search, as a text or in JSON form; by default as given to `open`.
            **parameters: Further fields of that retriever, such as `theta`.

        Raises:
            UnknownNameError: If there is no retriever of that name, or no field of the filter's.
            InputError: If the filter allows no document.
        """
        from hoptrail.retrievers.registry import RETRIEVERS, make_retriever

        wanted = self._filter(filter)
        needs_embedder = wanted is not None or RETRIEVERS.find(retriever).uses_vector
        is_plain = not needs_embedder and not self._handle.is_served
        kb = self._handle.plain() if is_plain else self._allowed(wanted)
        chosen = make_retriever(retriever, kb, k=k, budget=budget, **parameters)
        return {**report_retrieval(chosen, question), "filter": wanted and wanted.to_json()}

    def retriever(
        self, name: str = "ket", *, filter: FilterForm | None = None, **parameters: Any
    ) -> Retriever:
        """Return a LangChain retriever over this knowledge base.

        Args:
            name: Name of a retriever: vector, bm25, ket, ppr and so on.
            filter: Documents to search, as a text or in JSON form; by default as given to `open`.
            **parameters: Its fields, such as `k` and `budget`.
        """
        from hoptrail.retrievers.registry import make_retriever

        # With the embedder in any case: to load it later would close the store under the retriever.
        return make_retriever(name, self._allowed(self._filter(filter)), **parameters)

    def tools(
        self, *names: str, filter: FilterForm | None = None, prefix: str = ""
    ) -> list[BaseTool]:
        """Return LangChain tools over this knowledge base, for agents of your own.

        Without names they are four that a model uses well: `ask`, `search`, `explore` and `read`.
        Their texts have at most 1,500 tokens; a mistake in a call is told to the model.

        Args:
            *names: Others by name, such as `retrieve_ppr` or `read_reports`: the single steps that
                Hoptrail's own graph takes.
            filter: Documents that they reach, as a text or in JSON form; by default as given to
                `open`. No argument of a call reaches others.
            prefix: Put before the names of the four with an underscore, to tell the tools of
                several knowledge bases apart.

        Raises:
            UnknownNameError: If there is no tool of a name; it lists those that there are.
        """
        from hoptrail.api.agent_tools import make_agent_tools, tell_mistakes
        from hoptrail.tools.registry import make_tools

        wanted = self._filter(filter)
        form = None if wanted is None else wanted.to_json()
        known = make_agent_tools(self, filter=form, prefix=prefix)
        if not names:
            return list(known.values())
        steps = make_tools(self._allowed(wanted), self._settings)
        known |= {name: tell_mistakes(tool) for name, tool in steps.items()}
        for name in names:
            if name not in known:
                raise UnknownNameError("tool", name, known)
        return [known[name] for name in names]

    def graph(self) -> Graph:
        """Return the compiled LangGraph graph, with this knowledge base and choices as defaults.

        It is a graph like any other, to be invoked or to be a node of yours, with `ainvoke` and
        `astream` or with `invoke` and `stream`; the former are faster.
        """
        from hoptrail.graphs.qa import compile_qa

        self._handle.source()
        return compile_qa(self._defaults)

    def info(self, *, documents: bool = False, fields: bool = False) -> JsonDict:
        """Return counts, embedder, versions and extractors, and what servers hold of the base.

        Args:
            documents: Add the ledger by document.
            fields: Add the fields that a filter may ask for, with the number of documents and
                some values of each.
        """
        kb = self._handle.plain()
        found = kb.info(documents=documents)
        if self._handle.is_served:
            found["stores"] = [one.to_json() for one in self.stores()]
        if not fields:
            return found
        from hoptrail.services.filtered_bases import filter_fields

        return {**found, "fields": filter_fields(kb)}

    def fields(self, *, filter: FilterForm | None = None) -> JsonDict:
        """Return what a filter of documents can ask for.

        Args:
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `fields`: by name the number of `documents` that have it, and some `values`.
        """
        from hoptrail.services.filtered_bases import filter_fields

        return {"fields": filter_fields(self._seen(filter))}

    def documents(
        self,
        search: str = "",
        *,
        limit: int = 100,
        offset: int = 0,
        filter: FilterForm | None = None,
    ) -> JsonDict:
        """Return documents by id, without their texts.

        Args:
            search: Stands in the title or the id, in small or capital letters; all where empty.
            limit: How many at most.
            offset: How many to pass over.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `documents[{doc_id, title, source, state, passages, failed}]` and `total`.
        """
        from hoptrail.api.browsing import list_documents

        return list_documents(self._seen(filter), search, limit=limit, offset=offset)

    def document(
        self,
        doc_id: str,
        *,
        start: int | None = None,
        end: int | None = None,
        around: int | None = None,
        length: int = 200_000,
        filter: FilterForm | None = None,
    ) -> JsonDict:
        """Return a document, or the part of a long one around some characters.

        Args:
            doc_id: Its id.
            start: First character to highlight.
            end: The one after the last.
            around: Character that the part is laid around; else the middle of the highlight.
            length: Characters of the part, at most.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `doc_id, title, source, uri, metadata, text, offset, total, places, highlight`: `text`
            begins at the character `offset` of `total`; `places[[offset, name]]` and
            `highlight{start, end, place}` count characters of the whole document.

        Raises:
            UnknownNameError: If there is no such document, or the filter does not allow it.
        """
        from hoptrail.api.browsing import Window, show_document

        window = Window(start, end, around, length)
        return show_document(self._seen(filter), doc_id, window)

    def passage(self, chunk_id: str, *, filter: FilterForm | None = None) -> JsonDict | None:
        """Return a passage, None where there is none of that id or the filter does not allow it.

        Args:
            chunk_id: Its id, of a retrieval or a quote.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `chunk_id, doc_id, title, start, end, place, text`.
        """
        from hoptrail.api.browsing import find_passage

        return find_passage(self._seen(filter), chunk_id)

    def entities(
        self, search: str = "", *, limit: int = 20, filter: FilterForm | None = None
    ) -> JsonDict:
        """Return entities whose name holds a text, best first; the most connected where empty.

        Args:
            search: A name or part of one.
            limit: How many at most.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `entities[{id, name, type, description, relations}]` and whether there are `more`.
        """
        from hoptrail.api.browsing import find_entities

        return find_entities(self._seen(filter), search, limit=limit)

    def entity(
        self, entity_id: str, *, limit: int = 50, filter: FilterForm | None = None
    ) -> JsonDict:
        """Return an entity with its relations, passages and communities.

        Args:
            entity_id: Its id, of `entities` or of a relation.
            limit: Relations, and passages, at most.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `id, name, type, description, aliases, relations, relations_total, passages,
            passages_total, communities`; docs/web_api.md lists their fields.

        Raises:
            UnknownNameError: If there is no such entity, or no allowed document tells of it.
        """
        from hoptrail.api.browsing import show_entity

        return show_entity(self._seen(filter), entity_id, limit=limit)

    def export(self, to: str | Path) -> list[Path]:
        """Write the whole graph to a file: `.jsonl`, `.graphml` or `.csv`.

        Returns:
            The files that were written: with CSV a second one, of the entities.
        """
        return self._handle.plain().export(to)

    def backup(self, file: str | Path) -> list[str]:
        """Write documents, graph, vectors and conversations into one new file.

        The base may be in use, and be written to, meanwhile.

        Returns:
            The names of the databases in it.

        Raises:
            InputError: If the file exists.
            KnowledgeBaseError: If it cannot be written.
        """
        from hoptrail.stores.records.backup import write_backup

        self._handle.require_open()
        return write_backup(self._handle.path, Path(file))

    @classmethod
    def restore(cls, file: str | Path, path: str | Path) -> list[str]:
        """Make a new knowledge base of a file that `backup` wrote.

        Args:
            file: The backup.
            path: A new or empty folder.

        Returns:
            The names of the databases that were restored.

        Raises:
            InputError: If the file is no backup, or damaged.
            KnowledgeBaseError: If the folder holds something, or cannot be written.
        """
        from hoptrail.stores.records.backup import restore_backup

        restored = restore_backup(Path(file), Path(path))
        cls.open(path).close()
        return restored

    def close(self) -> None:
        """Close the knowledge base; a second call does nothing.

        A question that is being answered in another thread ends with a `ClosedError`, as any use
        does from then on.
        """
        with self._opening:
            if self._background is not None:
                self._background.close()
            self._handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _loop(self) -> BackgroundLoop:
        with self._opening:
            self._handle.require_open()
            if self._background is None:
                self._background = BackgroundLoop()
            return self._background

    @contextmanager
    def _told_if_closed(self) -> Iterator[None]:
        """Say that the knowledge base was closed where something breaks on that."""
        try:
            yield
        except Exception as error:
            if self._handle.is_closed and not isinstance(error, ClosedError):
                raise ClosedError from error
            raise

    @cached_property
    def _conversations(self) -> Conversations:
        name = self._handle.plain().name
        return open_conversations(self._settings, self._handle.path, name)

    def _with_stores(self, report: JsonDict) -> JsonDict:
        stores = [one.to_json() for one in self._handle.publications]
        return {**report, "stores": stores} if stores else report

    def _forget_quotes(self, doc_ids: Sequence[str]) -> None:
        if doc_ids:
            self._conversations.forget_quotes(doc_ids)

    def _indexer(self, kb: KnowledgeBase, model: str | None, progress: Progress | None) -> Indexer:
        from hoptrail.indexing.pipeline import Indexer
        from hoptrail.models.chat import ChatModels

        models = ChatModels(self._settings, {"default": model} if model else {})
        remote = self._handle.embedder_name if self._handle.has_remote_embedder else None
        return Indexer(
            kb,
            settings=self._settings,
            models=models,
            progress=progress,
            remote_embedder=remote,
        )

    def _community_builder(
        self, kb: KnowledgeBase, model: str | None, progress: Progress | None
    ) -> CommunityBuilder:
        from hoptrail.indexing.communities.building import CommunityBuilder
        from hoptrail.models.chat import ChatModels

        models = ChatModels(self._settings, {"default": model} if model else {})
        remote = self._handle.embedder_name if self._handle.has_remote_embedder else None
        return CommunityBuilder(
            kb,
            settings=self._settings,
            models=models,
            progress=progress,
            remote_embedder=remote,
        )

    def _filter(self, given: FilterForm | None) -> DocumentFilter | None:
        return self._defaults.document_filter if given is None else parse_filter(given)

    def _allowed(self, wanted: DocumentFilter | None) -> KnowledgeSource:
        return self._handle.source() if wanted is None else self._filtered(wanted)

    def _filtered(self, wanted: DocumentFilter) -> KnowledgeBase:
        from hoptrail.services.filtered_bases import filtered_base

        return filtered_base(self._handle.embedded(), wanted).store

    def _seen(self, given: FilterForm | None) -> KnowledgeBase:
        """Return what a reader sees under a filter; without one, no embedder is loaded."""
        wanted = self._filter(given)
        return self._handle.plain() if wanted is None else self._filtered(wanted)

    def _context(self, choices: JsonDict) -> Context:
        from hoptrail.services.request_services import allow_models

        self._handle.source()
        context = checked_context(choices, self._defaults)
        allow_models(*filter(None, (context.model, *context.models.values())))
        return context

    def _gather(self, question: str, choices: JsonDict) -> Rendered:
        from hoptrail.api.asking import gather_evidence

        context = self._context(choices)
        return render(self._loop.run(gather_evidence(question, context)), context.budget)


def _embedder(
    given: str | Embedder | Embeddings | None, settings: Settings, name: str | None
) -> str | Embedder | None:
    """Return an embedder to be loaded on first need by its name, or the given one."""
    return given if given is None or isinstance(given, str) else as_embedder(given, settings, name)
