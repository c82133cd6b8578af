"""`hoptrail sync --watch` in a process of its own, as a user runs it."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.commands import Command
from tests.documented import blocks
from tests.waiting import PATIENCE, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to stop it by"),
]


class Watching:
    """A watched folder: what was told of each round, and the process."""

    def __init__(self, folder: Path, kb: Path, told: Path) -> None:
        self.folder, self.kb = folder, kb
        self._told = told
        with told.open("wb") as out, told.with_suffix(".err").open("wb") as err:
            arguments = ("sync", folder, "--kb", kb, "--watch", "--extractor", "nlp", "--json")
            self.process = Command(*arguments, stdout=out, stderr=err)

    def total(self, kind: str, count: int) -> None:
        """Wait until the rounds have told of so many documents, added or deleted."""

        def is_told() -> bool:
            lines = self._told.read_text(encoding="utf-8").splitlines()
            told: int = sum(json.loads(line)["documents"][kind] for line in lines)
            assert told <= count
            return told == count

        self._wait_for(is_told)

    def until(self, ids: set[str]) -> None:
        """Wait until the base has exactly these documents; nobody else holds its lock."""

        def are_there() -> bool:
            with KnowledgeBase.open(self.kb) as kb:
                return set(kb.content_hashes()) == ids

        self._wait_for(are_there)

    def _wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so, while the process goes on."""
        wait_for(lambda: is_so() or self.process.poll() is not None, self.notes)
        assert self.process.poll() is None, self.notes()

    def notes(self) -> str:
        return self._told.with_suffix(".err").read_text(encoding="utf-8")


@pytest.fixture
def watching(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Watching]:
    folder = tmp_path / "notes"
    folder.mkdir()
    write(folder / "a.txt", "Edda Thorn founded the Ropers' Guild in Varde.")
    watching = Watching(folder, tmp_path / request.param, tmp_path / "rounds")
    with watching.process:
        yield watching


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("watching", ["notes/kb"], indirect=True)  # its own files are no change
def test_files_that_come_change_and_go_are_followed_until_ctrl_c(watching: Watching) -> None:
    watching.total("added", 1)

    write(watching.folder / "b.txt", "Signe Holm built the tower of Alba.")
    (watching.folder / "broken.pdf").write_bytes(b"%PDF-1.4 half")
    watching.until({"notes/a.txt", "notes/b.txt"})

    watching.total("added", 2)
    with KnowledgeBase.open(watching.kb, writable=True):
        (watching.folder / "a.txt").unlink()  # nobody else may write now: that round comes later
    watching.total("deleted", 1)

    with KnowledgeBase.open(watching.kb, writable=True) as kb:  # between rounds it is free
        assert list(kb.content_hashes()) == ["notes/b.txt"]
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(PATIENCE) == 0
    assert "stopped watching" in watching.notes()


def test_what_is_told_reads_as_docs_sync_md_shows_it(tmp_path: Path) -> None:
    (shown,) = (one for one in blocks() if one.page.name == "sync.md" and one.language == "console")
    command, *lines = shown.text.replace("/home/ida", str(tmp_path)).splitlines()
    notes, told = tmp_path / "notes", tmp_path / "told"
    notes.mkdir()
    for name in "abcd":
        write(notes / f"{name}.txt", f"Edda Thorn founded the {name} Guild in Varde.")

    def reads_as(count: int) -> bool:
        pattern = "\n".join(re.sub(r"\d+", r"\\d+", re.escape(line)) for line in lines[:count])
        return re.fullmatch(pattern, told.read_text(encoding="utf-8").strip()) is not None

    with told.open("wb") as out, (tmp_path / "notes.err").open("wb") as err:
        watching = Command(*command.split()[2:], stdout=out, stderr=err, folder=tmp_path)
    with watching:
        wait_for(lambda: reads_as(2), told.read_text)
        for name in "abe":
            write(notes / f"{name}.txt", f"Signe Holm built the {name} tower of Alba.")
        (notes / "c.txt").unlink()
        wait_for(lambda: reads_as(3), told.read_text)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(PATIENCE) == 0


@pytest.mark.parametrize("watching", ["kb"], indirect=True)
def test_a_folder_that_vanishes_is_waited_for(watching: Watching) -> None:
    watching.total("added", 1)
    away = watching.folder.parent / "away"
    watching.folder.rename(away)
    wait_for(lambda: "is gone; nothing is deleted" in watching.notes(), watching.notes)
    write(away / "b.txt", "Signe Holm built the tower of Alba.")
    away.rename(watching.folder)
    watching.until({"notes/a.txt", "notes/b.txt"})
