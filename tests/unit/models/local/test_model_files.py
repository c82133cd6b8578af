"""The list of a user's model files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.models.local import model_files
from hoptrail.models.local.model_files import ModelFiles, check_of, read_gguf_header, short_name
from tests.unit.models.local.gguf_files import write_gguf


@pytest.fixture
def files(tmp_path: Path) -> ModelFiles:
    return ModelFiles(tmp_path / "list")


def test_a_file_is_listed_where_it_is_and_forgotten_without_being_deleted(
    files: ModelFiles, tmp_path: Path
) -> None:
    file = write_gguf(tmp_path / "Tiny-Q4_K_M.gguf")
    added = files.add(file)
    assert (added.name, added.path, added.context) == ("tiny", str(file.resolve()), 4_096)
    assert files.all() == [added]
    files.remove("tiny")
    assert files.all() == []
    assert file.exists()


def test_what_was_downloaded_is_deleted(files: ModelFiles, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "own.gguf")
    files.add(file, is_own=True)
    files.remove("own")
    assert not file.exists()


def test_a_name_means_one_file(files: ModelFiles, tmp_path: Path) -> None:
    files.add(write_gguf(tmp_path / "a.gguf"), "mine")
    with pytest.raises(InputError, match="mine is .*a.gguf already"):
        files.add(write_gguf(tmp_path / "b.gguf"), "mine")


def test_a_check_is_kept_with_the_file(files: ModelFiles, tmp_path: Path) -> None:
    files.add(write_gguf(tmp_path / "a.gguf"))
    files.keep_check("a", {"right": 0.9})
    found = files.find("a")
    assert found is not None
    assert found.check == {"right": 0.9}


def test_a_check_is_found_by_the_models_full_name(
    files: ModelFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_files, "user_data_path", lambda *_, **__: files.folder.parent)
    own = ModelFiles()
    own.add(write_gguf(tmp_path / "a.gguf"))
    own.keep_check("a", {"right": 0.9})
    assert check_of("gguf:a") == {"right": 0.9}
    assert check_of("ollama:a") is None
    assert check_of(None) is None


@pytest.mark.parametrize("name", ["Mine", "a/b", "../x", "x" * 65])
def test_a_name_that_is_none_is_refused(files: ModelFiles, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        files.add(write_gguf(tmp_path / "a.gguf"), name)


def test_what_is_not_there_cannot_be_removed(files: ModelFiles) -> None:
    with pytest.raises(InputError, match="no model x"):
        files.remove("x")


def test_a_damaged_list_is_told(files: ModelFiles) -> None:
    files.folder.mkdir()
    (files.folder / "models.json").write_text("[{")
    with pytest.raises(SettingsError, match="cannot be read"):
        files.all()


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("qwen2.5-1.5b-instruct-q4_k_m", "qwen2.5-1.5b-instruct"),
        ("Llama 3.2 (1B).F16", "llama-3.2-1b"),
        ("Modell-Ü", "modell"),
    ],
)
def test_a_short_name_leaves_out_how_the_weights_are_stored(stem: str, name: str) -> None:
    assert short_name(stem) == name


def test_the_head_tells_name_architecture_and_context(tmp_path: Path) -> None:
    header = read_gguf_header(write_gguf(tmp_path / "tiny.gguf"))
    assert (header.name, header.architecture, header.context) == ("Tiny", "qwen2", 4_096)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"hello", "is no GGUF file"),
        (b"GGUF\x03\x00\x00\x00", "is damaged"),
        (b"GGUF\x09\x00\x00\x00" + bytes(16), "version 9"),
    ],
)
def test_what_is_no_whole_file_is_told(tmp_path: Path, data: bytes, told: str) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(data)
    with pytest.raises(SettingsError, match=told):
        read_gguf_header(file)


def test_a_file_that_ends_before_its_last_weights_is_cut_off(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cut off"):
        read_gguf_header(write_gguf(tmp_path / "tiny.gguf", cut=40))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no model file"):
        read_gguf_header(tmp_path / "none.gguf")
