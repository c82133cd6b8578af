"""A run under a filter is a run over a base of the allowed documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.types import Document
from hoptrail.eval.runs.runner import RunPlan, run_eval
from hoptrail.graphs.context import Context
from tests.ships import FACTS, hashing_settings

PUBLIC = Context.model_validate({"filter": "level = public"})


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    documents = [
        Document(f"t/{n}", title, text, "t", metadata={"level": level})
        for n, ((title, text), level) in enumerate(
            zip(FACTS.items(), ("public", "public", "private"), strict=True)
        )
    ]
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    with Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()) as hoptrail:
        hoptrail.index(documents, extractor="nlp")
    questions = tmp_path / "questions.jsonl"
    row = {"id": "q", "question": "Who founded the Alder Yard?", "answer": "Edda Thorn"}
    questions.write_text(json.dumps({**row, "supporting_ids": ["1"]}))
    return {"questions": questions, "knowledge_base": tmp_path / "kb", "out": tmp_path / "out"}


def rows(plan: dict[str, Any]) -> list[Any]:
    lines = (plan["out"] / "rows.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("system", [{"retriever": "bm25"}, {"preset": "offline"}])
def test_only_allowed_documents_are_ranked(
    plan: dict[str, Any], system: dict[str, Any], tmp_path: Path
) -> None:
    summary = run_eval(RunPlan(**plan, **system, context=PUBLIC, cache=tmp_path / "evidence"))
    assert summary["recall@5"] == 1
    (row,) = rows(plan)
    assert {passage["doc_id"] for passage in row["passages"]} <= {"t/0", "t/1"}
    record = json.loads((plan["out"] / "run.json").read_text())
    assert record["filter"] == {"field": "level", "eq": "public"}


def test_gold_outside_of_the_filter_is_missing(plan: dict[str, Any]) -> None:
    private = Context.model_validate({"filter": "level = private"})
    with pytest.raises(InputError, match="holds none of the gold documents"):
        run_eval(RunPlan(**plan, retriever="bm25", context=private))


def test_a_graph_for_each_question_has_no_documents_to_filter(plan: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="documents of a corpus"):
        RunPlan(**plan, retriever="ppr", graphs=Path("g.jsonl"), context=PUBLIC)
