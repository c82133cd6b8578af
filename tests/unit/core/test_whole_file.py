from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from hoptrail.core.whole_file import write_whole


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "list.json"
    write_whole(path, "one")
    write_whole(path, "zwölf")
    assert path.read_text(encoding="utf-8") == "zwölf"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_written_keeps_its_content(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such rights")
def test_a_private_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    write_whole(tmp_path / "key", "secret", is_private=True)
    assert os.stat(tmp_path / "key").st_mode & 0o077 == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such rights")
def test_another_file_has_the_rights_of_any_new_one(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_whole(tmp_path / "list", "open")
    rights = [os.stat(tmp_path / name).st_mode for name in ("usual", "list")]
    assert rights[0] == rights[1]
