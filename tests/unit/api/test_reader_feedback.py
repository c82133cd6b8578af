"""Feedback and saved answers of a knowledge base, from the answer on to what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.types import Document
from hoptrail.core.types.answer import DELETED
from hoptrail.core.types.feedback import saved_words
from hoptrail.stores.feedback import FEEDBACK_NAME
from tests.ships import FACTS, QUESTION, hashing_settings, index_ships

YARD = "t/Alder Yard"
YARD_WORDS = "The Alder Yard was founded by Edda Thorn."
RIGHT = "Edda Thorn, engineer"


@pytest.fixture
def hoptrail(tmp_path: Path) -> Iterator[Hoptrail]:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    with Hoptrail.open(tmp_path / "kb", settings=settings, preset="offline") as opened:
        yield opened


def change(hoptrail: Hoptrail) -> None:
    text = f"{FACTS['Alder Yard']} It closed in 1930."
    hoptrail.index([Document(YARD, "Alder Yard", text, "t")], extractor="nlp")


def test_feedback_is_kept_with_answer_documents_and_versions(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION)

    entry = hoptrail.feedback(answer, correction=RIGHT, comment=" see the book ", reader="ana")

    assert hoptrail.feedback_entries() == [entry]
    assert (entry.verdict, entry.correction, entry.comment) == ("bad", RIGHT, "see the book")
    assert entry.answer == answer
    assert entry.documents[YARD] == hoptrail.stored.content_hashes()[YARD]
    assert entry.versions["embedder"] == "hashing"
    assert "model" not in entry.versions


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "nothing is said"),
        ({"comment": "   "}, "nothing is said"),
        ({"comment": "x" * 10_001}, "10,001 characters"),
        ({"verdict": "great"}, "'great' is no verdict"),
        ({"correction": 7}, "no text but int"),
    ],
)
def test_what_cannot_be_kept_is_refused(
    hoptrail: Hoptrail, said: dict[str, object], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        hoptrail.feedback(hoptrail.ask(QUESTION), **said)  # type: ignore[arg-type]
    assert hoptrail.feedback_entries() == []


def test_a_reader_deletes_own_feedback_and_nobody_elses(hoptrail: Hoptrail) -> None:
    entry = hoptrail.feedback(hoptrail.ask(QUESTION), "good", reader="ana")

    with pytest.raises(UnknownNameError):
        hoptrail.delete_feedback(entry.id, reader="ben")
    hoptrail.delete_feedback(entry.id, reader="ana")

    assert hoptrail.feedback_entries() == []


def test_a_saved_answer_is_given_with_its_evidence(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION)
    saved = hoptrail.save_answer(answer, RIGHT, reader="ana")

    again = hoptrail.ask(f"{QUESTION.lower()} ")

    assert (again.text, again.strategy, again.abstained) == (RIGHT, "saved", False)
    assert (again.trail, again.citations) == (answer.trail, answer.citations)
    assert again.saved is not None
    assert (again.saved.by, again.saved.on, again.saved.corrected) == ("ana", saved.created, True)
    assert hoptrail.ask(QUESTION, saved_answers=False).text == "Edda Thorn"
    hoptrail.delete_saved_answer(saved.id)
    assert hoptrail.ask(QUESTION).text == "Edda Thorn"


def test_one_for_its_reader_alone_is_given_to_no_other(hoptrail: Hoptrail) -> None:
    hoptrail.save_answer(hoptrail.ask(QUESTION), RIGHT, reader="ana", shared=False)

    assert hoptrail.ask(QUESTION).saved is None
    assert hoptrail.ask(QUESTION, reader="ana").text == RIGHT


def test_an_answer_to_what_was_not_known_shows_what_stood_nearest(hoptrail: Hoptrail) -> None:
    unknown = hoptrail.ask("Who painted the Morning Tern?")
    assert unknown.abstained

    with pytest.raises(InputError, match="no answer to save"):
        hoptrail.save_answer(unknown)
    hoptrail.save_answer(unknown, "Ida Holm")

    again = hoptrail.ask("Who painted the Morning Tern?")
    assert (again.text, again.abstained) == ("Ida Holm", False)
    assert again.nearest == unknown.nearest


def test_a_change_of_a_document_behind_it_ends_it_and_is_told(hoptrail: Hoptrail) -> None:
    hoptrail.save_answer(hoptrail.ask(QUESTION), RIGHT)

    change(hoptrail)

    again = hoptrail.ask(QUESTION)
    assert again.text == "Edda Thorn"
    assert again.saved is not None
    assert (again.saved.stands, again.saved.changed) == (False, (YARD,))
    [(_, note)] = hoptrail.saved_answers()
    assert not note.stands


def test_a_correction_rests_on_the_documents_that_state_it(hoptrail: Hoptrail) -> None:
    wrong = hoptrail.ask("Where was the founder of the Alder Yard born?")
    hoptrail.index([Document("t/Born", "Edda Thorn (2)", "She was born in Sunder Bay.", "t")])

    saved = hoptrail.save_answer(wrong, "sunder bay")

    assert (saved.stated, [*saved.documents]) == (True, ["t/Born"])
    change(hoptrail)  # a document of the answer that it corrects
    again = hoptrail.ask("Where was the founder of the Alder Yard born?")
    assert (again.text, len(again.trail.hops)) == ("sunder bay", 0)
    assert [one.sentence for one in again.nearest] == ["She was born in Sunder Bay."]
    hoptrail.delete(["t/Born"])
    ended = hoptrail.ask("Where was the founder of the Alder Yard born?")
    assert ended.saved is not None
    assert (ended.saved.stands, ended.saved.deleted) == (False, ("t/Born",))


def test_a_correction_rests_on_the_documents_that_it_names(hoptrail: Hoptrail) -> None:
    saved = hoptrail.save_answer(hoptrail.ask(QUESTION), "Miss Thorn", documents=["t/Edda Thorn"])

    assert (saved.stated, [*saved.documents]) == (False, ["t/Edda Thorn"])
    assert [one.doc_id for one in saved.nearest] == ["t/Edda Thorn"]
    with pytest.raises(InputError, match="not there: t/Nobody"):
        hoptrail.save_answer(hoptrail.ask(QUESTION), "Miss Thorn", documents=["t/Nobody"])


def test_a_correction_is_found_wherever_a_named_document_states_it(hoptrail: Hoptrail) -> None:
    said = "The yard that built the Morning Tern was founded by Miss Thorn."
    text = "\n\n".join([*(f"Ship {n} was launched in spring. " * 8 for n in range(40)), said])
    hoptrail.index([Document("t/List", "List", text, "t")], extractor="nlp", chunk_tokens=60)

    saved = hoptrail.save_answer(hoptrail.ask(QUESTION), "Miss Thorn", documents=["t/List"])

    assert saved.stated
    assert [one.sentence for one in saved.nearest] == [said]


def test_a_correction_that_no_passage_states_rests_on_the_answers_documents(
    hoptrail: Hoptrail,
) -> None:
    saved = hoptrail.save_answer(hoptrail.ask(QUESTION), "Ida Holm")

    assert (saved.stated, YARD in saved.documents) == (False, True)
    note = hoptrail.ask(QUESTION).saved
    assert note is not None
    assert "no passage with its words was found" in saved_words(note)


def test_a_deleted_document_ends_it_and_leaves_no_word(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION)
    hoptrail.feedback(answer, "good")
    hoptrail.save_answer(answer)

    hoptrail.delete([YARD])

    saved = hoptrail.ask(QUESTION).saved
    assert saved is not None
    assert (saved.stands, saved.deleted) == (False, (YARD,))
    [entry] = hoptrail.feedback_entries()
    assert [hop.quote for hop in entry.answer.trail.hops] == [FACTS["Morning Tern"], DELETED]
    assert YARD_WORDS.encode() not in (hoptrail.stored.path / FEEDBACK_NAME).read_bytes()


def test_a_filter_hides_what_rests_on_documents_outside_of_it(hoptrail: Hoptrail) -> None:
    hoptrail.save_answer(hoptrail.ask(QUESTION), RIGHT)
    both = "title in (Morning Tern, Alder Yard)"

    assert hoptrail.ask(QUESTION, filter=both).text == RIGHT
    assert hoptrail.ask(QUESTION, filter="title = Morning Tern").saved is None
    assert hoptrail.saved_answers(filter="title = Morning Tern") == []
    assert len(hoptrail.saved_answers(filter=both)) == 1
    assert hoptrail.saved_answer(QUESTION, filter="title = Morning Tern") is None
    assert hoptrail.saved_answer(QUESTION, filter=both) is not None


def test_nothing_is_saved_that_rests_on_documents_outside_of_a_filter(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION)

    with pytest.raises(InputError, match=f"not there: {YARD}"):
        hoptrail.save_answer(answer, filter="title = Morning Tern")


def test_a_follow_up_question_is_matched_by_what_it_means(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="talk")
    hoptrail.save_answer(hoptrail.ask("Where was she born?", thread_id="talk"), "Brackenholm, 1809")

    assert hoptrail.ask("Where was she born?").saved is None
    hoptrail.ask(QUESTION, thread_id="other")
    again = hoptrail.ask("Where was she born?", thread_id="other")

    assert again.text == "Brackenholm, 1809"
    assert [turn.answer.text for turn in hoptrail.turns("other")] == ["Edda Thorn", again.text]


def test_a_conversation_goes_on_behind_a_saved_answer(hoptrail: Hoptrail) -> None:
    hoptrail.save_answer(hoptrail.ask(QUESTION))

    hoptrail.ask(QUESTION, thread_id="talk")

    assert "Brackenholm" in hoptrail.ask("Where was she born?", thread_id="talk").text


def test_an_answer_that_is_saved_anew_is_still_told_as_a_correction(hoptrail: Hoptrail) -> None:
    hoptrail.save_answer(hoptrail.ask(QUESTION), RIGHT)

    again = hoptrail.save_answer(hoptrail.ask(QUESTION))

    assert (again.text, again.corrected) == (RIGHT, True)


def test_a_backup_has_feedback_and_saved_answers(hoptrail: Hoptrail, tmp_path: Path) -> None:
    answer = hoptrail.ask(QUESTION)
    entry = hoptrail.feedback(answer, "good")
    hoptrail.save_answer(answer, RIGHT)

    assert FEEDBACK_NAME in hoptrail.backup(tmp_path / "kb.zip")
    Hoptrail.restore(tmp_path / "kb.zip", tmp_path / "copy")

    with Hoptrail.open(tmp_path / "copy", settings=hashing_settings(), preset="offline") as copy:
        assert copy.feedback_entries() == [entry]
        assert copy.ask(QUESTION).text == RIGHT


def test_an_answer_of_another_base_is_not_saved(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION)
    foreign = replace(answer, citations=(replace(answer.citations[0], doc_id="x/other"),))

    with pytest.raises(InputError, match="not there: x/other"):
        hoptrail.save_answer(foreign)


def test_a_damaged_file_is_told_and_the_documents_answer(hoptrail: Hoptrail) -> None:
    (hoptrail.stored.path / FEEDBACK_NAME).write_bytes(b"no database " * 100)

    answer = hoptrail.ask(QUESTION)

    assert answer.text == "Edda Thorn"
    assert any("saved answers were passed over" in line for line in answer.degraded)


def test_a_file_whose_tables_are_being_made_holds_nothing_yet(hoptrail: Hoptrail) -> None:
    (hoptrail.stored.path / FEEDBACK_NAME).touch()

    answer = hoptrail.ask(QUESTION)

    assert (answer.text, answer.degraded) == ("Edda Thorn", ())
    assert hoptrail.feedback_entries() == []
    hoptrail.save_answer(answer, RIGHT)
    found = hoptrail.saved_answer(QUESTION)
    assert found is not None
    assert (found[0].text, found[1].stands) == (RIGHT, True)
