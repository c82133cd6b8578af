"""Services: what a context's names stand for in this process, resolved once and cached."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from uuid import uuid4

from langchain_core.tools import BaseTool

from hoptrail.core.document_filter import DocumentFilter
from hoptrail.core.embedding import Embed, FloatArray, RemoteEmbedder, static_of
from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Role
from hoptrail.core.tracing.spans import span
from hoptrail.models.chat import DEFAULT_CHOICE, GRAPH_LLM, ChatModels
from hoptrail.models.passage_reader import EMBEDDER as READS_WITH
from hoptrail.models.passage_reader import PassageReader
from hoptrail.models.reranker import chosen_reranker
from hoptrail.prompts.loader import Prompts
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.services.filtered_bases import REPORTS_LEFT_OUT, check_filter, filtered_base
from hoptrail.services.open_knowledge_bases import OpenKnowledgeBase, find_knowledge_base
from hoptrail.stores.feedback import FeedbackFile
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.saved_answers import SavedAnswers
from hoptrail.tools.lookup import make_saved_answer_finder


class StoredVectorEmbedder:
    """Embeds with a knowledge base's embedder what the base has no vector of.

    Its passages, sentences and names have one, stored or among the published arrays: only other
    texts reach the model.

    Args:
        kb: Opened with its embedder.
    """

    def __init__(self, kb: KnowledgeSource) -> None:
        self._kb = kb

    @property
    def name(self) -> str:
        """The name of the model that embeds."""
        return self._kb.embedder.name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._kb.embedder.dim

    @property
    def is_remote(self) -> bool:
        """Whether what the base has no vector of is sent to a server."""
        return isinstance(self._kb.embedder, RemoteEmbedder)

    @property
    def embed_roughly(self) -> Embed | None:
        """The vectors of the embedder's static model, None without one."""
        static = static_of(self._kb.embedder)
        return None if static is None else static.embed

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        return self._kb.embed_texts(texts)


async def call_tool(tool: BaseTool, **arguments: Any) -> Any:
    """Send a proper tool call and return the artifact; blocking tools run in a thread.

    Raises:
        HoptrailError: What the tool raised.
    """
    call = {"type": "tool_call", "id": uuid4().hex, "name": tool.name, "args": arguments}
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
        "gen_ai.tool.type": "function",
        "openinference.span.kind": "TOOL",
    }
    with span(f"execute_tool {tool.name}", told) as one:
        one.set_json("gen_ai.tool.call.arguments", arguments)
        one.set_shown("input", arguments)
        message = await tool.ainvoke(call)
        one.set_text("gen_ai.tool.call.result", str(message.content))
        one.set_shown("output", str(message.content))
    return message.artifact


