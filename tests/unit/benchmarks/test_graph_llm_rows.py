"""The answers of a graph language model, a row with scores for each question."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from benchmarks.graph_llm_rows import answer_rows, pointer_rows, with_other_graphs
from hoptrail.eval.graph_llm.evaluation import GraphAnswerScore
from hoptrail.eval.json_files import JsonlLog
from hoptrail.eval.questions.question import Question
from hoptrail.models.graph_llm.model import GraphLlama
from tests.yards import tiny_graph_llama, yard_examples

EXAMPLES = yard_examples(0, 5)
SCORE = GraphAnswerScore(
    [Question(item.id, item.question, (item.answers,), line=1) for item in EXAMPLES]
)


@pytest.fixture(scope="module")
def model() -> GraphLlama:
    return tiny_graph_llama().eval()


def test_every_question_has_a_row_in_order(model: GraphLlama, tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "rows.jsonl")
    rows = answer_rows(model, EXAMPLES, SCORE, log, max_new_tokens=2)
    assert [row["id"] for row in rows] == [example.id for example in EXAMPLES]
    assert set(rows[0]["scores"]) == {"hits@1", "hit", "set_f1"}


def test_a_row_tells_its_tokens_and_seconds(model: GraphLlama, tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "rows.jsonl")
    (row,) = answer_rows(model, EXAMPLES[:1], SCORE, log, max_new_tokens=2)
    (item,) = model.prepare_all([(EXAMPLES[0].question, EXAMPLES[0].graph, ())])
    (soft,) = model.soft_prompts([item])
    assert row["tokens"] == len(soft) + len(model.base.token_ids(row["reply"]))
    assert row["seconds"] > 0


def test_rows_in_the_log_are_not_asked_again(model: GraphLlama, tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "rows.jsonl")
    known = {"id": EXAMPLES[1].id, "reply": "kept", "answers": ["kept"], "scores": {}}
    log.append(known)
    rows = answer_rows(model, EXAMPLES, SCORE, log, max_new_tokens=2)
    assert rows[1] == known
    assert len(log.read()) == len(EXAMPLES)


def test_shuffled_inputs_keep_their_text_and_get_another_graph(model: GraphLlama) -> None:
    own = model.prepare_all([(item.question, item.graph, ()) for item in EXAMPLES])
    for before, after in zip(own, with_other_graphs(model, EXAMPLES), strict=True):
        assert after.prompt == before.prompt
        assert before.graph is not None
        assert after.graph is not None
        assert after.graph.node_text != before.graph.node_text
        assert torch.equal(after.graph.question, before.graph.question)


def test_the_pointer_answers_with_a_node(model: GraphLlama) -> None:
    rows = pointer_rows(model, EXAMPLES, SCORE)
    assert [row["id"] for row in rows] == [example.id for example in EXAMPLES]
    for row, example in zip(rows, EXAMPLES, strict=True):
        (name,) = row["answers"]
        assert name in example.graph.nodes
        assert row["scores"]["hits@1"] == float(name in example.answers)
