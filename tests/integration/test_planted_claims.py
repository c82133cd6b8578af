"""The claims that the real question sets give to plant."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.eval.planted.sources import load_claims

pytestmark = [pytest.mark.slow, pytest.mark.data]


@pytest.mark.parametrize(
    ("name", "form"),
    [("2wiki/dev.jsonl", "questions"), ("hotpotqa/dev98.jsonl", "questions")],
)
def test_public_sets_give_enough_claims(data_dir: Path, name: str, form: str) -> None:
    claims = load_claims(data_dir / name, form)
    assert len(claims) > 500
    assert all(one.quote in one.passage and one.object in one.quote for one in claims[:300])
