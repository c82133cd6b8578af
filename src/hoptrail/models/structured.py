"""Typed values in and out of chat models: how they are asked for and how replies are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import pydantic_core
from json_repair import repair_json
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, ValidationError

from hoptrail.core.errors import ModelReplyError

M = TypeVar("M", bound=BaseModel)

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_MAX_STARTS = 50
# Repair takes time with the square of the length: up to a second at this one.
_MAX_REPAIRED = 4_000  # characters of one text, all candidates together
_MAX_QUOTED = 2_000


def read_object(reply: AIMessage, schema: type[M]) -> M:
    """Return the first object of the schema in a reply: tool calls, JSON text, repaired JSON.

    An object that has none of the schema's fields is none of its objects. A long text is read where
    it is whole or was cut off at its end; what else is wrong with it is not repaired.

    Raises:
        ModelReplyError: If there is none; says what the nearest one lacks.
    """
    problem = "the reply is empty"
    for data in _objects(reply):
        problem = "the reply holds no JSON object with the expected fields"
        if not _field_names(schema) & data.keys():
            continue
        try:
            return schema.model_validate(whole_characters(data))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            problem = f"field {place!r}: {first['msg']}"
            break
    raise ModelReplyError(problem)


def with_schema(messages: Sequence[BaseMessage], schema: type[BaseModel]) -> list[BaseMessage]:
    """Return the messages with the wish for JSON of the schema added, for models without tools."""
    shape = json.dumps(schema.model_json_schema(), ensure_ascii=False)
    wish = f"Reply with one JSON object and nothing else. It must follow this JSON schema:\n{shape}"
    return [*messages, HumanMessage(wish)]


def ask_again(messages: Sequence[BaseMessage], reply: AIMessage, problem: str) -> list[BaseMessage]:
    """Return the messages with the unreadable reply and the wish for a readable one added."""
    said = written_text(reply)[:_MAX_QUOTED]
    turn: list[BaseMessage] = [AIMessage(said)] if said.strip() else []
    wish = f"That could not be read: {problem}. Reply again, complete and in the form asked for."
    return [*messages, *turn, HumanMessage(wish)]


def whole_characters(value: Any) -> Any:
    """Return a value with "?" for each half of a surrogate pair, in all of its texts.

    A model can write one, which no reader of JSON takes and no UTF-8 can hold.
    """
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {whole_characters(key): whole_characters(one) for key, one in value.items()}
    if isinstance(value, list):
        return [whole_characters(one) for one in value]
    return value


def written_text(reply: AIMessage) -> str:
    """Return all that a reply says: its text, and the arguments of its tool calls as JSON."""
    calls = [json.dumps(call["args"], ensure_ascii=False) for call in reply.tool_calls]
    broken = [call["args"] or "" for call in reply.invalid_tool_calls]
    return "\n".join(part for part in [reply.text, *calls, *broken] if part)


def _objects(reply: AIMessage) -> Iterator[dict[str, Any]]:
    for call in reply.tool_calls:
        yield call["args"]
    texts = [call["args"] or "" for call in reply.invalid_tool_calls]
    texts.append(_THINKING.sub("", reply.text))
    texts = [whole_characters(text) for text in texts]
    for text in texts:
        yield from _whole_objects(text)
    for text in texts:
        yield from _repaired_objects(text)


def _candidates(text: str) -> list[str]:
    """Return what may be meant as JSON: fenced parts, and all from the first brace on."""
    candidates = [match.group(1) for match in _FENCE.finditer(text)]
    if "{" in text:
        candidates.append(text[text.index("{") :])
    return [candidate for candidate in candidates if "{" in candidate][:_MAX_STARTS]


def _whole_objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    position = text.find("{")
    for _ in range(_MAX_STARTS):
        if position < 0:
            return
        try:
            data, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield data
        position = text.find("{", end)


def _repaired_objects(text: str) -> Iterator[dict[str, Any]]:
    left = _MAX_REPAIRED
    for candidate in _candidates(text):
        try:
            data = pydantic_core.from_json(candidate.strip(), allow_partial="trailing-strings")
        except ValueError:
            left -= len(candidate)
            data = _repaired(candidate) if left >= 0 else None
        for item in data if isinstance(data, list) else [data]:
            if isinstance(item, dict):
                yield item


def _repaired(candidate: str) -> Any:
    try:
        return repair_json(candidate, return_objects=True)
    except (ValueError, RecursionError):
        return None


def _field_names(schema: type[BaseModel]) -> set[str]:
    return {
        name
        for field_name, field in schema.model_fields.items()
        for name in (field_name, field.alias)
        if name
    }
