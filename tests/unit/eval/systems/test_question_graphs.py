"""A graph per question: indexed once, asked alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.eval.questions.gold import Gold
from hoptrail.eval.questions.graphs_file import GraphFile
from hoptrail.eval.questions.question import Question
from hoptrail.eval.run_folder import RunFolder
from hoptrail.eval.runs.setup import GraphSystem, Opening
from hoptrail.eval.runs.worker import Worker
from hoptrail.eval.systems.question_graphs import GraphBases
from hoptrail.graphs.context import Context
from tests.ships import hashing_settings

GRAPHS = {
    "1": [["Marra Vell", "born in", "Tarn Hollow"], ["Tarn Hollow", "capital of", "Oster Reach"]],
    "2": [["Ivo Kett", "wrote", "Glass Orchard"], ["m.0abc", "winner", "Nerin Dahl"]],
    "3": [["Ivo Kett", "wrote", "Glass Orchard"], ["m.0abc", "winner", "Nerin Dahl"]],
}
QUESTIONS = [
    Question("a", "Where was Marra Vell born?", (("Tarn Hollow",),), line=1, graph="1"),
    Question("b", "What did Ivo Kett write?", (("Glass Orchard",),), line=2, graph="2"),
    Question("3", "Who wrote Glass Orchard?", (("Ivo Kett",),), line=3),
]


@pytest.fixture
def bases(tmp_path: Path) -> Iterator[GraphBases]:
    path = tmp_path / "graphs.jsonl"
    lines = [json.dumps({"index": key, "graph": graph}) for key, graph in GRAPHS.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    file = GraphFile(path)
    yield GraphBases(file, tmp_path / "bases", hashing_settings())
    file.close()


def make_system(bases: GraphBases, questions: list[Question]) -> GraphSystem:
    opening = Opening("ket", None, None, Context(), hashing_settings(), None)
    return GraphSystem(bases, questions, Path("q.jsonl"), opening)


def test_equal_graphs_share_a_base_that_is_built_once(bases: GraphBases) -> None:
    first = bases.find("2")
    written = first.stat().st_mtime_ns
    assert bases.find("2") == bases.find("3") == first != bases.find("1")
    assert first.stat().st_mtime_ns == written


def test_nothing_half_built_is_left(bases: GraphBases) -> None:
    folder = bases.find("1")
    assert [path for path in folder.parent.iterdir() if path.is_dir()] == [folder]


def test_an_unknown_graph_is_named(bases: GraphBases) -> None:
    with pytest.raises(UnknownNameError, match="'9'"):
        bases.find("9")


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_each_question_is_asked_of_its_own_graph(
    bases: GraphBases, tmp_path: Path, concurrency: int
) -> None:
    system = make_system(bases, QUESTIONS)
    folder = RunFolder(tmp_path / "run")
    folder.resume({})
    gold = {question.id: Gold() for question in QUESTIONS}
    rows = await Worker(system, None, gold, folder).work_off(QUESTIONS, [], concurrency)
    assert [row["failure"] for row in rows] == [None] * 3
    assert [row["scores"]["node_recall"] for row in rows] == [1, 1, 1]
    assert "Oster Reach" in rows[0]["graph"]["nodes"]
    assert "Oster Reach" not in rows[1]["context"]
    assert rows[0]["scores"]["recall@5"] is None


def test_a_question_without_a_graph_is_an_error_that_names_its_line(bases: GraphBases) -> None:
    lost = Question("z", "Where?", (("Rome",),), line=7, graph="9")
    with pytest.raises(InputError, match=r"q\.jsonl:7: the question 'z' has no graph"):
        make_system(bases, [*QUESTIONS, lost])
