"""Checks of what a client asks of the graph, where it comes in.

The LangGraph server drops context fields that it does not know, and lets Python's own errors out
where values have the wrong type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import convert_to_messages

from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import resolve_preset
from hoptrail.graphs.state import QuestionInput
from hoptrail.services.open_knowledge_bases import require_knowledge_base
from hoptrail.services.request_services import require_retriever


def check_run(request: Any) -> None:
    """Check input and context of a request for a run; the rest is the server's to check.

    Blocking: it may import plugins and read the settings, so call it in a thread.

    Raises:
        InputError: If the input holds no question, or one that is no text.
        SettingsError: If a context field has a value that cannot be used.
        UnknownNameError: If a field of the input or context does not exist, or a knowledge base,
            preset or retriever that the context names.
    """
    if not isinstance(request, Mapping):
        return
    context = request.get("context")
    if isinstance(context, Mapping):
        _check_names(resolve_context(context))
    given = request.get("input")
    if given is not None:  # a run that goes on after an interrupt has none
        _check_input(given)


def _check_names(context: Context) -> None:
    """Check the names that the request itself gives; others are the server's or an assistant's."""
    given = context.model_fields_set
    if "knowledge_base" in given:
        require_knowledge_base(context.knowledge_base)
    if "preset" in given:
        resolve_preset(context.preset, has_model=True)
    if context.retriever is not None:
        require_retriever(context.retriever)


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
