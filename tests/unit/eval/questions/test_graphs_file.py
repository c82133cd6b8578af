"""Graphs of questions: both forms, lookup by key in any order, errors that name the line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.eval.questions.graphs_file import GraphBases, GraphFile, QuestionGraph, read_graphs
from hoptrail.eval.questions.question import Gold, Question
from hoptrail.eval.run_folder import RunFolder
from hoptrail.eval.runs.setup import GraphSystem, Opening
from hoptrail.eval.runs.worker import Worker
from hoptrail.graphs.context import Context
from tests.ships import hashing_settings

NUMBERED = {"index": 1, "id": "a", "nodes": ["x", "y"], "edges": [[0, "r", 1], [1, "s", 1]]}
NAMED = {"id": "b", "graph": [["x", "r", "z"]]}


def write(tmp_path: Path, *rows: object, name: str = "graphs.jsonl") -> Path:
    path = tmp_path / name
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_both_forms_give_triples_of_names(tmp_path: Path) -> None:
    assert list(read_graphs(write(tmp_path, NUMBERED, NAMED))) == [
        QuestionGraph(("1", "a"), (("x", "r", "y"), ("y", "s", "y"))),
        QuestionGraph(("b",), (("x", "r", "z"),)),
    ]


@pytest.mark.parametrize("name", ["graphs.jsonl", "graphs.jsonl.gz"])
def test_graphs_are_looked_up_in_any_order(tmp_path: Path, name: str) -> None:
    rows = [{"index": n, "graph": [["é", "r", str(n)]]} for n in range(5)]
    graphs = GraphFile(write(tmp_path, *rows, name=name))
    found = [graphs.triples(str(n))[0][2] for n in (3, 0, 4, 1, 1, 2)]
    graphs.close()
    assert found == ["3", "0", "4", "1", "1", "2"]


def test_a_graph_is_found_by_index_and_by_id_and_the_index_wins(tmp_path: Path) -> None:
    graphs = GraphFile(
        write(
            tmp_path,
            {"index": 1, "id": "2", "graph": [["first", "r", "x"]]},
            {"index": 2, "id": "a", "graph": [["second", "r", "x"]]},
        )
    )
    found = [graphs.triples(key)[0][0] for key in ("1", "2", "a")]
    graphs.close()
    assert found == ["first", "second", "second"]


def test_a_graph_that_is_not_there_is_named(tmp_path: Path) -> None:
    graphs = GraphFile(write(tmp_path, NAMED))
    with pytest.raises(UnknownNameError, match="'c'"):
        graphs.triples("c")
    assert "b" in graphs
    assert "c" not in graphs
    graphs.close()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"index": 2}, "no graph"),
        ({"graph": []}, "neither 'index' nor 'id'"),
        ({"index": 1, "graph": []}, "the graph '1' stands on an earlier line already"),
        ({"index": 2, "graph": [["a", "b"]]}, "'graph' is no list of triples"),
        ({"index": 2, "graph": [["a", "b", 1]]}, "an end of a triple in 'graph' is no text"),
        ({"index": 2, "graph": [["a", 1, "b"]]}, "a predicate in 'graph' is no text"),
        ({"index": 2, "nodes": ["a"], "edges": [[0, "r", 1]]}, "else than the nodes 0 to 0"),
        ({"index": 2, "nodes": ["a"], "edges": [[0, "r", -1]]}, "else than the nodes 0 to 0"),
        ({"index": 2, "nodes": [1], "edges": []}, "'nodes' is no list of texts"),
        ("graph", "not a JSON object"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: object, message: str) -> None:
    path = write(tmp_path, NUMBERED, row)
    with pytest.raises(InputError) as caught:
        GraphFile(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert message in str(caught.value)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no graph in it"):
        GraphFile(write(tmp_path))


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
