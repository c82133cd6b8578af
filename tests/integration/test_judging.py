"""Questions without answers and a blind comparison, as commands over an OpenAI-protocol server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import http_error
from hoptrail.testing.stub_server import Reply, prompt_text

pytestmark = pytest.mark.slow

ANSWERS = {
    "q1": ("Rain and snow.", "Rain."),
    "q2": ("Dams.", "Dams and canals."),
    "q3": (None, "Yes."),
}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Return the folders of two runs over the same questions."""
    folders = tmp_path / "ours", tmp_path / "theirs"
    for side, folder in enumerate(folders):
        folder.mkdir()
        rows = [_row(id, answers[side]) for id, answers in ANSWERS.items()]
        (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        (folder / "run.json").write_text(json.dumps({"system": f"preset:{folder.name}"}))
        (folder / "summary.json").write_text("{}")
    return folders


def _row(id: str, answer: str | None) -> dict[str, Any]:
    told = {"answer": answer or "I don't know", "abstained": answer is None}
    return {"id": id, "question": f"What about {id}?", "failure": None, **told}


def prefers_the_longer(body: dict[str, Any]) -> Reply:
    shown = re.findall(r"<answer_[ab]>\n(.*)\n</answer_[ab]>", prompt_text(body))
    winner = "A" if len(shown[0]) > len(shown[1]) else "B"
    return {"overall": {"reason": "It is longer.", "winner": winner}}


def run(server: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setenv("HOPTRAIL_BASE_URL", server.url)
    monkeypatch.setenv("HOPTRAIL_MAX_RETRIES", "0")
    options = [*map(str, arguments), "--model", "openai:stub", "--json"]
    return run_guarded(build_app(), options)


def test_two_runs_are_compared_in_both_orders(
    runs: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "judged"
    command: list[str | Path] = ["judge", *runs, "--out", out, "--criteria", "overall"]
    with OpenAIStubServer(prefers_the_longer) as server:
        assert run(server, monkeypatch, *command) == 0
        report = json.loads(capsys.readouterr().out)
        assert server.calls == 4
        assert not any("ours" in request.text for request in server.requests)
        assert run(server, monkeypatch, *command) == 0
        assert server.calls == 4
    assert (report["first"], report["second"]) == ("preset:ours", "preset:theirs")
    assert report["decided_by"] == {"abstention": 1, "judge": 2}
    overall = report["criteria"]["overall"]
    assert (overall["first"], overall["second"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert report["position"] == {"inconsistency_rate": 0, "first_shown_share": 0.5}
    assert report["usage"]["llm_calls"] == 4
    assert json.loads((out / "pairwise.json").read_text(encoding="utf-8")) == report


def test_a_server_that_fails_leaves_pairs_unjudged_and_a_later_run_judges_them(
    runs: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command: list[str | Path] = [
        "judge",
        *runs,
        "--out",
        tmp_path / "judged",
        "--criteria",
        "overall",
    ]
    with OpenAIStubServer(http_error(500)) as server:
        assert run(server, monkeypatch, *command) == 0
    assert json.loads(capsys.readouterr().out)["decided_by"] == {"abstention": 1, "unjudged": 2}
    with OpenAIStubServer(prefers_the_longer) as server:
        assert run(server, monkeypatch, *command) == 0
    assert json.loads(capsys.readouterr().out)["decided_by"] == {"abstention": 1, "judge": 2}


def write_as_asked(body: dict[str, Any]) -> Reply:
    form = body["tools"][0]["function"]["name"]
    replies: dict[str, Reply] = {
        "Personas": {"personas": [{"label": "engineer", "needs": "Plans dams."}]},
        "Tasks": {"tasks": ["Survey what makes rivers flood."]},
        "GlobalQuestions": {"questions": ["Which causes of floods recur?", "How do towns adapt?"]},
    }
    return replies[form]


def test_questions_are_written_from_a_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "about.txt").write_text("Articles about rivers.")
    out = tmp_path / "questions.jsonl"
    command: list[str | Path] = ["questions", "--description", tmp_path / "about.txt", "--out", out]
    counts = ["--personas", "1", "--tasks", "1", "--questions", "2"]
    with OpenAIStubServer(write_as_asked) as server:
        assert run(server, monkeypatch, *command, *counts) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["questions"], report["usage"]["llm_calls"]) == (2, 3)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["question"] for row in rows] == [
        "Which causes of floods recur?",
        "How do towns adapt?",
    ]


@pytest.mark.parametrize("options", [[], ["--kb", "kb", "--description", "about.txt"]])
def test_questions_need_one_source(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_guarded(build_app(), ["questions", "--out", str(tmp_path / "q"), *options]) == 2
    assert "--kb or --description" in capsys.readouterr().err
