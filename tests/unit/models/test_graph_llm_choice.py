"""Which roles the graph LLM plays, and what its name stands for."""

from __future__ import annotations

from typing import Any

import pytest

from hoptrail.core.errors import ModelNotConfiguredError
from hoptrail.core.settings import Settings, load_settings
from hoptrail.models.chat import ChatModels
from hoptrail.models.choice import choose_model
from hoptrail.models.provider import has_key, open_chat_model

SET = Settings(model="groq:small", graph_llm="checkpoints/webqsp")
ANSWERER = frozenset({"answerer"})


def test_it_comes_after_what_is_named_and_before_the_default() -> None:
    by_role = Settings(models={"answerer": "groq:large"}, graph_llm="checkpoints/webqsp")
    assert choose_model("answerer", SET, {}, ANSWERER) == "graph_llm"
    assert choose_model("router", SET, {}, ANSWERER) == "groq:small"
    assert choose_model("answerer", SET, {"default": "groq:other"}, ANSWERER) == "groq:other"
    assert choose_model("answerer", by_role, {}, ANSWERER) == "groq:large"


def test_where_none_is_set_nothing_changes() -> None:
    assert choose_model("answerer", Settings(model="groq:small"), {}, ANSWERER) == "groq:small"
    assert choose_model("answerer", Settings(), {}, ANSWERER) is None


def test_its_name_is_no_model_of_ones_own_server() -> None:
    own = Settings(base_url="http://127.0.0.1:9/v1", graph_llm="http://127.0.0.1:8/v1")
    assert choose_model("answerer", own, {"answerer": "graph_llm"}) == "graph_llm"


def test_named_but_not_set_it_is_a_clear_error() -> None:
    with pytest.raises(ModelNotConfiguredError, match="HOPTRAIL_GRAPH_LLM"):
        ChatModels(Settings(), {"answerer": "graph_llm"}).for_role("answerer")


async def test_the_settings_say_what_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPTRAIL_GRAPH_LLM", "http://127.0.0.1:8/v1")
    monkeypatch.setenv("HOPTRAIL_GRAPH_LLM_KEY", "secret")
    settings = load_settings(timeout_seconds=7)

    model: Any = await open_chat_model("graph_llm", settings)

    assert (model.model, model.timeout, model.max_retries) == ("http://127.0.0.1:8/v1", 7, 0)
    assert model.api_key.get_secret_value() == "secret"
    assert has_key("graph_llm", settings) is True
    assert has_key("graph_llm", SET) is None
