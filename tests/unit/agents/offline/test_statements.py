"""A frozen table of small documents, each with a question and the only answer it states, if any.

It was written before the rules that read it and is not to be fitted to them. A row without an
answer has a document that denies, hedges or lacks what is asked: nothing may be given plainly.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.planning.router import route
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Evidence, Hit, JsonDict
from tests.unit.agents.conftest import chunk_of

TABLE = Path(__file__).with_name("statements.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


def plain_answer(row: JsonDict) -> str | None:
    """Return the answer that is given without reserve, None where none is."""
    evidence = Evidence(chunks=tuple(Hit(chunk_of(*one)) for one in row["documents"].items()))
    question_type = asyncio.run(route(row["question"], None))
    draft = search_answer(row["question"], question_type, evidence)
    verdict = verify(draft, row["question"], question_type, evidence)
    is_plain = verdict.verified and not draft.abstained and verdict.reserve is None
    return draft.text if is_plain else None


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['kind']}-{row['question']}" for row in ROWS])
def test_only_what_is_stated_is_answered_plainly(row: JsonDict) -> None:
    assert plain_answer(row) == row["answer"]
