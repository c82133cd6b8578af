from __future__ import annotations

import io
from typing import Any

import pytest
import typer

from hoptrail.cli.cost_agreement import agree_on_cost
from hoptrail.cli.cost_view import cost_table
from hoptrail.core.errors import SettingsError

FORECAST: dict[str, Any] = {
    "chunks": 3,
    "calls": 3,
    "prompt_tokens": 900,
    "completion_tokens": 300,
    "usd": 0.0026,
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def ask(monkeypatch: pytest.MonkeyPatch, typed: str, **changes: Any) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    forecast = {**FORECAST, **changes}
    table = cost_table(forecast, "chunks")
    agree_on_cost(forecast, table, "extractor", "openai:gpt-4o-mini", as_json=False)


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
    ask(monkeypatch, "y\n", usd=None)

    assert '[prices."openai:gpt-4o-mini"]' in capsys.readouterr().err


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
