from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.tokens import estimate_tokens

DATA = Path(__file__).parent / "data"
RECORDED = json.loads((DATA / "cl100k_counts.json").read_text("utf-8"))
HARD = json.loads((DATA / "tokenizer_counts.json").read_text("utf-8"))


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


@pytest.mark.parametrize("passage", HARD, ids=lambda passage: passage["name"])
def test_no_text_is_estimated_low_by_more_than_a_quarter(passage: dict[str, Any]) -> None:
    """`tokens` is the larger count of MiniLM's WordPiece and SmolLM2's byte-level BPE."""
    assert estimate_tokens(passage["text"]) >= 0.75 * passage["tokens"]


def test_a_run_of_punctuation_counts_by_its_length() -> None:
    assert estimate_tokens("-" * 300_000) >= 0.75 * 300_000


@pytest.mark.parametrize("text", ["-", "a", "Ab", "1", "é", " \n", "a-", "東"])
def test_estimating_a_longer_text_takes_proportionally_longer(text: str) -> None:
    def seconds(size: int) -> float:
        return min(once(f"x{text * (size // len(text))}x") for _ in range(3))

    def once(whole: str) -> float:
        started = time.process_time()
        estimate_tokens(whole)
        return time.process_time() - started

    assert seconds(400_000) < 12 * max(seconds(100_000), 0.01)
