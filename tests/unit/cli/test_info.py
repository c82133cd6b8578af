from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from hoptrail.cli.info import _show

LONG_ID = "notes/" * 20 + "mill.md"


def shown(
    *documents: dict[str, Any],
    levels: int = 0,
    counts: dict[str, int] | None = None,
    is_unfinished: bool = False,
    languages: dict[str, Any] | None = None,
) -> str:
    """Return what a terminal of 80 columns shows of a base with some documents."""
    row = {
        "doc_id": "notes/a.docx",
        "title": "Insurance of the society",
        "status": "extracted",
        "chunks": 1,
        "extracted": 1,
        "failed": 0,
        "llm_calls": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "usd": 0.0,
    }
    nothing = {"documents": 0, "chunks": 0, "entities": 0, "relations": 0, "merges": 0}
    facts: dict[str, Any] = {
        "name": "kb",
        "counts": nothing | {"documents": 1, "chunks": 2} | (counts or {}),
        "languages": languages or {},
        "embedder": None,
        "generation": 3,
        "format_version": 6,
        "communities": {"levels": levels, "communities": 7, "reports": 7, "stale": False},
        "description": "",
        "unpublished_changes": is_unfinished,
        "schema": {},
        "documents": [row | document for document in documents],
    }
    stream = io.StringIO()
    _show(facts, Console(file=stream, width=80))
    return stream.getvalue()


def test_what_is_stored_is_told_in_words() -> None:
    screen = shown(counts={"entities": 204, "relations": 1})

    assert "1 document in 2 passages" in screen
    assert "204 entities, joined by 1 relation" in screen
    assert "3 updates so far; stored in file format 6" in screen


def test_merges_are_told_where_there_are_some() -> None:
    assert "merged" not in shown()
    assert "2 names; hoptrail merges lists them" in shown(counts={"merges": 2})


def test_a_graph_without_text_holds_no_documents() -> None:
    screen = shown(counts={"documents": 0, "entities": 2, "relations": 1})

    assert "0 documents" not in screen
    assert "2 entities" in screen


def test_indexing_that_is_unfinished_is_told_with_how_to_go_on() -> None:
    screen = " ".join(shown(is_unfinished=True).split())

    assert "unfinished: indexing was interrupted" in screen
    assert "the same command (hoptrail index or sync) continues it" in screen
    assert "unfinished" not in shown()


def test_an_id_of_any_length_stays_on_one_line() -> None:
    assert LONG_ID in shown({"doc_id": LONG_ID}).splitlines()


def test_the_numbers_of_passages_stand_below_each_other() -> None:
    lines = shown(
        {"chunks": 7, "title": "Seven"},
        {"doc_id": LONG_ID, "chunks": 1212, "title": "Many"},
        {"doc_id": "磨坊.md", "chunks": 30, "title": "Thirty"},
    ).splitlines()

    sevens, many, thirty = (next(one for one in lines if one.endswith(t)) for t in SHOWN)
    ends = [sevens.index("7") + 1, many.index("1,212") + 5, thirty.index("30") + 2 + len("磨坊")]
    assert len(set(ends)) == 1


SHOWN = ("Seven", "Many", "Thirty")


def test_a_long_title_ends_in_an_ellipsis_within_the_width() -> None:
    line = shown({"title": "A title of many words " * 9}).splitlines()[-1]

    assert line.endswith("…")
    assert len(line) <= 80


def test_a_document_that_was_read_without_cost_needs_no_state() -> None:
    assert shown({}).splitlines()[-1].endswith("Insurance of the society")


def test_failures_and_costs_are_shown() -> None:
    screen = shown({"status": "partial", "failed": 3, "usd": 0.25})

    assert "Insurance of the society · partial · 3 failed · $0.25" in screen


def test_one_level_is_named_in_the_singular() -> None:
    assert "7 on 1 level, 7 with a report" in shown({}, levels=1)


def test_languages_are_told_by_name_with_what_rules_leave_out() -> None:
    told = {
        "en": {"documents": 1200, "sentences_by_rules": True},
        "de": {"documents": 3, "sentences_by_rules": False},
    }
    text = " ".join(shown(languages=told).split())
    assert "English: 1,200; German: 3 (rules read labels and rows alone)" in text
