from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.row_judgement import judge_by_row
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

SEEDS = """SKU: TOM-01; Variety: Harbinger; In stock: yes
SKU: TOM-07; Variety: Black Russian; In stock: no"""


def evidence() -> Evidence:
    chunk = Chunk("c", "folder/seeds.csv", "seeds", SEEDS, 0, len(SEEDS))
    return Evidence(chunks=(Hit(chunk, 1.0),))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is TOM-07 in stock?", "no"),
        ("Is TOM-01 in stock?", "yes"),
        ("Is Black Russian in stock?", "no"),
    ],
)
def test_cell_that_says_yes_or_no_is_the_answer(question: str, answer: str) -> None:
    draft = judge_by_row(question, EvidenceIndex(evidence()))
    assert draft is not None
    assert draft.text == answer
    assert verify(draft, question, "bridge", evidence()).verified


@pytest.mark.parametrize("question", ["Is TOM-09 in stock?", "Is TOM-07 sold in boxes?"])
def test_what_no_row_judges_stays_open(question: str) -> None:
    assert judge_by_row(question, EvidenceIndex(evidence())) is None
