from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.asked_cell import is_asked_cell
from hoptrail.agents.reading.candidates import Surroundings
from hoptrail.agents.reading.query import read_query
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.testing import HashingEmbedder

TOOLS = """Tool no: T1; Tool: Rotavator; Deposit EUR: 50,00; Per day EUR: 12,50; Kept in: Shed A

Tool no: T2; Tool: Hedge trimmer; Deposit EUR: 30,00; Per day EUR: 6,00; Kept in: Shed B"""
PERSONS = """Ext.: 21; Person: Ann Holt; Responsible for: plots

Ext.: 22; Person: Bo Reed; Responsible for: keys and tools"""


def asked_cells(question: str, text: str) -> set[str]:
    chunk = Chunk("c", "folder/list.csv", "list", text, 0, len(text))
    index = EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0),)))
    around = Surroundings(index, TextSimilarity(HashingEmbedder().embed))
    query = read_query(question)
    found = around.candidates(query, around.relevance(query))
    return {one.value.text for one in found if is_asked_cell(query, one, around)}


@pytest.mark.parametrize(
    ("question", "cell", "text"),
    [
        ("What is the deposit for the rotavator?", "50,00", TOOLS),
        ("What does the hedge trimmer cost per day?", "6,00", TOOLS),
        ("Where is the hedge trimmer kept?", "Shed B", TOOLS),
        ("Which tool is T2?", "Hedge trimmer", TOOLS),
        ("Who is responsible for keys and tools?", "Bo Reed", PERSONS),
    ],
)
def test_cell_is_named_by_its_row_and_its_column(question: str, cell: str, text: str) -> None:
    assert asked_cells(question, text) == {cell}


@pytest.mark.parametrize(
    "question",
    [
        "What is the deposit for the chainsaw?",
        "What is the deposit for the rotavator for members?",
        "Who repaired the rotavator?",
    ],
)
def test_no_cell_answers_what_the_table_does_not_speak_of(question: str) -> None:
    assert asked_cells(question, TOOLS) == set()
