"""The drill-down of a page."""

from __future__ import annotations

from typing import Any

from hoptrail.eval.report.questions import Room, question_list
from tests.unit.eval.report.page_reader import PageReader
from tests.unit.eval.report.runs import make_row

HOP = {
    "hop": 1,
    "claim": "the ship was built at the yard",
    "subject": "ship",
    "predicate": "built at",
    "object": "yard",
    "supported": False,
    "doc_id": "d1",
    "quote": "The ship was built here.",
}
PASSAGES = [
    {"rank": 1, "doc_id": "d2", "title": "Yard", "text": "A yard. " * 400},
    {"rank": 2, "doc_id": "d1", "title": "Ship", "text": "A ship."},
]
ANSWER = {"accuracy": 1.0, "abstain_rate": 0.0}


def text_of(row: dict[str, Any]) -> str:
    return PageReader("".join(question_list(["run"], [[row]]))).text


def test_a_trail_shows_claim_triple_mark_and_quote() -> None:
    text = text_of(make_row(1, trail=[HOP], scores=ANSWER))
    assert "not supported the ship was built at the yardship | built at | yard" in text
    assert "The ship was built here.d1" in text


def test_a_partly_stated_hop_is_marked_so() -> None:
    text = text_of(make_row(1, trail=[{**HOP, "support": "partly"}], scores=ANSWER))
    assert "partly supported the ship was built at the yard" in text


def test_gold_passages_are_marked_and_missing_gold_is_named() -> None:
    row = make_row(1, passages=PASSAGES)
    row["gold"]["documents"] = ["d1", "d9"]
    text = text_of(row)
    assert "Ship gold d1" in text
    assert "Yard  d2" in text
    assert "gold documents not found d9" in text


def test_long_texts_are_cut() -> None:
    text = text_of(make_row(1, passages=PASSAGES, context="word " * 5000))
    assert len(text) < 6000
    assert "…" in text


def test_the_room_of_a_row_keeps_large_pages_small() -> None:
    for rows in (1, 100, 500, 2000):
        room = Room.for_rows(rows)
        assert rows * (10 * room.passage + room.evidence) <= 1_500_000
    assert Room.for_rows(100) == Room(500, 3000)


def test_an_abstention_shows_its_reason_and_a_crash_its_message() -> None:
    abstained = make_row(
        1,
        abstained=True,
        abstain_reason="unverified",
        answer="",
        scores={"accuracy": 0.0, "abstain_rate": 1.0},
    )
    assert "answer none (unverified)" in text_of(abstained)
    crashed = make_row(1, failure={"code": "model", "message": "the server is down"})
    assert "model: the server is down" in text_of(crashed)


def test_usage_is_shown_by_node() -> None:
    spent = {
        "llm_calls": 1,
        "prompt_tokens": 1200,
        "completion_tokens": 7,
        "seconds": 0.5,
        "usd": 0.01,
    }
    row = make_row(1, usage={**spent, "by_node": {"answer": spent}})
    page = PageReader("".join(question_list(["run"], [[row]])))
    assert ["answer", "1", "1,200", "7", "0.500 s", "$0.010"] in page.rows
