"""A thread's messages: whole turns, each a question and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    convert_to_messages,
)
from langgraph.graph.message import Messages, add_messages

from hoptrail.core.document_filter import DocumentFilter
from hoptrail.core.errors import InputError
from hoptrail.core.reply_conventions import PERHAPS_MARK, STANDALONE_MARK, TRAIL_MARK

Exchange = tuple[str, str] | tuple[str, str, bool]
"""A question, the answer that it got, and whether that was given with reserve, if that is known."""

_FILTER = "hoptrail_filter"


def add_turns(left: Messages, right: Messages) -> Messages:
    """Reduce stored and new messages as `add_messages`; a new question replaces an unanswered one.

    A turn that failed, was cancelled or was left at a breakpoint may have stored its question
    already. It would otherwise stand in the history as if it had been answered.
    """
    stored, new = _as_messages(left), _as_messages(right)
    known, given = _ids(stored), _ids(new)
    if any(_is_question(message) and message.id not in known for message in new):
        while stored and _is_question(stored[-1]) and stored[-1].id not in given:
            stored.pop()
    return add_messages(cast(Messages, stored), cast(Messages, new))


def question_of(messages: Sequence[BaseMessage]) -> str:
    """Return the text of the question that waits for an answer at the end, or nothing."""
    return str(messages[-1].text) if messages and _is_question(messages[-1]) else ""


def answered_turns(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages without the questions at the end that have no answer yet."""
    turns = list(messages)
    while turns and _is_question(turns[-1]):
        turns.pop()
    return turns


def answer_message(
    text: str,
    message_id: str | None,
    wanted: DocumentFilter | None,
    *,
    perhaps: bool = False,
    standalone: str = "",
    trail: Sequence[str] | None = None,
) -> AIMessage:
    """Return an answer as a message, with marks that later turns read.

    Args:
        text: The answer.
        message_id: Its id, None for a new one.
        wanted: The filter that it was given under.
        perhaps: Whether it was given with reserve.
        standalone: How its question was understood.
        trail: What the steps to it name; None where that is not known.
    """
    mark: dict[str, object] = {} if wanted is None else {_FILTER: wanted.digest}
    if perhaps:
        mark[PERHAPS_MARK] = True
    if standalone:
        mark[STANDALONE_MARK] = standalone
    if trail is not None:
        mark[TRAIL_MARK] = list(trail)
    return AIMessage(text, id=message_id, additional_kwargs=mark)


def past_messages(history: Sequence[Exchange], wanted: DocumentFilter | None) -> list[AnyMessage]:
    """Return a conversation that its asker tells, which any filter may read: it is the asker's.

    Raises:
        InputError: If an exchange is no question with its answer.
    """
    for number, exchange in enumerate(history):
        if not _is_exchange(exchange):
            raise InputError(
                f"history[{number}] is no question with its answer",
                hint="give pairs of texts: (question, answer)",
            )
    return [
        message
        for question, answer, *perhaps in history
        for message in (
            HumanMessage(question),
            answer_message(answer, None, wanted, perhaps=any(perhaps)),
        )
    ]


def _is_exchange(told: object) -> bool:
    """Return whether a program gave two texts, and perhaps whether the answer had a reserve."""
    if not isinstance(told, list | tuple) or len(told) not in (2, 3):
        return False
    return all(isinstance(text, str) for text in told[:2])


def allowed_history(
    messages: Sequence[BaseMessage], wanted: DocumentFilter | None
) -> list[BaseMessage]:
    """Return the conversation that may be read under a filter.

    An answer that another filter, or none, allowed may tell of documents outside of this one: its
    turn is left out.
    """
    if wanted is None:
        return list(messages)
    turns: list[list[BaseMessage]] = []
    for message in messages:
        if _is_question(message) or not turns:
            turns.append([])
        turns[-1].append(message)
    return [message for turn in turns if _bears(turn, wanted) for message in turn]


def _bears(turn: Sequence[BaseMessage], wanted: DocumentFilter) -> bool:
    """Return whether every answer of a turn was given under this filter, and there is one."""
    answers = [message for message in turn if not _is_question(message)]
    marks = [message.additional_kwargs.get(_FILTER) for message in answers]
    return bool(marks) and all(mark == wanted.digest for mark in marks)


def turn_messages(
    messages: Sequence[BaseMessage], question: str, answer: AnyMessage
) -> list[AnyMessage]:
    """Return what a finished turn adds: its answer, after its question where that is not stored."""
    if question_of(messages).strip() == question:
        return [answer]
    return [HumanMessage(question), answer]


def _is_question(message: BaseMessage) -> bool:
    return message.type == "human"


def _as_messages(given: Messages) -> list[BaseMessage]:
    return convert_to_messages(given if isinstance(given, list) else [given])


def _ids(messages: Sequence[BaseMessage]) -> set[str]:
    return {message.id for message in messages if message.id}
