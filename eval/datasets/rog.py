"""WebQSP and CWQ in the form of RoG (Luo et al., 2024): a Freebase graph for every question."""

from __future__ import annotations

from collections.abc import Callable

from hoptrail.core.types import JsonDict
from hoptrail.eval.datasets.example import Example, PublicSet
from hoptrail.eval.datasets.origin import Origin, Part
from hoptrail.eval.files.fields import Fields
from hoptrail.eval.questions.graphs_file import graph_triples

_FILES = (
    "data/{hub_split}-*.parquet",
    "{hub_split}-*.parquet",
    "{hub_split}.json*",
    "{split}.json*",
)


def read_rog(name: str) -> Callable[[Origin], PublicSet]:
    """Return what reads a set that RoG published under this name."""
    questions = Part(files=_FILES, hub=(f"rmanluo/{name}", None))
    return lambda origin: PublicSet(_example(item) for item in origin.records(questions))


def _example(fields: Fields) -> Example | None:
    answers = fields.texts("answer")
    if fields.row.get("answer") == []:
        return None
    name = fields.text("id")
    question: JsonDict = {
        "id": name,
        "index": name,
        "question": fields.text("question"),
        "answers": list(answers) or [fields.text("answer")],
        "topic_entities": list(fields.texts("q_entity")),
    }
    return Example(question, graph=graph_triples(fields))
