"""Paths of files, on disks of all kinds."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import LeftOut, is_missing, on_disk, real_path


class CaselessDisk:
    """A disk on which capitals do not matter, as on Windows and macOS."""

    def __init__(self, *paths: str) -> None:
        self._names: dict[str, list[str]] = {}
        for path in paths:
            for folder, entry in zip(
                Path(path).parents, (Path(path), *Path(path).parents), strict=False
            ):
                names = self._names.setdefault(_key(str(folder)), [])
                names += [entry.name] * (entry.name not in names)

    def exists(self, path: str) -> bool:
        names = self._names.get(_key(str(Path(path).parent)), [])
        return _key(Path(path).name) in map(_key, names)

    def names_in(self, folder: str) -> list[str]:
        return self._names[_key(folder)]

    def spelled(self, path: str) -> str:
        return on_disk(path, exists=self.exists, names_in=self.names_in)


def _key(name: str) -> str:
    return unicodedata.normalize("NFD", name).casefold()


@pytest.mark.parametrize(
    "typed", ["/home/ida/Notes/Mill.md", "/HOME/Ida/notes/mill.MD", "/home/ida/NOTES/mill.md"]
)
def test_capitals_are_those_of_the_disk_where_they_do_not_matter(typed: str) -> None:
    disk = CaselessDisk("/home/ida/Notes/Mill.md", "/home/ida/Notes/old/Yard.md")
    assert disk.spelled(typed) == "/home/ida/Notes/Mill.md"


def test_accents_are_those_of_the_disk() -> None:
    stored = unicodedata.normalize("NFD", "/home/ida/Käse.md")
    typed = unicodedata.normalize("NFC", "/home/ida/käse.md")
    assert CaselessDisk(stored).spelled(typed) == stored


def test_what_is_not_there_stays_as_typed() -> None:
    assert CaselessDisk("/home/ida/Notes/a.md").spelled("/home/Ida/notes/New/b.md") == (
        "/home/ida/Notes/New/b.md"
    )


def test_names_that_differ_in_capitals_are_two_files_where_capitals_matter(tmp_path: Path) -> None:
    (tmp_path / "Notes").mkdir()
    if (tmp_path / "notes").exists():
        pytest.skip("capitals do not matter on this disk")
    (tmp_path / "notes").mkdir()

    assert real_path(tmp_path / "notes") == str(tmp_path.resolve() / "notes")
    assert real_path(tmp_path / "NOTES") == str(tmp_path.resolve() / "NOTES")
    assert (is_missing(str(tmp_path / "notes")), is_missing(str(tmp_path / "NOTES"))) == (
        False,
        True,
    )


def write(folder: Path, *names: str, **texts: str) -> None:
    """Write files with a sentence each, and with other text those named by keyword, `_` for `.`."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The tower of {name} is tall.\n", encoding="utf-8")
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


def load(folder: Path, *, ignore: bool = True) -> tuple[list[str], list[str]]:
    """Return the names of the files that are read, and what is told of the rest."""
    items = list(load_documents([folder], left_out=LeftOut(ignore=ignore)))
    read = [item.id.partition("/")[2] for item in items if isinstance(item, Document)]
    return read, [item.reason for item in items if not isinstance(item, Document)]


def test_folders_of_tools_are_left_out_and_counted_in_one_line(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "node_modules/x/README.md", "web/node_modules/y/README.md")
    write(tmp_path, "env/notes.txt", "env/pyvenv.cfg", "old/CACHEDIR.TAG", "old/c.txt")

    assert load(tmp_path) == (
        ["a.md"],
        [
            "left out 4 folders of tools (node_modules, env, old); --no-ignore (ignore=False) "
            "reads them too"
        ],
    )


def test_hidden_folders_of_tools_are_counted_and_other_hidden_ones_are_not(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ".venv/lib/b.md", ".cache/CACHEDIR.TAG", ".cache/c.md", ".own/d.md")

    left_out = (
        "left out 2 folders of tools (.cache, .venv); --no-ignore (ignore=False) reads them too"
    )
    assert load(tmp_path) == (["a.md"], [left_out])
    assert {"a.md", ".venv/lib/b.md", ".cache/c.md"} <= set(load(tmp_path, ignore=False)[0])
    assert ".own/d.md" not in load(tmp_path, ignore=False)[0]


