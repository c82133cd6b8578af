from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hoptrail.core.errors import ModelKeyError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models.choice import register_chat_model
from hoptrail.models.provider import has_key, open_chat_model
from hoptrail.testing import ScriptedChatModel

SERVER = Settings(base_url="http://127.0.0.1:1/v1", timeout_seconds=7)


async def test_a_model_is_opened_once_per_loop_without_sending_anything() -> None:
    first = await open_chat_model("openai:stub", SERVER)
    assert await open_chat_model("openai:stub", SERVER) is first


async def test_the_providers_own_retries_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "k")
    for name in ("openai:stub", "groq:llama-3.1-8b-instant"):
        model: Any = await open_chat_model(name, SERVER)
        assert model.max_retries == 0
        assert model.request_timeout == 7


def test_each_event_loop_has_its_own_model() -> None:
    opened = [asyncio.run(open_chat_model("openai:stub", SERVER)) for _ in range(2)]
    assert opened[0] is not opened[1]


@pytest.mark.parametrize(
    ("name", "error", "told"),
    [
        ("openai:gpt-4o-mini", ModelKeyError, "OPENAI_API_KEY"),
        ("gpt-4o-mini", SettingsError, "names no provider"),
        ("nobody:model", SettingsError, r"no provider is called 'nobody'.*openai:NAME"),
        ("deepseek:chat", SettingsError, "pip install langchain-deepseek"),
    ],
)
async def test_what_keeps_a_model_from_being_opened_is_told(
    name: str, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        await open_chat_model(name, Settings())


def test_keys_are_present_missing_or_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "k")
    register_chat_model("own-model", ScriptedChatModel())
    assert has_key("groq:x", Settings()) is True
    assert has_key("openai:x", Settings()) is False
    assert has_key("openai:x", SERVER) is None
    assert has_key("own-model", Settings()) is None
