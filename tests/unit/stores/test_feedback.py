"""Words of readers on answers, in the file beside a base."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, KnowledgeBaseError
from hoptrail.core.types import Answer, Feedback, Verdict
from hoptrail.stores import feedback
from hoptrail.stores.feedback import FEEDBACK_NAME, FeedbackEntries, FeedbackFile

SCRIPT = "<script>alert(1)</script>\x1b[31m"
ENTRY = Feedback(
    "a",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00",
    "ana",
    Answer("Who?", "Edda", standalone_question="Who founded it?"),
    "talk",
    "bad",
    correction=SCRIPT,
    documents={"t/a": "0f"},
    versions={"hoptrail": "1"},
)


@pytest.fixture
def entries(tmp_path: Path) -> FeedbackEntries:
    return FeedbackEntries(FeedbackFile(tmp_path))


def test_an_entry_is_kept_as_it_was_given(entries: FeedbackEntries) -> None:
    entries.put(ENTRY)

    assert entries.find("a") == ENTRY
    assert entries.latest() == [ENTRY]
    assert entries.counts() == {"good": 0, "bad": 1, "none": 0}


def test_nothing_is_made_before_the_first_word(entries: FeedbackEntries, tmp_path: Path) -> None:
    assert (entries.latest(), entries.remove("a")) == ([], False)
    assert not any(entries.counts().values())
    assert list(tmp_path.iterdir()) == []


def test_a_reader_has_one_word_on_an_answer(entries: FeedbackEntries) -> None:
    entries.put(ENTRY)
    again = replace(ENTRY, id="b", created="2026-02-01", updated="2026-02-01", verdict="good")

    stored = entries.put(again)

    assert (stored.id, stored.created, stored.updated) == ("a", ENTRY.created, "2026-02-01")
    assert entries.latest() == [stored]


def test_another_reader_and_another_answer_have_their_own(entries: FeedbackEntries) -> None:
    entries.put(ENTRY)
    entries.put(replace(ENTRY, id="b", reader="ben"))
    entries.put(replace(ENTRY, id="c", answer=replace(ENTRY.answer, text="Ida")))

    assert {one.id for one in entries.latest()} == {"a", "b", "c"}
    assert [one.id for one in entries.of_thread("talk", "ben")] == ["b"]


def test_the_list_is_told_by_verdict_and_in_parts(entries: FeedbackEntries) -> None:
    for number in range(5):
        verdict: Verdict = "good" if number % 2 else "bad"
        answer = replace(ENTRY.answer, text=str(number))
        updated = f"2026-01-0{number + 1}"
        entries.put(replace(ENTRY, id=str(number), answer=answer, updated=updated, verdict=verdict))

    assert [one.id for one in entries.latest(limit=2, offset=1)] == ["3", "2"]
    assert [one.id for one in entries.latest(verdict="good")] == ["3", "1"]


def test_an_answer_that_is_too_long_is_refused(entries: FeedbackEntries) -> None:
    with pytest.raises(InputError, match="1,000,000 can be kept"):
        entries.put(replace(ENTRY, answer=Answer("Who?", "x" * 1_000_001)))


def test_a_reader_has_so_many_entries_and_may_change_them_still(
    entries: FeedbackEntries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feedback, "MOST_OF_READER", 1)
    entries.put(ENTRY)

    with pytest.raises(InputError, match="as many as one reader may have"):
        entries.put(replace(ENTRY, id="b", answer=Answer("What?", "x")))
    entries.put(replace(ENTRY, verdict="good"))
    entries.put(replace(ENTRY, id="c", reader="ben"))

    assert [one.verdict for one in entries.latest()] == ["bad", "good"]


def test_a_damaged_file_is_told_in_a_line(entries: FeedbackEntries, tmp_path: Path) -> None:
    (tmp_path / FEEDBACK_NAME).write_bytes(b"no database " * 100)

    with pytest.raises(KnowledgeBaseError, match="cannot be read"):
        entries.latest()
    with pytest.raises(KnowledgeBaseError, match="cannot be written"):
        entries.put(ENTRY)
