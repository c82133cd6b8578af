"""Conversations and answers of before show "deleted" for what deleted documents said."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.types import Answer
from hoptrail.core.types.answer import DELETED
from tests.ships import FACTS, QUESTION, hashing_settings, index_ships

YARD = "The Alder Yard was founded by Edda Thorn."
SHIP = FACTS["Morning Tern"]


@pytest.fixture
def hoptrail(tmp_path: Path) -> Iterator[Hoptrail]:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    with Hoptrail.open(tmp_path / "kb", settings=settings, preset="offline") as opened:
        yield opened


def quotes(answer: Answer) -> dict[str | None, str | None]:
    return {hop.doc_id: hop.quote for hop in answer.trail.hops}


def stored_values(hoptrail: Hoptrail) -> bytes:
    with closing(sqlite3.connect(hoptrail.stored.path / "threads.sqlite")) as file:
        rows = [*file.execute("SELECT checkpoint FROM checkpoints")]
        rows += file.execute("SELECT value FROM writes")
    return b"".join(value for (value,) in rows if value)


def test_an_answer_of_before_loses_the_quotes_of_deleted_documents(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION)
    assert quotes(answer) == {"t/Morning Tern": SHIP, "t/Alder Yard": YARD}
    assert hoptrail.without_deleted(answer) == answer

    hoptrail.delete(["t/Alder Yard"])

    shown = hoptrail.without_deleted(answer)
    assert quotes(shown) == {"t/Morning Tern": SHIP, "t/Alder Yard": DELETED}
    assert {one.doc_id: one.quote for one in shown.citations}["t/Alder Yard"] == DELETED
    assert all(YARD not in one.sentence for one in shown.nearest)
    assert shown.text == "Edda Thorn"


def test_a_step_whose_document_was_deleted_is_no_longer_supported(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION, thread_id="talk")
    hoptrail.delete(["t/Alder Yard"])

    kept = hoptrail.turns("talk")[-1].answer
    assert kept is not None
    for shown in (kept, hoptrail.without_deleted(answer)):
        assert {
            hop.doc_id: (hop.support, hop.supported, hop.is_gone) for hop in shown.trail.hops
        } == {
            "t/Morning Tern": ("stated", True, False),
            "t/Alder Yard": ("none", False, True),
        }


def test_a_stored_conversation_holds_deleted_in_place_of_the_quotes(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="talk")
    assert YARD.encode() in stored_values(hoptrail)

    hoptrail.delete(["t/Alder Yard"])

    left = stored_values(hoptrail)
    assert YARD.encode() not in left
    assert SHIP.encode() in left
    assert DELETED.encode() in left


def test_no_file_of_the_base_holds_the_quotes(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="talk")
    hoptrail.delete(["t/Alder Yard"])
    folder = hoptrail.stored.path
    hoptrail.close()

    files = [path for path in folder.rglob("*") if path.is_file()]
    assert [path.name for path in files if YARD.encode() in path.read_bytes()] == []


def test_the_conversation_goes_on(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="talk")
    hoptrail.delete(["t/Alder Yard"])

    follow_up = hoptrail.ask("Where was she born?", thread_id="talk")

    assert (follow_up.standalone_question, follow_up.text) == (
        "Where was Edda Thorn born?",
        "Brackenholm",
    )


def test_reports_that_rest_on_a_deleted_document_go_with_it(hoptrail: Hoptrail) -> None:
    hoptrail.communities(extractive=True)
    gone = {chunk.id for chunk in hoptrail.stored.iter_chunks() if chunk.doc_id == "t/Edda Thorn"}
    assert gone & resting_on(hoptrail)

    hoptrail.delete(["t/Edda Thorn"])

    assert not gone & resting_on(hoptrail)


def resting_on(hoptrail: Hoptrail) -> set[str]:
    """Return the passages that reports rest on."""
    findings = (finding for report in hoptrail.reports() for finding in report.findings)
    return {id_ for finding in findings for id_ in finding.chunk_ids}
