"""`hoptrail feedback`, and `hoptrail eval` on what readers said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from tests.ships import QUESTION, hashing_settings, index_ships
from tests.typed import run


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A base with two entries and a saved answer, as the commands find it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    index_ships(tmp_path / "kb", hashing_settings())
    with Hoptrail.open(tmp_path / "kb", settings=hashing_settings(), preset="offline") as hoptrail:
        answer = hoptrail.ask(QUESTION)
        hoptrail.feedback(answer, "good", reader="ana")
        hoptrail.feedback(answer, comment="\x1b[2Jcleared", correction="Ida", reader="ben")
        hoptrail.save_answer(answer, "Ida Holm", reader="ana")
    return str(tmp_path / "kb")


def test_feedback_is_listed_without_control_characters(
    kb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("feedback", "list", "--kb", kb) == 0

    told = capsys.readouterr()
    assert "bad  Who founded the yard" in told.out
    assert "right: Ida" in told.out
    assert "\x1b" not in told.out
    assert "2 entries: 1 bad, 1 good" in told.err


def test_feedback_is_listed_by_verdict_as_json(kb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("feedback", "list", "--good", "--json", "--kb", kb) == 0

    told = json.loads(capsys.readouterr().out)
    assert [(one["reader"], one["answer"]["answer"]) for one in told["feedback"]] == [
        ("ana", "Edda Thorn")
    ]
    assert told["counts"] == {"good": 1, "bad": 1, "none": 0}


def test_that_a_verdict_has_no_entry_is_not_said_of_all(
    kb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Hoptrail.open(kb, settings=hashing_settings()) as hoptrail:
        [bad] = hoptrail.feedback_entries("bad")
        hoptrail.delete_feedback(bad.id)

    assert run("feedback", "list", "--bad", "--kb", kb) == 0

    assert capsys.readouterr().err.strip() == "1 entry: 1 good"


def test_feedback_is_exported_with_trails(kb: str, tmp_path: Path) -> None:
    assert run("feedback", "export", "said.jsonl", "--kb", kb) == 0

    lines = (tmp_path / "said.jsonl").read_text(encoding="utf-8").splitlines()
    assert [len(json.loads(line)["answer"]["trail"]) for line in lines] == [2, 2]


def test_saved_answers_are_listed_and_deleted(kb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("feedback", "saved", "--json", "--kb", kb) == 0
    [saved] = json.loads(capsys.readouterr().out)["saved"]
    assert (saved["text"], saved["by"], saved["stands"]) == ("Ida Holm", "ana", True)

    assert run("feedback", "delete", saved["id"], "--kb", kb) == 0
    assert run("feedback", "delete", saved["id"], "--kb", kb) == 1
    assert run("feedback", "saved", "--kb", kb) == 0
    assert "no answer is saved" in capsys.readouterr().err


def test_judged_questions_are_asked_again_and_not_answered_by_what_is_saved(
    kb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Hoptrail.open(kb, settings=hashing_settings()) as hoptrail:
        [ben] = [one for one in hoptrail.feedback_entries() if one.reader == "ben"]
        hoptrail.delete_feedback(ben.id)

    call = ("eval", "--from-feedback", "--kb", kb, "--preset", "offline", "--out", "run", "--json")
    assert run(*call) == 0

    summary = json.loads(capsys.readouterr().out)
    assert (summary["n"], summary["accuracy"], summary["recall@5"]) == (1, 1.0, 1.0)


def test_an_evaluation_asks_feedback_or_a_file(kb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("eval", "--kb", kb, "--preset", "offline", "--out", "run") == 2
    assert "either --questions FILE or --from-feedback" in capsys.readouterr().err
