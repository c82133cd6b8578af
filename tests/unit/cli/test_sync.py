"""`hoptrail sync` as it is typed; `--watch` is tested in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail.cli.index_view import round_line
from tests import typed
from tests.ships import hashing_settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    for name in ("a", "b"):
        write(tmp_path / "notes" / f"{name}.txt")
    return tmp_path / "notes"


def write(path: Path) -> None:
    path.write_text(f"Edda Thorn founded the {path.stem} Guild in Varde.", encoding="utf-8")


def run(*arguments: str) -> int:
    return typed.run(*arguments, "--kb", "kb")


def report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(capsys.readouterr().out)
    return value


def test_counts_are_those_of_index_and_what_was_deleted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("index", "notes", "--json") == 0
    assert report(capsys)["documents"].keys() == {
        "added", "replaced", "moved", "deleted", "unchanged", "skipped", "failed",
    }  # fmt: skip
    (folder / "a.txt").unlink()
    write(folder / "c.txt")
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")

    assert run("sync", "./notes/", "--json") == 0

    told = report(capsys)
    assert told["documents"] == {
        "added": 1, "replaced": 0, "moved": 0, "deleted": 1, "unchanged": 1, "skipped": 1,
        "failed": 0,
    }  # fmt: skip
    assert told["deleted"] == ["notes/a.txt"]
    assert [Path(row["path"]).name for row in told["skipped"]] == ["photo.png"]


def test_a_dry_run_lists_and_changes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sync", "notes", "--dry-run") == 0
    assert "+ notes/a.txt\n+ notes/b.txt\n" in capsys.readouterr().out
    assert not Path("kb").exists()
    assert run("sync", "notes") == 0
    (folder / "a.txt").unlink()

    capsys.readouterr()
    assert run("sync", "notes", "--dry-run", "--json") == 0

    plan = report(capsys)
    assert (plan["deleted"], plan["unchanged"], plan["forecast"]["calls"]) == (
        ["notes/a.txt"],
        1,
        0,
    )
    assert run("sync", "notes", "--json") == 0
    assert "notes/a.txt" in capsys.readouterr().out


def test_a_file_in_another_place_is_moved_and_its_ids_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.txt").write_text("# Guilds\n\nEdda Thorn founded the Ropers' Guild.")
    assert run("sync", "notes") == 0
    (folder / "old").mkdir()
    (folder / "a.txt").rename(folder / "old" / "a.txt")
    capsys.readouterr()

    assert run("sync", "notes", "--dry-run") == 0
    shown = capsys.readouterr().out
    assert "> notes/a.txt is notes/old/a.txt from then on" in shown
    assert "0 added, 0 replaced, 0 deleted, 1 moved, 1 unchanged" in shown
    assert "dollars" not in shown  # nothing is paid for
    assert run("sync", "notes", "--json") == 0

    told = report(capsys)
    assert told["documents"]["moved"] == 1
    assert told["moved"] == [{"former_id": "notes/a.txt", "doc_id": "notes/old/a.txt"}]


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("missing", "no such folder"),
        ("notes/a.txt", "is not a folder"),
        ("empty", "no files in this folder"),
        ("nosuch://x/y", "nosuch://x/y: what begins with nosuch:// cannot be synced"),
        ("https://e.org/docs", "a web site is synced with --crawl URL"),
    ],
)
def test_what_is_no_folder_of_documents_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], given: str, hint: str
) -> None:
    (folder.parent / "empty").mkdir()

    assert run("sync", given) == 1

    assert hint in " ".join(capsys.readouterr().err.split())
    assert not Path("kb").exists()


def test_the_name_of_a_corpus_is_no_id_and_the_ids_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bees.jsonl").write_text('{"id": 1, "text": "A bee lives here."}')
    (folder / "bees.txt").write_text("Bees live here.")
    assert run("index", "notes") == 0
    capsys.readouterr()

    assert run("delete", "notes/bees.jsonl", "--json") == 1

    error = json.loads(capsys.readouterr().out)["error"]
    assert error["hint"] == (
        "of the source bees, 1 document has an id beginning with bees/; "
        "hoptrail info --documents, or Hoptrail.documents(), lists the ids"
    )


def test_watching_with_a_model_needs_an_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sync", "notes", "--watch", "--model", "groq:some-model") == 1
    assert "--max-usd" in capsys.readouterr().err


def test_a_round_is_one_line() -> None:
    skipped = [{"path": f"{name}.pdf", "reason": "broken\nfile"} for name in "abcd"]
    counts = {"added": 1, "replaced": 0, "deleted": 2, "moved": 1, "unchanged": 1200}
    assert round_line({"documents": counts, "skipped": skipped}, 1.23) == (
        "1 added, 2 deleted, 1 moved, 1,200 unchanged (1.2 s); 4 files skipped: "
        "a.pdf: broken file; b.pdf: broken file; c.pdf: broken file; and 1 more"
    )
