from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import ServedBase, load_settings


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOPTRAIL_MODEL", raising=False)
    return tmp_path


def test_the_file_is_read(empty_folder: Path) -> None:
    (empty_folder / "hoptrail.toml").write_text(
        'model = "groq:small"\n[models]\nrouter = "groq:tiny"\n'
        '[prices."groq:small"]\nprompt = 0.5\n[knowledge_bases]\nnotes = "kb/notes"\n'
    )
    settings = load_settings()
    assert settings.model == "groq:small"
    assert settings.models == {"router": "groq:tiny"}
    assert settings.prices["groq:small"].prompt == 0.5
    assert settings.knowledge_bases == {"notes": ServedBase(records=Path("kb/notes"))}


def test_the_environment_wins_over_the_file_and_arguments_over_both(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_folder / "hoptrail.toml").write_text('model = "from-file"\nmax_retries = 1\n')
    monkeypatch.setenv("HOPTRAIL_MODEL", "from-environment")
    monkeypatch.setenv("HOPTRAIL_MODELS__ROUTER", "router-from-environment")
    assert load_settings().model == "from-environment"
    assert load_settings().models == {"router": "router-from-environment"}
    assert load_settings().max_retries == 1
    assert load_settings(model="argument").model == "argument"


def test_the_key_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPTRAIL_API_KEY", "very-secret")
    settings = load_settings()
    assert "very-secret" not in repr(settings)
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "very-secret"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("modle = 'x'\n", "modle"),
        ("timeout_seconds = -1\n", "timeout_seconds"),
        ("[models]\npoet = 'x'\n", "models.poet"),
        ("model = \n", "hoptrail.toml"),
    ],
)
def test_a_bad_setting_is_named(empty_folder: Path, text: str, named: str) -> None:
    (empty_folder / "hoptrail.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert named in str(caught.value)


def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPTRAIL_MAX_RETRIES", "many")
    with pytest.raises(SettingsError, match="max_retries"):
        load_settings()
