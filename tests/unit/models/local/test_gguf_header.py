"""The head of a model file."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.local.gguf_header import read_gguf_header
from tests.unit.models.local.gguf_files import write_gguf


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