class Choices(Protocol):
    """The part of a graph's context that services are resolved from."""

    @property
    def knowledge_base(self) -> str:
        """Name of the knowledge base."""
        ...

    @property
    def document_filter(self) -> DocumentFilter | None:
        """Documents to answer from; None for all."""

    @property
    def model(self) -> str | None:
        """Default chat model."""

    @property
    def models(self) -> dict[Role, str]:
        """Chat model by role."""
        ...

    @property
    def reranker(self) -> str | None:
        """The reranker; None for that of the settings."""


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one request: tools over a knowledge base, models, prompts, the embedder.

    The knowledge base itself is not among them: its data is reached through its tools alone. The
    embedder is a model like the chat models. `has_graph_only` is whether the base is a graph
    without any passage, `is_empty` whether it has neither, `has_reports` whether its communities
    are described; `left_out` tells in a line each what a filter leaves out. `captures_content` is
    whether spans may hold texts.
    """

    tools: Mapping[str, BaseTool]
    models: ChatModels
    prompts: Prompts
    embedder: StoredVectorEmbedder
    has_graph_only: bool
    has_reports: bool
    is_empty: bool
    left_out: tuple[str, ...] = ()
    captures_content: bool = False

    @property
    def embed_freely(self) -> Embed | None:
        """The embedder for what asks for vectors step by step, None where each would be a call."""
        return None if self.embedder.is_remote else self.embedder.embed

    @property
    def embed_roughly(self) -> Embed | None:
        """The static model that comes with the embedder, None where there is none."""
        return self.embedder.embed_roughly

    @property
    def passage_reader(self) -> PassageReader | None:
        """The reader that was trained from the packaged embedder, None for bases of another one."""
        return PassageReader.shipped() if self.embedder.name == READS_WITH else None

    def require_retriever(self, name: str) -> None:
        """Make sure that there is a tool `retrieve_<name>`; see the function of that name."""
        require_retriever(name)


def retriever_names() -> list[str]:
    """Return the names that a context may give as `retriever`."""
    return sorted(RETRIEVERS.quietly())


def require_retriever(name: str) -> None:
    """Make sure that a context may give the name as `retriever`.

    Raises:
        UnknownNameError: If no retriever has the name.
        PluginError: If an installed package adds the retriever and it cannot be used.
    """
    RETRIEVERS.find(name)


_allowed_models: set[str] = set()


def allow_models(*names: str) -> None:
    """Let contexts of this process name these models: the operator's own choice, not a client's.

    They may be chat models and rerankers, over any knowledge base.
    """
    _allowed_models.update(names)


def check_choices(choices: Choices) -> None:
    """Make sure that a context's knowledge base, models and filter can be used.

    Unlike `resolve_services` it does not derive the base of a filter, which takes long.

    Raises:
        UnknownNameError: If the knowledge base, or a field that the filter asks for, is not known.
        InputError: If the filter allows no document.
        SettingsError: If a model or reranker is named that this process does not list.
        KnowledgeBaseError: If the knowledge base cannot be opened.
    """
    opened = find_knowledge_base(choices.knowledge_base)
    _check_models(choices, opened)
    if choices.document_filter is not None:
        check_filter(opened.records, choices.document_filter)


def resolve_services(
    choices: Choices, graph_llm_roles: Collection[str] = (), *, refresh: bool = True
) -> Services:
    """Return the services behind a context's names; blocking, so call it in a thread.

    Args:
        choices: The context.
        graph_llm_roles: Roles that the graph LLM plays where one is set and no other is chosen.
        refresh: Whether to look for a newer generation of the knowledge base.

    Raises:
        UnknownNameError: If the knowledge base, or a field that the filter asks for, is not known.
        InputError: If the filter allows no document.
        SettingsError: If a model or reranker is named that this process does not list.
    """
    opened, seen, left_out = _opened(choices, refresh)
    _check_models(choices, opened)
    by_role: dict[str, str] = dict(choices.models.items())
    if choices.model is not None:
        by_role[DEFAULT_CHOICE] = choices.model
    return Services(
        tools=_with_saved_answers(opened, seen),
        models=ChatModels(opened.settings, by_role, graph_llm_roles),
        prompts=Prompts(opened.settings.prompts_dir),
        embedder=StoredVectorEmbedder(opened.source),
        has_graph_only=opened.source.size.is_graph_only,
        has_reports=opened.source.size.reports > 0,
        is_empty=opened.source.size.is_empty,
        left_out=left_out,
        captures_content=opened.settings.tracing.capture_content,
    )


def _opened(
    choices: Choices, refresh: bool
) -> tuple[OpenKnowledgeBase, KnowledgeBase, tuple[str, ...]]:
    """Return the base of the allowed documents, their records, and what the filter leaves out."""
    opened = find_knowledge_base(choices.knowledge_base, refresh=refresh)
    wanted = choices.document_filter
    if wanted is None:
        return opened, opened.records, ()
    part = filtered_base(opened.records, wanted)
    left_out = (REPORTS_LEFT_OUT,) if opened.source.size.reports else ()
    kept = replace(
        opened,
        source=part.store,
        make_tools=lambda _, settings: part.tools(opened.make_tools, settings),
    )
    return kept, part.store, left_out


def _with_saved_answers(opened: OpenKnowledgeBase, seen: KnowledgeBase) -> Mapping[str, BaseTool]:
    """Return the tools, with one that finds saved answers where there can be any."""
    saved = SavedAnswers(FeedbackFile(opened.records.path))
    if not saved.are_kept:
        return opened.tools
    finder = make_saved_answer_finder(saved, seen, is_part=seen is not opened.records)
    return {**opened.tools, finder.name: finder}


def _check_models(choices: Choices, opened: OpenKnowledgeBase) -> None:
    settings, allowed = opened.settings, opened.allowed_models | _allowed_models
    chosen_reranker(choices.reranker, settings, allowed)
    # The operator's setting says what the name `graph_llm` stands for.
    listed = {settings.model, *settings.models.values(), *settings.allowed_models, GRAPH_LLM}
    for name in filter(None, (choices.model, *choices.models.values())):
        if name not in listed and name not in allowed:
            raise SettingsError(
                f"model {name!r} is not listed here",
                hint="add it to allowed_models in hoptrail.toml",
            )
