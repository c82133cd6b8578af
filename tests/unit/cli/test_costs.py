from __future__ import annotations

import io
from typing import Any

import pytest
import typer

from hoptrail.cli.costs import agree_on_cost, cost_table
from hoptrail.core.errors import SettingsError
from tests.typed import Terminal

FORECAST: dict[str, Any] = {
    "chunks": 3,
    "calls": 3,
    "prompt_tokens": 900,
    "completion_tokens": 300,
    "usd": 0.0026,
}


def ask(
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    model: str = "openai:gpt-4o-mini",
    **changes: Any,
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    forecast = {**FORECAST, **changes}
    table = cost_table(forecast, "chunks")
    agree_on_cost(forecast, table, "extractor", model, as_json=False)


@pytest.mark.parametrize("typed", ["\n", "n\n", "N\n"])
def test_enter_does_not_spend(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    with pytest.raises(typer.Exit):
        ask(monkeypatch, typed)


def test_a_yes_goes_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    ask(monkeypatch, "y\n")


def test_the_question_names_model_server_and_dollars(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOPTRAIL_BASE_URL", "http://127.0.0.1:9/v1")
    ask(monkeypatch, "y\n")

    shown = "".join(capsys.readouterr())
    assert "3 calls of openai:gpt-4o-mini at http://127.0.0.1:9/v1" in shown
    assert "$0.0026" in shown


def test_an_unknown_price_is_said_with_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(monkeypatch, "y\n", model="openai:of-our-own", usd=None)

    shown = capsys.readouterr().err
    assert '[prices."openai:of-our-own"]' in shown
    assert "price unknown" in shown


def test_where_nobody_can_be_asked_the_forecast_is_never_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(SettingsError, match=r"\$0\.0026"):
        agree_on_cost(
            FORECAST,
            cost_table(FORECAST, "chunks"),
            "extractor",
            "openai:gpt-4o-mini",
            as_json=True,
        )


def test_a_served_embedder_is_named_beside_the_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    embedding = {"texts": 400, "calls": 7, "tokens": 14_000, "usd": 0.00028}
    forecast = {**FORECAST, "usd": 0.00288, "embedding": embedding}
    agree_on_cost(
        forecast,
        cost_table(forecast, "chunks"),
        "extractor",
        "groq:llama-3.1-8b-instant",
        embedder="openai:text-embedding-3-small",
        as_json=False,
    )
    shown = " ".join("".join(capsys.readouterr()).split())
    assert (
        "3 calls of groq:llama-3.1-8b-instant at api.groq.com and "
        "7 embedding calls of openai:text-embedding-3-small at api.openai.com" in shown
    )
    assert "embedding tokens 14,000" in shown


def test_vectors_alone_are_asked_about_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("\n"))
    embedding = {"texts": 400, "calls": 7, "tokens": 14_000, "usd": 0.00028}
    forecast = {**FORECAST, "calls": 0, "usd": 0.00028, "embedding": embedding}
    table = cost_table(forecast, "chunks")
    with pytest.raises(typer.Exit):
        agree_on_cost(forecast, table, "extractor", None, embedder="openai:embedder", as_json=False)
