"""Graphs of questions: both forms, lookup by key in any order, errors that name the line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.eval.questions.graphs_file import GraphFile, QuestionGraph, read_graphs

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
