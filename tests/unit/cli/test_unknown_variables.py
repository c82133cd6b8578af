"""A variable that looks like a setting and is none is told."""

import pytest

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.cli.unknown_variables import unknown_variables


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
