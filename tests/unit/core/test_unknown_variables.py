"""A variable that looks like a setting and is none is told."""

import pytest

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.core.unknown_variables import (
    log_unknown_variables,
    unknown_variables,
    warn_of_unknown_variables,
)


def test_a_misspelt_variable_is_told_with_the_nearest_setting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOPTRAIL_PROMTS_DIR", "prompts")
    assert run_guarded(build_app(), ["presets", "--json"]) == 0
    told = capsys.readouterr().err
    line = "HOPTRAIL_PROMTS_DIR is no setting; did you mean HOPTRAIL_PROMPTS_DIR?"
    assert told.count(line) == 1


def test_a_variable_like_none_is_told_with_where_settings_are_listed() -> None:
    assert list(unknown_variables(["HOPTRAIL_BETA"])) == [
        "HOPTRAIL_BETA is no setting; see docs/settings.md"
    ]


@pytest.mark.parametrize(
    "variable",
    ["HOPTRAIL_KB", "HOPTRAIL_MODELS__ROUTER", "HOPTRAIL_DEBUG", "HOPTRAIL_SERVE_RULES", "PATH"],
)
def test_settings_and_variables_of_others_are_not(variable: str) -> None:
    assert list(unknown_variables([variable])) == []


def test_a_program_is_told_once_in_its_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOPTRAIL_MODLE", "openai:x")
    log_unknown_variables()
    log_unknown_variables()
    assert [one.message for one in caplog.records if "HOPTRAIL_MODLE" in one.message] == [
        "HOPTRAIL_MODLE is no setting; did you mean HOPTRAIL_MODEL?"
    ]


def test_what_a_command_has_told_is_not_logged_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOPTRAIL_EMBEDER", "x")
    told: list[str] = []
    warn_of_unknown_variables(told.append)
    log_unknown_variables()
    assert ["HOPTRAIL_EMBEDER" in line for line in told] == [True]
    assert not caplog.records
