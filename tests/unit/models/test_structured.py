from __future__ import annotations

import json
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel, Field

from hoptrail.core.errors import ModelReplyError
from hoptrail.models.structured import ask_again, read_object, with_schema, written_text
from hoptrail.testing.faults import noise


class Person(BaseModel):
    name: str
    born: int = 0
    fields: list[str] = []


ADA: dict[str, Any] = {"name": "Ada", "born": 1815, "fields": ["mathematics"]}
TEXT = json.dumps(ADA)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}",
        f"Here {{is}} what you asked for: {TEXT} Anything else?",
        f'<think>Should I say {{"name": "Bob"}}?</think>{TEXT}',
        f'{{"note": "first another object"}} {TEXT}',
        TEXT[:-1],
        TEXT.replace('"', "'"),
        TEXT.replace("1815,", "1815, // her year\n"),
        TEXT.replace("]}", ",]}"),
        TEXT.replace("1815", '"1815"'),
    ],
)
def test_an_object_is_found_in_what_models_write(text: str) -> None:
    assert read_object(AIMessage(text), Person) == Person(**ADA)


def test_a_tool_call_is_read() -> None:
    call: Any = {"name": "Person", "args": ADA, "id": "1"}
    assert read_object(AIMessage("", tool_calls=[call]), Person) == Person(**ADA)


def test_a_broken_tool_call_is_repaired() -> None:
    call: Any = {"name": "Person", "args": TEXT[:-2], "id": "1", "error": "not JSON"}
    person = read_object(AIMessage("", invalid_tool_calls=[call]), Person)
    assert person.name == "Ada"


def test_content_in_blocks_is_read() -> None:
    blocks: Any = [{"type": "text", "text": TEXT[:20]}, {"type": "text", "text": TEXT[20:]}]
    assert read_object(AIMessage(content=blocks), Person) == Person(**ADA)


@pytest.mark.parametrize(
    "text", ["", "   ", "I cannot help with that.", "{}", "[]", "null", '{"other": 1}', "{{{{"]
)
def test_what_holds_no_such_object_is_an_error(text: str) -> None:
    with pytest.raises(ModelReplyError):
        read_object(AIMessage(text), Person)


def test_a_wrong_type_is_named() -> None:
    with pytest.raises(ModelReplyError, match="born"):
        read_object(AIMessage('{"name": "Ada", "born": [1]}'), Person)


def test_an_alias_counts_as_a_field() -> None:
    class Aliased(BaseModel):
        kind: str = Field(alias="type")

    assert read_object(AIMessage('{"type": "river"}'), Aliased).kind == "river"


@pytest.mark.parametrize("seed", range(5))
def test_fifty_kilobytes_of_noise_are_refused_in_time(seed: int) -> None:
    started = time.process_time()
    with pytest.raises(ModelReplyError):
        read_object(AIMessage(noise(seed=seed).text), Person)
    assert time.process_time() - started < 2


def test_deeply_nested_brackets_do_no_harm() -> None:
    with pytest.raises(ModelReplyError):
        read_object(AIMessage('{"a":' * 20_000), Person)


def test_asking_again_shows_the_reply_and_the_problem() -> None:
    asked = ask_again([HumanMessage("Who?")], AIMessage("Ada, I think"), "no JSON")
    assert [message.type for message in asked] == ["human", "ai", "human"]
    assert "no JSON" in asked[-1].text


def test_asking_again_leaves_an_empty_reply_out() -> None:
    asked = ask_again([HumanMessage("Who?")], AIMessage(""), "the reply is empty")
    assert [message.type for message in asked] == ["human", "human"]


def test_the_schema_comes_after_the_prompt() -> None:
    asked = with_schema([HumanMessage("Who?")], Person)
    assert asked[0].text == "Who?"
    assert '"born"' in asked[-1].text


def test_written_text_holds_content_and_tool_calls() -> None:
    call: Any = {"name": "Person", "args": {"name": "Ada"}, "id": "1"}
    assert written_text(AIMessage("Look:", tool_calls=[call])) == 'Look:\n{"name": "Ada"}'


@pytest.mark.parametrize("text", ['{"name": "Ada \ud83d", "born": "18', r'{"name": "Ada \ud83d"}'])
def test_half_a_character_is_replaced(text: str) -> None:
    assert read_object(AIMessage(text), Person).name == "Ada ?"


def test_half_a_character_of_a_tool_call_is_replaced() -> None:
    call: Any = {"name": "Person", "args": {"name": "Ada", "fields": ["\ud83d"]}, "id": "1"}
    assert read_object(AIMessage("", tool_calls=[call]), Person).fields == ["?"]
