import sys
from pathlib import Path

import pytest

from hoptrail.cli import serve_llm
from hoptrail.core.errors import CheckpointError, MissingExtraError, SettingsError


def test_the_key_is_read_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sesam\n")
    assert serve_llm._api_key(file) == "sesam"


def test_the_key_of_the_settings_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPTRAIL_GRAPH_LLM_KEY", "sesam")
    assert serve_llm._api_key(None) == "sesam"


def test_without_file_and_setting_there_is_no_key() -> None:
    assert serve_llm._api_key(None) is None


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), (b" \n", "empty"), (b"\xff", "cannot be")]
)
def test_a_key_file_that_holds_no_key_is_refused(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=message):
        serve_llm._api_key(file)


@pytest.mark.parametrize("package", ["torch_geometric", "fastapi", "prometheus_client"])
def test_missing_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in ("torch_geometric", "fastapi", "uvicorn", "prometheus_client"):
        monkeypatch.setitem(sys.modules, name, sys)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        serve_llm._require_packages()
    assert caught.value.hint == 'pip install "hoptrail[graph-llm]"'


def test_a_folder_without_a_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError):
        serve_llm._load(tmp_path, None, "auto", "cpu")