@pytest.mark.parametrize(("manifest", "read"), [("package.json", []), ("plan.md", ["build/b.md"])])
def test_a_build_folder_is_left_out_beside_what_builds_it(
    tmp_path: Path, manifest: str, read: list[str]
) -> None:
    write(tmp_path, manifest, "build/b.md")

    assert [name for name in load(tmp_path)[0] if name.startswith("build")] == read


def test_what_gitignore_names_is_left_out_as_git_does(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "drafts/b.md", "notes/c.log.txt", "notes/keep.txt", "notes/deep/d.txt")
    write(tmp_path, _gitignore="drafts/\n*.txt\n!keep.txt\n")
    (tmp_path / "notes/deep/.gitignore").write_text("!d.txt\n", encoding="utf-8")

    assert load(tmp_path) == (
        ["a.md", "notes/keep.txt", "notes/deep/d.txt"],
        [
            "left out 2 files or folders that .gitignore names; --no-ignore (ignore=False) "
            "reads them too"
        ],
    )


def test_a_gitignore_holds_for_its_own_folder_alone(tmp_path: Path) -> None:
    write(tmp_path, "one/a.md", "two/a.md")
    (tmp_path / "one/.gitignore").write_text("a.md\n", encoding="utf-8")

    assert load(tmp_path)[0] == ["two/a.md"]


def test_the_repository_around_a_folder_counts_too(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "docs/made/b.md", _gitignore="made/\n")
    (tmp_path / ".git").mkdir()

    assert load(tmp_path / "docs")[0] == ["a.md"]


def test_a_folder_that_is_named_itself_is_read_whatever_is_said_of_it(tmp_path: Path) -> None:
    write(tmp_path, "notes/a.md", "node_modules/b.md", _gitignore="notes/\n")
    (tmp_path / ".git").mkdir()

    assert load(tmp_path / "notes")[0] == ["a.md"]
    assert load(tmp_path / "node_modules")[0] == ["b.md"]


def test_everything_is_read_where_that_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "node_modules/b.md", "c.md", _gitignore="c.md\n")

    assert load(tmp_path, ignore=False) == (["a.md", "c.md", "node_modules/b.md"], [])


def test_a_database_of_notion_is_read_once_and_called_by_its_name(tmp_path: Path) -> None:
    team = f"Team {'a1' * 16}"
    for name in (f"{team}.csv", f"{team}_all.csv", "Rota.csv", "Rota_all.csv"):
        (tmp_path / name).write_text("Name,Town\nIda Holm,Varde\n", encoding="utf-8")

    documents = [one for one in load_documents([tmp_path]) if isinstance(one, Document)]

    assert [one.title for one in documents] == ["Rota", "Rota all", "Team"]


def test_the_lists_of_an_export_of_slack_are_no_documents(tmp_path: Path) -> None:
    said = ("The pier is closed.", "It opens in May.")
    day = [{"user": "U1", "ts": f"170000000{n}.0", "text": text} for n, text in enumerate(said)]
    (tmp_path / "general").mkdir()
    (tmp_path / "general" / "2026-01-05.json").write_text(json.dumps(day), encoding="utf-8")
    for name in ("users", "channels", "dms"):
        listed = '[{"id": "U1", "name": "ida", "real_name": "Ida Holm"}]'
        (tmp_path / f"{name}.json").write_text(listed, encoding="utf-8")

    (document,) = (one for one in load_documents([tmp_path]) if isinstance(one, Document))

    assert "Ida Holm" in document.text and "The pier is closed." in document.text


def test_a_list_of_users_that_is_no_export_is_read(tmp_path: Path) -> None:
    (tmp_path / "users.json").write_text('[{"name": "Ida Holm"}]', encoding="utf-8")

    (document,) = load_documents([tmp_path])

    assert isinstance(document, Document) and "Ida Holm" in document.text


def test_a_bare_repository_is_named_and_its_clone_is_read(tmp_path: Path) -> None:
    git = pytest.importorskip("git", reason="the extra test is not installed")
    work = git.Repo.init(tmp_path / "work")
    write(tmp_path / "work", "docs/yard.md", "main.py")
    work.index.add(["docs/yard.md", "main.py"])
    work.index.commit("The yard")
    bare = work.clone(tmp_path / "yard.git", bare=True)
    bare.clone(tmp_path / "clone")

    assert load(tmp_path / "yard.git") == (
        [],
        ["a bare git repository: git clone it, and index the clone"],
    )
    assert load(tmp_path / "clone")[0] == ["docs/yard.md"]
