from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.local import gguf_server
from hoptrail.models.local.gguf_server import check_model_file
from tests.unit.models.local.gguf_files import write_gguf


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "model.gguf")


def test_a_model_file_may_be_run(model: Path) -> None:
    check_model_file(model)


def test_a_missing_file_is_told_with_how_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no model file .*none.gguf") as caught:
        check_model_file(tmp_path / "none.gguf")
    assert caught.value.hint == "write it as gguf:PATH"


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "model.safetensors"
    other.write_bytes(b"\x08\0\0\0")
    with pytest.raises(SettingsError, match="is no GGUF file"):
        check_model_file(other)


def test_a_model_larger_than_the_memory_is_refused(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_server, "_memory", lambda: 50)
    with pytest.raises(SettingsError, match=r"model.gguf needs more than .* GB of memory"):
        check_model_file(model)


def test_without_the_engine_the_extra_is_named(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match="nothing is installed that runs") as caught:
        check_model_file(model)
    assert caught.value.hint == "pip install 'hoptrail[local]'"
