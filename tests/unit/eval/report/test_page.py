"""The page of a run and of a comparison."""

from __future__ import annotations

from typing import Any

from hoptrail.eval.figures.comparison import compare_runs
from hoptrail.eval.report.page import Room, question_list, render_report
from tests.unit.eval.report.page_reader import PageReader
from tests.unit.eval.report.runs import make_row, make_run

RIGHT = {"accuracy": 1.0, "abstain_rate": 0.0, "coverage": 1.0}
WRONG = {"accuracy": 0.0, "abstain_rate": 0.0, "coverage": 1.0}
USAGE = {"llm_calls": 1, "prompt_tokens": 90, "completion_tokens": 10, "seconds": 1.0, "usd": 0.0}

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


def answered(number: int, scores: dict[str, float], **fields: Any) -> dict[str, Any]:
    return make_row(number, scores=scores, usage=USAGE, answer="Ann Lee", **fields)


def test_figures_stand_with_their_intervals() -> None:
    rows = [make_row(1, scores={"recall@5": 1.0}), make_row(2, scores={"recall@5": 0.5})]
    page = PageReader(render_report([make_run("retriever:ket", rows)]))
    (figures,) = [row for row in page.rows if row[0] == "recall@5"]
    assert figures[1] == "0.7500.500 to 1.000"


def test_what_was_not_measured_is_left_out() -> None:
    page = PageReader(render_report([make_run("retriever:ket", [make_row(1)])]))
    assert "exact match" not in [row[0] for row in page.rows]


def test_texts_are_escaped_and_nothing_is_loaded_from_elsewhere() -> None:
    row = answered(1, RIGHT, context="</script><script>alert(1)</script>")
    html = render_report([make_run("preset:<i>x</i>", [row])])
    page = PageReader(html)
    assert "Is <b>1 & 2</b> bold?" in page.text
    assert "<b>1 &" not in html and "<i>x" not in html and "<script>alert" not in html
    assert page.links == []
    assert "http" not in html.replace("http-equiv", "")


def test_every_text_of_a_run_is_escaped() -> None:
    hostile = '"><evil onload="1">&amp;'
    texts = ("claim", "subject", "predicate", "object", "quote", "doc_id")
    spent = {**USAGE, "by_node": {hostile: USAGE}}
    row = make_row(
        1,
        scores=RIGHT,
        question=hostile,
        type=hostile,
        answer=hostile,
        answers=[{"text": "Ann Lee"}, {"text": hostile}],
        context=hostile,
        gold={"answers": [hostile], "documents": [hostile]},
        trail=[{**dict.fromkeys(texts, hostile), "supported": True}],
        passages=[{"rank": hostile, "doc_id": "d2", "title": hostile, "text": hostile}],
        failure={"code": hostile, "message": hostile},
        usage=spent,
    )
    other_kind = {**row, "id": "q2", "type": "other"}
    abstained = {**row, "abstained": True, "abstain_reason": hostile}
    record = {"command": hostile, hostile: {hostile: hostile}, "version": hostile}
    first = make_run(hostile, [row, other_kind], **record)
    second = make_run(f"{hostile}2", [abstained, other_kind], **record)
    pages = (
        render_report([first]),
        render_report([first, second], compare_runs([first, second])),
    )
    for html in pages:
        assert html.startswith("<!doctype html>\n")
        page = PageReader(html)
        assert "evil" not in page.elements
        assert "onload" not in page.attributes
        assert page.text.count(hostile) >= 20


def test_the_command_and_the_settings_are_shown() -> None:
    run = make_run("retriever:ket", [make_row(1)], command="hoptrail eval --kb kb", seed=42)
    page = PageReader(render_report([run]))
    assert "hoptrail eval --kb kb" in page.text
    assert ["seed", "42"] in page.rows


def test_questions_carry_their_outcomes_for_the_filter() -> None:
    baseline = make_run("preset:a", [answered(1, RIGHT), answered(2, WRONG)])
    other = make_run("preset:b", [answered(1, WRONG), answered(2, WRONG)])
    page = PageReader(render_report([baseline, other], compare_runs([baseline, other])))
    assert [question["data-outcomes"] for question in page.questions] == [
        "correct reasoning",
        "reasoning reasoning",
    ]
    assert ["data-flip" in question for question in page.questions] == [True, False]


def test_a_comparison_shows_differences_to_the_baseline() -> None:
    baseline = make_run("preset:a", [answered(n, WRONG) for n in range(10)])
    other = make_run("preset:b", [answered(n, RIGHT) for n in range(10)])
    page = PageReader(render_report([baseline, other], compare_runs([baseline, other])))
    paired = next(row for row in page.rows if row[0] == "accuracy")
    assert paired[1:3] == ["10", "0.000"]
    assert paired[3].startswith("1.000 +1.000+1.000 to +1.000, p < 0.001")
    assert paired[3].endswith("10 higher, 0 lower, McNemar p 0.002")


def test_questions_without_a_pair_are_left_out_and_counted() -> None:
    baseline = make_run("preset:a", [answered(1, RIGHT), answered(2, WRONG)])
    other = make_run("preset:b", [answered(2, WRONG)])
    page = PageReader(render_report([baseline, other], compare_runs([baseline, other])))
    assert len(page.questions) == 1
    assert "left out: 1 of preset:a" in page.text


def test_a_run_of_no_questions_has_a_page() -> None:
    PageReader(render_report([make_run("retriever:ket", [])]))


def test_an_older_record_without_command_and_intervals_has_a_page() -> None:
    run = make_run("retriever:ket", [make_row(1, scores={"recall@5": 1.0})])
    del run.summary["ci95"], run.summary["by_type"], run.run["questions"]
    assert "1.000" in PageReader(render_report([run])).text


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
