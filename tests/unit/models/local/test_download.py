"""Downloads: kept whole or not at all, with the way by hand where they fail."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from hoptrail.core.errors import DiskError, InputError, ModelUnavailableError
from hoptrail.models.local import download as module
from hoptrail.models.local.download import WantedFile, download, sha256_of, wanted_file
from hoptrail.models.local.model_files import ModelFiles
from tests.unit.models.local.gguf_files import write_gguf


@pytest.fixture
def files(tmp_path: Path) -> ModelFiles:
    return ModelFiles(tmp_path / "list")


@pytest.fixture
def wanted(tmp_path: Path) -> WantedFile:
    whole = write_gguf(tmp_path / "whole.gguf")
    return WantedFile("tiny", "owner/repo", "tiny.gguf", whole.stat().st_size, sha256_of(whole))


def fetch(wanted: WantedFile, parts: Path) -> Path:
    return write_gguf(parts / wanted.file)


def test_a_file_of_the_right_digest_is_kept_under_its_name(
    files: ModelFiles, wanted: WantedFile
) -> None:
    got = download(wanted, files, fetch)
    assert got.is_own
    assert (got.name, got.source) == ("tiny", "hf:owner/repo/tiny.gguf")
    assert Path(got.path) == (files.folder / "tiny.gguf").resolve()
    assert not (files.folder / "parts").exists()


def test_another_file_is_not_kept(files: ModelFiles, wanted: WantedFile) -> None:
    with pytest.raises(ModelUnavailableError, match="another file than expected"):
        download(replace(wanted, sha256="0" * 64), files, fetch)
    assert files.all() == []
    assert not list(files.folder.rglob("*.gguf"))


def test_a_disk_that_is_too_small_is_told_before(
    files: ModelFiles, wanted: WantedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_000))
    with pytest.raises(DiskError, match="GB left"):
        download(wanted, files, fetch)


def test_without_the_hub_the_way_by_hand_is_told(
    files: ModelFiles, wanted: WantedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    def fails(*args: object) -> None:
        raise ConnectionError("Name or service not known")

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", fails)
    with pytest.raises(ModelUnavailableError, match="owner/repo could not be reached") as told:
        module.download(wanted, files)
    assert "hoptrail model add FILE --name tiny" in told.value.hint


def test_a_name_of_the_table_and_a_file_of_the_hub_are_known() -> None:
    assert wanted_file("qwen2.5-1.5b").size > 10**9
    other = wanted_file("hf:owner/repo/sub/Big-Q8_0.gguf")
    assert (other.name, other.repository, other.file) == ("big", "owner/repo", "sub/Big-Q8_0.gguf")
    with pytest.raises(InputError, match="no model 'nope' is known"):
        wanted_file("nope")
    with pytest.raises(InputError, match="is no name of a model"):
        wanted_file("qwen2.5-1.5b", "../other")
