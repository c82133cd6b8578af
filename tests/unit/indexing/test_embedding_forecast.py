from __future__ import annotations

import pytest

from hoptrail.core.settings import Price
from hoptrail.indexing.embedding_forecast import forecast_embedding

NAME = "openai:text-embedding-3-small"


def test_equal_texts_are_forecast_once() -> None:
    once = forecast_embedding(["a river", "a town"], NAME, {})
    assert forecast_embedding(["a river", "a town", "a river"], NAME, {}) == once
    assert (once.texts, once.calls) == (2, 1)


def test_dollars_follow_the_tokens() -> None:
    forecast = forecast_embedding(["river " * 1000], NAME, {NAME: Price(prompt=2.0)})
    assert forecast.usd == pytest.approx(forecast.tokens * 2e-6)


def test_a_graph_that_is_not_extracted_yet_is_part_of_it() -> None:
    without = forecast_embedding(["a river"], NAME, {})
    forecast = forecast_embedding(["a river"], NAME, {}, graph_tokens=10_000)
    assert forecast.tokens > without.tokens + 5_000
    assert forecast.texts > without.texts + 500


def test_an_unknown_price_is_not_nothing() -> None:
    assert forecast_embedding(["a river"], "somebody:model", {}).usd is None


def test_where_nothing_is_sent_it_costs_nothing() -> None:
    forecast = forecast_embedding([], "somebody:model", {})
    assert (forecast.calls, forecast.usd) == (0, 0.0)
