from __future__ import annotations

import sys

import pytest

from hoptrail.core.settings import Price, Settings
from hoptrail.models.choice import default_model
from hoptrail.models.prices import known_price


@pytest.mark.parametrize("key", ["OPENAI_API_KEY", "GROQ_API_KEY"])
def test_every_default_model_has_a_price(key: str) -> None:
    model = default_model(Settings(), {key: "secret"})
    assert model is not None
    price = known_price(model, {})
    assert price is not None
    assert price.prompt > 0


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-4o",
        "openai:gpt-4.1-mini",
        "groq:llama-3.3-70b-versatile",
        "anthropic:claude-haiku-4-5",
        "openai:text-embedding-3-small",
        "openai:text-embedding-3-large",
    ],
)
def test_the_usual_models_have_a_price_of_cents_to_dollars_a_million(model: str) -> None:
    price = known_price(model, {})
    assert price is not None
    assert 0.01 <= price.prompt <= 50


def test_an_embedder_has_no_price_of_replies() -> None:
    price = known_price("openai:text-embedding-3-small", {})
    assert price is not None
    assert price.completion == 0


@pytest.mark.parametrize("name", ["gpt-4o-mini", "openai:gpt-4o-mini"])
def test_a_price_of_the_settings_goes_before_the_listed_one(name: str) -> None:
    own = Price(prompt=1.0, completion=2.0)
    assert known_price("openai:gpt-4o-mini", {name: own}) == own


@pytest.mark.parametrize("model", ["openai:no-such-model", "nobody:gpt-4o", "in-process", "x:"])
def test_what_no_list_names_has_no_price(model: str) -> None:
    assert known_price(model, {}) is None


def test_the_list_is_not_loaded_for_what_the_settings_price(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)  # importing it would fail
    own = Price(prompt=1.0)
    assert known_price("openai:of-my-own", {"openai:of-my-own": own}) == own
