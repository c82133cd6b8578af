"""Where the text units of an index stand in its documents."""

from __future__ import annotations

from hoptrail.indexing.ms_graphrag.folder import GivenIndex
from hoptrail.indexing.ms_graphrag.records import GivenDocument, TextUnit
from hoptrail.indexing.ms_graphrag.text_places import PlacedText, place_texts

TEXT = "One. Two. One. Three."


def place(text: str, *units: str) -> PlacedText:
    listed = [TextUnit(f"u{i}", i, unit, ("d",)) for i, unit in enumerate(units)]
    index = GivenIndex([GivenDocument("d", "numbers.txt", text)], listed, [], [], [], [])
    (placed,) = place_texts(index, "out", "out")
    return placed


def spans(placed: PlacedText) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in placed.chunks]


def test_units_that_overlap_keep_their_places() -> None:
    placed = place(TEXT, "One. Two.", "Two. One.", "One. Three.")
    assert spans(placed) == [(0, 9), (5, 14), (10, 21)]
    assert all(placed.document.text[c.start : c.end] == c.text for c in placed.chunks)


def test_a_repeated_text_stands_behind_the_unit_before_it() -> None:
    assert spans(place(TEXT, "One.", "Two.", "One.")) == [(0, 4), (5, 9), (10, 14)]


def test_metadata_before_a_unit_is_no_part_of_it() -> None:
    placed = place(TEXT, "title: numbers.txt.\nauthor: A. B..\nTwo. One.")
    assert spans(placed) == [(5, 14)]


def test_a_character_that_was_cut_through_is_left_out() -> None:
    assert spans(place("Añ b", "A\ufffd", "\ufffd b")) == [(0, 1), (3, 4)]


def test_a_document_without_its_units_is_made_of_them() -> None:
    placed = place("", "One.", "Two.")
    assert placed.document.text == "One.\n\nTwo."
    assert [chunk.text for chunk in placed.chunks] == ["One.", "Two."]
