from __future__ import annotations

import json
from typing import Any

import pytest

from hoptrail.core.errors import InputError
from hoptrail.models.graph_llm.example import GraphExample
from hoptrail.models.graph_llm.graph_input import GraphInput

EXAMPLE = GraphExample(
    "q1",
    "What is the capital of France?",
    ("Paris",),
    GraphInput.from_triples([("Paris", "capital of", "France")]),
)


def test_an_example_survives_a_line_of_a_file() -> None:
    assert GraphExample.from_json(json.loads(json.dumps(EXAMPLE.to_json()))) == EXAMPLE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": 1}, "id and question of an example are not texts"),
        ({"question": None}, "id and question of an example are not texts"),
        ({"answers": "Paris"}, "the answers of example 'q1' are not a list of texts"),
        ({"answers": [1]}, "the answers of example 'q1' are not a list of texts"),
        ({"graph": {"nodes": [], "edges": [[0, "r", 0]]}}, "names node 0, but the graph has 0"),
    ],
)
def test_a_malformed_example_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GraphExample.from_json({**EXAMPLE.to_json(), **changes})


@pytest.mark.parametrize("field", ["id", "question", "answers", "graph"])
def test_a_missing_field_is_named(field: str) -> None:
    value = EXAMPLE.to_json()
    del value[field]
    with pytest.raises(InputError, match=f"an example has no {field}"):
        GraphExample.from_json(value)


def test_an_example_is_an_object() -> None:
    with pytest.raises(InputError, match="an example is not an object"):
        GraphExample.from_json([])
