"""Checks of what a client asks of the graph, where it comes in.

The LangGraph server drops context fields that it does not know, and lets Python's own errors out
where values have the wrong type.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from langchain_core.messages import convert_to_messages

from hoptrail.core.errors import InputError, KnowledgeBaseError, ModelError, UnknownNameError
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import resolve_preset
from hoptrail.graphs.state import QuestionInput
from hoptrail.services.open_knowledge_bases import require_knowledge_base
from hoptrail.services.request_services import check_choices, require_retriever

# What the server itself, its clients and LangGraph put beside the choices in `configurable`.
_OF_LANGGRAPH = frozenset(
    {
        "assistant_id",
        "checkpoint_id",
        "checkpoint_map",
        "checkpoint_ns",
        "cron_id",
        "graph_id",
        "run_id",
        "thread_id",
        "user-agent",
        "user_id",
    }
)
_PREFIXES_OF_LANGGRAPH = ("__", "langgraph_", "langsmith-", "x-")


def check_run(request: Any, defaults: Context | None = None) -> None:
    """Check input and context of a request for a run; the rest is the server's to check.

    Blocking: it may import plugins, read the settings and open a knowledge base, so call it in a
    thread.

    Args:
        request: The body of the request.
        defaults: What holds for context fields that a request leaves unset.

    Raises:
        InputError: If the input holds no question, or one that is no text, or if the filter allows
            no document.
        SettingsError: If a context field has a value that cannot be used, or names a model that is
            not listed.
        UnknownNameError: If a field of the input, the context or the filter does not exist, or a
            knowledge base, preset or retriever that the context names.
    """
    if not isinstance(request, Mapping):
        return
    for chosen in (request.get("context"), _configured(request)):
        if isinstance(chosen, Mapping):
            _check_names(resolve_context(chosen), defaults)
    given = request.get("input")
    if given is not None:  # a run that goes on after an interrupt has none
        _check_input(given)


def _configured(request: Mapping[Any, Any]) -> dict[str, Any] | None:
    """Return the choices that came as `config.configurable`, the older place of the context."""
    config = request.get("config")
    configurable = config.get("configurable") if isinstance(config, Mapping) else None
    if not isinstance(configurable, Mapping):
        return None
    return {
        name: value
        for name, value in configurable.items()
        if name not in _OF_LANGGRAPH and not name.startswith(_PREFIXES_OF_LANGGRAPH)
    }


def _check_names(context: Context, defaults: Context | None) -> None:
    """Check the names that the request itself gives; others are the server's or an assistant's."""
    given = context.model_fields_set
    if "knowledge_base" in given:
        require_knowledge_base(context.knowledge_base)
    if "preset" in given:
        resolve_preset(context.preset, has_model=True)
    if context.retriever is not None:
        require_retriever(context.retriever)
    if not given.isdisjoint({"filter", "model", "models"}):
        with suppress(
            KnowledgeBaseError, ModelError
        ):  # no mistake of the client's: the run tells it
            check_choices(resolve_context(context, defaults))


def _check_input(given: Any) -> None:
    if not isinstance(given, Mapping):
        raise InputError("the input is no object", hint='send {"question": "..."} or messages')
    known = QuestionInput.__annotations__
    for name in given:
        if name not in known:
            raise UnknownNameError("input field", name, known)
    question = given.get("question")
    if question is not None and not isinstance(question, str):
        raise InputError(f"the question is no text but {_kind(question)}")
    if given.get("messages") is not None:
        _check_messages(given["messages"])


def _check_messages(messages: Any) -> None:
    listed = messages if isinstance(messages, list) else [messages]
    try:
        convert_to_messages(listed)
    except (ValueError, TypeError, KeyError, NotImplementedError) as error:
        raise InputError(
            "the messages cannot be read",
            hint='send objects like {"role": "user", "content": "..."}',
        ) from error


def _kind(value: Any) -> str:
    kinds = {bool: "a truth value", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "an object")
