from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, ValidationError

from hoptrail.testing import BrokenReply, ScriptedChatModel


class City(BaseModel):
    name: str


def prompt(text: str, role: str = "solver") -> list[BaseMessage]:
    metadata = {"role": role, "question": text}
    return [HumanMessage(text, additional_kwargs={"hoptrail": metadata})]


def test_the_role_decides_before_the_pattern_before_the_order() -> None:
    model = ScriptedChatModel(
        by_role={"router": "by role"}, by_pattern={"Par.s": "by pattern"}, replies=["in order"]
    )
    assert model.invoke(prompt("Paris?", "router")).text == "by role"
    assert model.invoke(prompt("Paris?")).text == "by pattern"
    assert model.invoke(prompt("Rome?")).text == "in order"


def test_a_list_is_used_in_order_and_its_last_reply_stays() -> None:
    model = ScriptedChatModel(by_role={"solver": ["one", "two"]})
    assert [model.invoke(prompt("?")).text for _ in range(3)] == ["one", "two", "two"]


def test_a_call_that_the_script_does_not_cover_is_an_error_and_recorded() -> None:
    model = ScriptedChatModel(by_role={"router": "x"})
    with pytest.raises(LookupError, match="solver"):
        model.invoke(prompt("?"))
    assert [call.question for call in model.calls_of("solver")] == ["?"]


def test_a_function_sees_the_messages() -> None:
    model = ScriptedChatModel(replies=[lambda messages: messages[0].text.upper()])
    assert model.invoke(prompt("loud")).text == "LOUD"


@pytest.mark.parametrize("reply", [City(name="Rome"), {"name": "Rome"}])
def test_an_object_is_a_tool_call_where_one_is_asked_for_and_json_otherwise(reply: Any) -> None:
    model = ScriptedChatModel(replies=[reply])
    assert model.with_structured_output(City).invoke(prompt("?")) == City(name="Rome")
    assert City.model_validate_json(model.invoke(prompt("?")).text) == City(name="Rome")


def test_an_exception_is_raised() -> None:
    with pytest.raises(ConnectionError, match="gone"):
        ScriptedChatModel(replies=[ConnectionError("gone")]).invoke(prompt("?"))


async def test_a_stream_gives_the_text_in_pieces_and_the_usage() -> None:
    model = ScriptedChatModel(replies=["one two\nthree "])
    chunks = [chunk async for chunk in model.astream(prompt("?"))]
    assert "".join(chunk.text for chunk in chunks) == "one two\nthree "
    assert len(chunks) > 3
    total = chunks[0] + chunks[1:]
    assert total.usage_metadata is not None


async def test_a_broken_reply_fails_after_its_text() -> None:
    model = ScriptedChatModel(replies=[BrokenReply("one two", ConnectionError("gone"))])
    seen: list[str] = []
    with pytest.raises(ConnectionError, match="gone"):
        async for chunk in model.astream(prompt("?")):
            seen.append(chunk.text)
    assert "".join(seen) == "one two"


def test_usage_can_be_left_out() -> None:
    message = ScriptedChatModel(replies=["x"], sends_usage=False).invoke(prompt("?"))
    assert message.usage_metadata is None


def test_a_message_is_not_shared_between_calls() -> None:
    scripted = AIMessage("x")
    model = ScriptedChatModel(replies=[scripted])
    assert model.invoke(prompt("?")) is not scripted
    assert scripted.id is None


def test_a_field_that_the_script_does_not_have_is_an_error() -> None:
    with pytest.raises(ValidationError, match="default"):
        ScriptedChatModel(default="x")  # type: ignore[call-arg]
