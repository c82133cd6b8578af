from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.everyday.formats import FILES
from hoptrail.core.errors import InputError
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.readers.registry import CODE, READERS, read_file


@pytest.mark.parametrize(
    ("name", "module"),
    [("handbook.docx", "docx"), ("launch.pptx", "pptx"), ("prices.xlsx", "openpyxl")],
)
def test_a_file_that_needs_an_extra_names_it(
    name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=r"hoptrail\[documents\]"):
        read_file(tmp_path / name)


def test_code_is_read_where_it_is_asked_for_or_named(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "lift.py").write_text("def move(): ...")
    assert not any(isinstance(item, Document) for item in load_documents([folder]))
    assert any(isinstance(item, Document) for item in load_documents([folder], code=True))
    assert any(isinstance(item, Document) for item in load_documents([folder / "lift.py"]))


def test_a_file_of_an_unknown_kind_is_read_as_text(tmp_path: Path) -> None:
    (tmp_path / "NOTES").write_text("The lift carries 40 tonnes.")
    assert read_file(tmp_path / "NOTES").joined()[0] == "The lift carries 40 tonnes."


def test_no_suffix_is_both_read_and_code() -> None:
    assert not CODE & set(READERS)
