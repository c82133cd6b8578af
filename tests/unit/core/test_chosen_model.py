"""The model that a user has chosen for all folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.chosen_model import choice_file, choose, chosen_settings
from hoptrail.core.settings import load_settings


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_a_choice_is_the_model_of_the_settings_until_it_is_taken_back() -> None:
    choose({"model": "openai:tiny", "base_url": "http://127.0.0.1:1/v1", "small_model": True})
    settings = load_settings()
    assert (settings.model, settings.base_url) == ("openai:tiny", "http://127.0.0.1:1/v1")
    choose({})
    assert load_settings().model is None


def test_the_environment_wins_whole_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    choose({"model": "openai:tiny", "base_url": "http://127.0.0.1:1/v1"})
    monkeypatch.setenv("HOPTRAIL_MODEL", "groq:large")
    settings = load_settings()
    assert (settings.model, settings.base_url) == ("groq:large", None)


def test_a_file_of_the_folder_wins_over_it(tmp_path: Path) -> None:
    choose({"model": "openai:tiny"})
    (tmp_path / "hoptrail.toml").write_text('model = "groq:large"\n')
    assert load_settings().model == "groq:large"


def test_a_file_that_cannot_be_read_is_none() -> None:
    choice_file().parent.mkdir(parents=True)
    choice_file().write_text("{")
    assert chosen_settings() == {}
