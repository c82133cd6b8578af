"""Four LangChain tools over a knowledge base for a model that decides itself what to look up."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field

from hoptrail.api.agent_texts import (
    PAGE_CHARACTERS,
    answer_text,
    choices_text,
    document_text,
    entity_text,
    passages_text,
)
from hoptrail.core.errors import HoptrailError, InputError, UnknownNameError
from hoptrail.core.text import clipped, name_key
from hoptrail.core.types import Answer, JsonDict

if TYPE_CHECKING:
    from hoptrail.api.hoptrail import Hoptrail

NAMES = ("ask", "search", "explore", "read")
_MOST_RELATIONS = 1_000
_MOST_CHOICES = 12
_LONGEST_DESCRIPTION = 300
_SEARCH_FIRST = "search for it, and take an id from there"
_PREFIX = re.compile(r"[A-Za-z0-9_-]{1,40}")

Said = tuple[str, Any]


class AskArguments(BaseModel):
    """Arguments of `ask`."""

    question: str = Field(description="One whole question that reads alone, without pronouns.")


class SearchArguments(BaseModel):
    """Arguments of `search`."""

    query: str = Field(description="What to look for, as a question or in a few words.")
    k: int = Field(5, ge=1, le=20, description="Passages to return.")


class ExploreArguments(BaseModel):
    """Arguments of `explore`."""

    entity: str = Field(description="Name of a person, place or thing, or the id of an entity.")
    about: str = Field("", description="What you want to know of it; such relations come first.")


class ReadArguments(BaseModel):
    """Arguments of `read`."""

    source: str = Field(description="Id of a passage or document, a file name or a title.")
    start: int | None = Field(None, ge=0, description="First character to read, to read on.")


def make_agent_tools(
    hoptrail: Hoptrail, *, filter: JsonDict | None, prefix: str = ""
) -> dict[str, BaseTool]:
    """Return the tools `ask`, `search`, `explore` and `read` by name.

    Their text has at most 1,500 tokens and bears the ids that the others take; the artifact is the
    whole `Answer`, or the JSON form of what was found. A mistake in a call is told to the model.

    Args:
        hoptrail: The open knowledge base.
        filter: Documents that they reach, in JSON form; None for those that `hoptrail` has.
        prefix: Put before each name with an underscore, to tell several bases apart.

    Raises:
        InputError: If a name with the prefix would be none that models accept.
    """
    if prefix and not _PREFIX.fullmatch(prefix):
        raise InputError(
            f"{prefix!r} cannot begin the name of a tool",
            hint="use up to 40 letters, digits, hyphens and underscores",
        )
    names = {name: f"{prefix}_{name}" if prefix else name for name in NAMES}
    calls = _Calls(hoptrail, filter)
    documents, subject = _documents(hoptrail, prefix, is_whole=filter is None)

    def make(
        name: str,
        description: str,
        schema: type[BaseModel],
        call: Callable[..., Said],
        acall: Callable[..., Awaitable[Said]] | None = None,
    ) -> BaseTool:
        return StructuredTool.from_function(
            _told(call),
            None if acall is None else _atold(acall),
            name=names[name],
            description=description.format(documents=documents, subject=subject, **names),
            args_schema=schema,
            response_format="content_and_artifact",
            handle_tool_error=True,
            handle_validation_error=_mistake,
        )

    tools = (
        make("ask", _ASK, AskArguments, calls.ask, calls.aask),
        make("search", _SEARCH, SearchArguments, calls.search),
        make("explore", _EXPLORE, ExploreArguments, calls.explore),
        make("read", _READ, ReadArguments, calls.read),
    )
    return {tool.name: tool for tool in tools}


_ASK = (
    "Answer a question from {documents}{subject}. Use it first, also where the answer takes "
    "several steps: it finds the steps itself and returns the answer with the quote behind each "
    "step, or says that it does not know and which passages are near."
)
_SEARCH = (
    "Find passages in {documents}. Use it to look for yourself where {ask} does not know or its "
    "quotes do not convince you, or to collect what is said on a subject. {read} reads a passage "
    "further."
)
_EXPLORE = (
    "Look up one person, place or thing in the knowledge graph of {documents}: what it is and how "
    "it is related to others, with the ids of those and of the passages. Use it to go on from a "
    "name that {ask} or {search} brought up."
)
_READ = (
    "Read a document of {documents}, or the place of a passage in it, by an id or file name that "
    "{ask}, {search} or {explore} returned. Use it to check a quote or to see what is around it."
)


def _documents(hoptrail: Hoptrail, prefix: str, *, is_whole: bool) -> tuple[str, str]:
    """Return how descriptions name the documents, and what these are about.

    What all documents are about is not told where some are not to be seen.
    """
    kb = hoptrail.stored
    subject = clipped(kb.description, _LONGEST_DESCRIPTION).rstrip(".") if is_whole else ""
    return f"the documents {prefix or kb.name!r}", f" ({subject})" if subject else ""


class _Calls:
    """The work of the tools: the text for the model, and the whole result as artifact."""

    def __init__(self, hoptrail: Hoptrail, filter: JsonDict | None) -> None:
        self._hoptrail = hoptrail
        self._filter = filter

    @property
    def _context(self) -> JsonDict:
        return {} if self._filter is None else {"filter": self._filter}

    def ask(self, question: str) -> tuple[str, Answer]:
        answer = self._hoptrail.ask(question, **self._context)
        return answer_text(answer), answer

    async def aask(self, question: str) -> tuple[str, Answer]:
        answer = await self._hoptrail.aask(question, **self._context)
        return answer_text(answer), answer

    def search(self, query: str, k: int) -> tuple[str, JsonDict]:
        found = self._hoptrail.retrieve(query, k=k, filter=self._filter)
        return passages_text(found["passages"]), found

    def explore(self, entity: str, about: str) -> tuple[str, JsonDict]:
        known = self._entity(entity)
        if known is not None:
            return entity_text(known, about), known
        listed = self._hoptrail.entities(entity, limit=_MOST_CHOICES, filter=self._filter)
        found = listed["entities"]
        exact = [one for one in found if name_key(one["name"]) == name_key(entity)]
        chosen = exact if len(exact) == 1 else found
        if not entity.strip() or not chosen:
            raise UnknownNameError("entity", entity, (), listing="search for it in other words")
        if len(chosen) > 1:
            return choices_text(entity, chosen), listed
        only = self._entity(chosen[0]["id"])
        assert only is not None
        return entity_text(only, about), only

    def read(self, source: str, start: int | None) -> tuple[str, JsonDict]:
        doc_id, begin = self._place(source.strip())
        if start is not None:
            begin = start
        page = self._hoptrail.document(
            doc_id,
            around=begin + PAGE_CHARACTERS // 2,
            length=PAGE_CHARACTERS,
            filter=self._filter,
        )
        if begin >= page["total"] > 0:
            raise InputError(f"{doc_id} has {page['total']} characters", hint="start before them")
        # At the end of a document the part is laid before the place that was asked for.
        page["text"] = page["text"][begin - page["offset"] :]
        page["offset"] = begin
        return document_text(page), page

    def _entity(self, id_: str) -> JsonDict | None:
        try:
            return self._hoptrail.entity(id_, limit=_MOST_RELATIONS, filter=self._filter)
        except UnknownNameError:
            return None

    def _place(self, source: str) -> tuple[str, int]:
        """Return the document and the first character that an id, file name or title means."""
        passage = self._hoptrail.passage(source, filter=self._filter)
        if passage is not None:
            return passage["doc_id"], passage["start"]
        with suppress(UnknownNameError):
            known = self._hoptrail.document(source, length=1, filter=self._filter)
            return known["doc_id"], 0
        listed = self._hoptrail.documents(source, limit=_MOST_CHOICES, filter=self._filter)
        found = listed["documents"] if source else []
        titled = [one for one in found if name_key(one["title"]) == name_key(source)]
        chosen = titled if len(titled) == 1 else found
        if len(chosen) == 1:
            return chosen[0]["doc_id"], 0
        ids = ", ".join(one["doc_id"] for one in chosen)
        raise UnknownNameError(
            "passage or document", source, (), listing=f"one of {ids}?" if ids else _SEARCH_FIRST
        )


def tell_mistakes(tool: BaseTool) -> BaseTool:
    """Return a tool of Hoptrail's graph that tells a model what was wrong with its call.

    Within the graph itself such a tool raises, and the node decides.
    """
    if not isinstance(tool, StructuredTool):
        return tool
    calls = {
        "func": None if tool.func is None else _told(tool.func),
        "coroutine": None if tool.coroutine is None else _atold(tool.coroutine),
    }
    handled = {"handle_tool_error": True, "handle_validation_error": _mistake}
    return tool.model_copy(update={**calls, **handled})


def _mistake(error: Any) -> str:
    """Return which argument of a call cannot be used, and why."""
    found = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3]]
    return f"error: {'; '.join(found)}"


def _told(call: Callable[..., Said]) -> Callable[..., Said]:
    """Let the model be told what was wrong with its call."""

    @wraps(call)
    def told(*given: Any, **arguments: Any) -> Said:
        try:
            return call(*given, **arguments)
        except HoptrailError as error:
            raise ToolException(f"error: {error}") from error

    return told


def _atold(call: Callable[..., Awaitable[Said]]) -> Callable[..., Awaitable[Said]]:
    @wraps(call)
    async def told(*given: Any, **arguments: Any) -> Said:
        try:
            return await call(*given, **arguments)
        except HoptrailError as error:
            raise ToolException(f"error: {error}") from error

    return told
