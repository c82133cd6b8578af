from __future__ import annotations

import numpy as np
import pytest

from hoptrail.models.passage_reader import PassageReader, packed, unpacked

PASSAGE = (
    "Present: Agnes Holm (chair), Piet Vos, Ilse Kern. Apologies from Rolf Adler, who has a cold. "
    "The hall roof was mended by the firm Ostler for 4,300 euros."
)


def said(reader: PassageReader, question: str, text: str, title: str = "") -> str:
    (reading,) = reader.read(question, [(title, text)])
    return text[reading.start : reading.end]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who repaired the roof of the hall?", "Ostler"),
        ("How much did the roof cost?", "4,300 euros"),
        ("Who was missing from the meeting?", "Rolf Adler"),
    ],
)
def test_words_of_the_passage_answer(reader: PassageReader, question: str, answer: str) -> None:
    assert said(reader, question, PASSAGE) == answer


def test_a_title_is_read_but_is_no_answer(reader: PassageReader) -> None:
    (reading,) = reader.read("What is the title?", [("Minutes of May", PASSAGE)])
    assert 0 <= reading.start <= reading.end <= len(PASSAGE)


def test_the_end_of_a_long_passage_is_read(reader: PassageReader) -> None:
    filler = "The weather was fine and nobody had anything to add. " * 60
    assert said(reader, "Who repaired the roof of the hall?", filler + PASSAGE) == "Ostler"


def test_a_passage_that_says_nothing_of_it_is_told_from_one_that_answers(
    reader: PassageReader,
) -> None:
    other = "Lake Ostra is a glacial lake in the Brenn highlands, 14 kilometres long."
    silent, telling = reader.read(
        "Who repaired the roof of the hall?", [("", other), ("", PASSAGE)]
    )
    assert silent.stated < telling.stated
    assert silent.likely < telling.likely


@pytest.mark.parametrize(
    ("answer", "is_likely"),
    [("Ostler", True), ("the firm\nOSTLER", True), ("Piet Vos", False), ("a cold", False)],
)
def test_words_are_as_likely_as_they_stand_in_the_place_of_the_answer(
    reader: PassageReader, answer: str, is_likely: bool
) -> None:
    likely = reader.likelihood("Who repaired the roof of the hall?", [("", PASSAGE)], answer)
    assert likely is not None
    assert (likely > 0.3) == is_likely
    assert is_likely or likely < 0.02


@pytest.mark.parametrize("answer", ["Rosa", "", "Piet (Vos"])
def test_words_that_a_passage_lacks_have_no_likelihood(reader: PassageReader, answer: str) -> None:
    assert reader.likelihood("Who was there?", [("", PASSAGE)], answer) is None


def test_an_endless_question_leaves_room_for_the_passage(reader: PassageReader) -> None:
    asked = "Who repaired the roof of the hall, " + "and by the way, " * 400
    (reading,) = reader.read(asked, [("", PASSAGE)])
    assert reading.end > reading.start


@pytest.mark.parametrize("text", ["", " \n", "."])
def test_a_passage_without_words_has_no_answer(reader: PassageReader, text: str) -> None:
    (reading,) = reader.read("Who repaired the roof?", [("", text)])
    assert not text[reading.start : reading.end].strip(" \n.")


def test_what_was_read_is_not_read_again(
    reader: PassageReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "Who is the chair?"
    before = reader.read(asked, [("", PASSAGE), ("Minutes", PASSAGE)])
    monkeypatch.setattr(reader, "_run", None)
    assert reader.read(asked, [("Minutes", PASSAGE), ("", PASSAGE)]) == before[::-1]


def test_no_passage_gives_no_reading(reader: PassageReader) -> None:
    assert reader.read("Who?", []) == []


def test_packed_weights_are_the_trained_ones_to_within_half_a_step() -> None:
    made = np.random.default_rng(0)
    base = {"layer.weight": made.normal(size=(4, 6)).astype(np.float32)}
    change = made.normal(scale=0.01, size=(4, 6)).astype(np.float32)
    trained = {"layer.weight": base["layer.weight"] + change, "head.bias": np.ones(2, np.float32)}
    again = unpacked(packed(trained, base), base)
    step = np.abs(change).max(axis=1, keepdims=True) / 127
    assert np.all(np.abs(again["layer.weight"] - trained["layer.weight"]) <= 0.51 * step)
    assert np.array_equal(again["head.bias"], trained["head.bias"])
