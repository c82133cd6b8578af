"""The guides for contributors show code that runs and name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

EXTENDING = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^<!-- (\S+) -->\n```\w+\n(.*?)^```$", EXTENDING, re.DOTALL | re.MULTILINE)
CHANGES = CONTRIBUTING.partition("| what you want to change | where |")[2].partition("\n\n")[0]
PLACES = re.findall(r"^\| [^|]* \| (.*) \|$", CHANGES, re.MULTILINE)[1:]


def named_files(cell: str) -> list[Path]:
    """Return the paths of a table's cell; one without a folder lies beside the one before it."""
    paths: list[Path] = []
    for name in re.findall(r"`([^`]+)`", cell):
        folder = ROOT if "/" in name or not paths else paths[-1].parent
        paths.append(folder / name.replace("NAME", "route"))
    return paths


@pytest.mark.parametrize(("file", "code"), SHOWN, ids=[file for file, _ in SHOWN])
def test_the_guide_shows_the_files_of_the_package_that_is_tested(file: str, code: str) -> None:
    assert code == (ROOT / file).read_text(encoding="utf-8")


def test_the_guide_shows_the_whole_package() -> None:
    package = ROOT / "tests" / "data" / "plugin_package"
    files = {path.name for path in package.rglob("*.*") if path.suffix in {".py", ".toml"}}
    assert {Path(file).name for file, _ in SHOWN} | {"__init__.py"} == files


def test_the_parts_of_a_method_stand_where_the_guide_says() -> None:
    rows = re.findall(r"^\| \w[^|]* \| ([^|]*\]\(.*\)) \|", EXTENDING, re.MULTILINE)
    assert len(rows) == 9
    for cell in rows:
        for names, file in re.findall(r"((?:`[^`]+` in )?)\[[^]]*\]\(([^)]+)\)", cell):
            text = (ROOT / "docs" / file).resolve().read_text(encoding="utf-8")
            for name in re.findall(r"`([^`]+)`", names):
                assert name.strip('"') in text, (name, file)


@pytest.mark.parametrize("cell", PLACES)
def test_a_change_is_made_in_a_file_that_is_there(cell: str) -> None:
    assert [path for path in named_files(cell) if not path.exists()] == []


def test_the_picture_of_the_folders_is_right() -> None:
    picture = re.search(r"^```\nhoptrail/\n(.*?)^```$", CONTRIBUTING, re.DOTALL | re.MULTILINE)
    assert picture is not None
    parents = [ROOT]
    named: set[Path] = set()
    for line in picture[1].splitlines():
        match = re.match(r"([│ ]*)[├└]── ((?:\S+/ )*\S+/)(?: |$)", line)
        assert match is not None, line
        depth = len(match[1]) // 4
        folders = [parents[depth] / name for name in match[2].split()]
        parents[depth + 1 :] = folders[:1]
        assert [folder for folder in folders if not folder.is_dir()] == []
        named.update(folders)
    packages = {path.parent for path in (ROOT / "src" / "hoptrail").glob("*/__init__.py")}
    assert {path.resolve() for path in packages} <= named
