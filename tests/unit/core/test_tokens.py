from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.tokens import estimate_tokens

RECORDED = json.loads((Path(__file__).parent / "data" / "cl100k_counts.json").read_text("utf-8"))


@pytest.mark.parametrize("passage", RECORDED, ids=lambda passage: passage["source"])
def test_estimate_is_within_ten_percent_of_the_recorded_cl100k_count(
    passage: dict[str, Any],
) -> None:
    estimate = estimate_tokens(passage["text"])
    assert estimate == pytest.approx(passage["cl100k_tokens"], rel=0.1)


def test_no_text_has_no_tokens() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" \n\t ") == 0


@pytest.mark.parametrize(
    ("text", "cl100k_tokens"),
    [
        ("東京は日本の首都である。", 13),
        ("Москва является столицей России.", 18),
        ("🎉🎉", 6),
    ],
)
def test_other_scripts_are_not_counted_too_low(text: str, cl100k_tokens: int) -> None:
    assert estimate_tokens(text) >= 0.8 * cl100k_tokens


def test_a_longer_text_never_counts_less() -> None:
    text = RECORDED[0]["text"]
    counts = [estimate_tokens(text[:end]) for end in range(0, len(text), 40)]
    assert counts == sorted(counts)
