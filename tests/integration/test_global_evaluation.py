"""Questions about a whole corpus, answered by `graphrag` per level and by `vector`, and judged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.stub_server import Reply, prompt_text
from tests.evaluating import index_articles, rows_of

pytestmark = pytest.mark.slow

QUESTIONS = ["Which places recur across all articles?", "How do the people of the articles differ?"]
FORMS: dict[str, Reply] = {
    "CorpusDescription": {"description": "Articles about people and places."},
    "Personas": {"personas": [{"label": "teacher", "needs": "Plans a lesson."}]},
    "Tasks": {"tasks": ["Survey what the articles have in common."]},
    "GlobalQuestions": {"questions": QUESTIONS},
}


def reply(body: dict[str, Any]) -> Reply:
    """Say what each prompt asks for; the longer of two answers is the better one."""
    prompt = prompt_text(body)
    shown = re.findall(r"<answer_[ab]>\n(.*?)\n</answer_[ab]>", prompt, re.DOTALL)
    if shown:
        winner = "A" if len(shown[0]) > len(shown[1]) else "B"
        return {"overall": {"reason": "It says more.", "winner": winner}}
    form = body["tools"][0]["function"]["name"] if body.get("tools") else ""
    if form == "HelpfulPoints":
        numbers = [int(number) for number in re.findall(r"^\[(\d+)\] ", prompt, re.MULTILINE)]
        points = [
            {"text": f"Report {n} names people.", "helpfulness": 60, "reports": [n]}
            for n in numbers[:3]
        ]
        return {"points": points}
    if form:
        return FORMS[form]
    named = list(dict.fromkeys(re.findall(r"\[reports: \d+\]", prompt)))
    told = "\n".join(f"- People and places recur. {reference}" for reference in named)
    return f"FINAL ANSWER:\n{told or 'People.'}"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("global") / "kb"
    index_articles(folder)
    with Hoptrail.open(folder, writable=True) as hoptrail:
        hoptrail.communities(extractive=True)
    return folder


def test_graphrag_is_compared_with_vector_level_by_level(
    kb: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Any:
        options = [*map(str, arguments), "--model", "openai:stub", "--json"]
        assert run_guarded(build_app(), options) == 0
        return json.loads(capsys.readouterr().out)

    with OpenAIStubServer(reply) as server:
        monkeypatch.setenv("HOPTRAIL_BASE_URL", server.url)
        counts = ["--personas", "1", "--tasks", "1", "--questions", "2"]
        assert run("questions", "--kb", kb, "--out", "global.jsonl", *counts)["questions"] == 2
        evaluate: list[str | Path] = ["eval", "--questions", "global.jsonl", "--kb", kb]
        run(*evaluate, "--preset", "vector", "--out", "runs/vector")
        for level in (0, 1):
            out = f"runs/graphrag-{level}"
            choice: list[str | Path] = [
                "--preset",
                "graphrag",
                "--set",
                f"level={level}",
                "--out",
                out,
            ]
            assert run(*evaluate, *choice)["n_failed"] == 0
            judged = run(
                "judge", out, "runs/vector", "--criteria", "overall", "--out", f"judged-{level}"
            )
            assert judged["criteria"]["overall"]["first"] == 1.0
    for level in (0, 1):
        for row in rows_of(Path(f"runs/graphrag-{level}")):
            assert (row["question_type"], row["strategy"]) == ("global", "map_reduce")
            assert row["degraded"] == []
            assert row["reports"]
            assert {report["level"] for report in row["reports"]} <= set(range(level + 1))
