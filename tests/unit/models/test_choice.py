from __future__ import annotations

import pytest

from hoptrail.core.errors import ModelNotConfiguredError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.models.choice import call_seconds, choose_model, default_model, is_small
from hoptrail.testing import ScriptedChatModel


def test_the_first_source_that_names_a_model_wins() -> None:
    settings = Settings(model="p:default", models={"router": "p:router"})
    assert choose_model("router", settings, {"router": "p:a", "default": "p:b"}) == "p:a"
    assert choose_model("router", settings, {"default": "p:b"}) == "p:b"
    assert choose_model("router", settings, {}) == "p:router"
    assert choose_model("solver", settings, {}) == "p:default"


@pytest.mark.parametrize(
    ("keys", "model"),
    [
        ({"GROQ_API_KEY": "k", "OPENAI_API_KEY": "k"}, "groq:llama-3.1-8b-instant"),
        ({"OPENAI_API_KEY": "k"}, "openai:gpt-4o-mini"),
        ({"OPENAI_API_KEY": ""}, None),
        ({}, None),
    ],
)
def test_a_providers_key_gives_a_default_model(keys: dict[str, str], model: str | None) -> None:
    assert default_model(Settings(), keys) == model


def test_a_bare_name_is_a_model_of_the_base_url_unless_it_is_registered() -> None:
    register_chat_model("registered-name", ScriptedChatModel())
    settings = Settings(base_url="http://127.0.0.1:1/v1")
    assert choose_model("solver", settings, {"default": "qwen3"}) == "openai:qwen3"
    assert choose_model("solver", settings, {"default": "registered-name"}) == "registered-name"


def test_without_a_model_nothing_is_configured_and_the_hint_says_how() -> None:
    models = ChatModels(Settings())
    assert not models.configured
    with pytest.raises(ModelNotConfiguredError, match="HOPTRAIL_MODEL"):
        models.for_role("solver")


def test_a_base_url_without_a_model_is_an_error() -> None:
    with pytest.raises(SettingsError, match="HOPTRAIL_MODEL"):
        ChatModels(Settings(base_url="http://127.0.0.1:1/v1")).for_role("solver")


def test_a_key_in_the_environment_configures_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "k")
    assert ChatModels(Settings()).for_role("judge").name == "groq:llama-3.1-8b-instant"


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("ollama:qwen3", Settings(), True),
        ("gguf:models/qwen.gguf", Settings(), True),
        ("openai:gpt-4o", Settings(), False),
        ("openai:local", Settings(base_url="http://127.0.0.1:1/v1"), False),
        ("openai:local", Settings(small_model=True), True),
        ("ollama:llama-405b", Settings(small_model=False), False),
    ],
)
def test_a_model_is_small_as_set_else_by_its_provider(
    name: str, settings: Settings, expected: bool
) -> None:
    assert is_small(name, settings) is expected


def test_a_call_of_a_model_file_may_take_long() -> None:
    assert call_seconds("gguf:models/qwen.gguf", 60.0) > 60
    assert call_seconds("openai:gpt-4o", 60.0) == 60
