"""A file of questions: written at the end, paid for once, continued after a stop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import CostLimitError, InputError, ModelUnavailableError
from hoptrail.eval.questions.generation import (
    GenerationReport,
    generate_questions,
    read_description_file,
)
from hoptrail.eval.questions.question_writer import Catalogue, GenerationPlan
from hoptrail.testing import ScriptedChatModel
from tests.unit.eval.questions.scripted_writer import writer_model, writer_script

PLAN = GenerationPlan(personas=2, tasks=2, questions=2)
DOWN = ModelUnavailableError("the server is down")


def generate(
    script: ScriptedChatModel, out: Path, *, max_usd: float | None = None
) -> GenerationReport:
    return generate_questions(
        "Articles about rivers.",
        writer_model(script),
        out,
        plan=PLAN,
        concurrency=1,
        max_usd=max_usd,
    )


def test_a_line_holds_a_question_without_an_answer(tmp_path: Path) -> None:
    report = generate(writer_script(), tmp_path / "q.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text("utf-8").splitlines()]
    assert report.questions == report.wanted == len(rows) == 8
    assert rows[0].keys() == {"id", "question", "type", "persona", "task"}
    assert report.usage.llm_calls == 7


def test_the_same_call_again_writes_the_same_file_for_nothing(tmp_path: Path) -> None:
    out = tmp_path / "q.jsonl"
    first = generate(writer_script(), out)
    written = out.read_bytes()
    script = writer_script()
    assert generate(script, out) == first
    assert out.read_bytes() == written
    assert not script.calls


def test_a_run_that_the_model_stopped_is_continued(tmp_path: Path) -> None:
    out = tmp_path / "q.jsonl"
    with pytest.raises(ModelUnavailableError):
        generate(writer_script(write_global_questions=DOWN), out)
    assert not out.exists()
    script = writer_script()
    assert generate(script, out).usage.llm_calls == 7
    assert len(script.calls) == 4


def test_a_model_that_is_down_is_not_asked_again(tmp_path: Path) -> None:
    script = writer_script(write_tasks=DOWN)
    with pytest.raises(ModelUnavailableError):
        generate(script, tmp_path / "q.jsonl")
    assert len(script.calls) == 2


def test_the_cost_limit_stops_before_the_next_call(tmp_path: Path) -> None:
    script = writer_script()
    with pytest.raises(CostLimitError, match="run again with a higher limit"):
        generate(script, tmp_path / "q.jsonl", max_usd=0.01)
    assert len(script.calls) == 1
    assert generate(writer_script(), tmp_path / "q.jsonl").questions == 8


def test_a_half_written_reply_is_paid_for_again(tmp_path: Path) -> None:
    out = tmp_path / "q.jsonl"
    generate(writer_script(), out)
    kept = tmp_path / "q.replies.jsonl"
    kept.write_bytes(kept.read_bytes()[:-5])
    script = writer_script()
    generate(script, out)
    assert len(script.calls) == 1


def test_a_file_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "q.jsonl"
    out.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        generate(writer_script(), out)
    assert out.read_text() == "mine"


def test_a_catalogue_is_described_first(tmp_path: Path) -> None:
    model = writer_model(writer_script())
    catalogue = Catalogue(("The Nile",), ())
    report = generate_questions(catalogue, model, tmp_path / "q.jsonl", plan=PLAN)
    assert report.description == "Articles about rivers."
    assert report.usage.llm_calls == 8


def test_a_description_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "about.txt").write_text("\ufeff Letters of sailors.\n", encoding="utf-8")
    assert read_description_file(tmp_path / "about.txt") == "Letters of sailors."


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe\x00x", None])
def test_an_unusable_description_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "about.txt").write_bytes(content)
    with pytest.raises(InputError, match=r"about\.txt"):
        read_description_file(tmp_path / "about.txt")
