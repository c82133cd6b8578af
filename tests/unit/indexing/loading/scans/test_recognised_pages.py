"""Text of the blocks of recognised pages, and where their words stand."""

from __future__ import annotations

from hoptrail.indexing.loading.readers.content import Block
from hoptrail.indexing.loading.reading_order import (
    RecognisedLine,
    RecognisedPage,
    RecognisedWord,
)
from hoptrail.indexing.loading.scans.recognised_pages import (
    MemoryShelf,
    SecondShelf,
    blocks_of_pages,
    placed,
)
from tests.scanned import column, line, page


def blocks(*pages: RecognisedPage) -> list[Block]:
    places = [f"page {number}" for number, _ in enumerate(pages, 1)]
    return [block for own in blocks_of_pages(pages, places) for block in own]


def table(*rows: tuple[str, ...], top: int = 100) -> list[RecognisedLine]:
    return [
        line(cell, 80 + 300 * column, top + 50 * number)
        for number, row in enumerate(rows)
        for column, cell in enumerate(row)
        if cell
    ]


def test_lines_that_lacked_room_are_joined() -> None:
    (block,) = blocks(page(*column(["The mill stands at the brook and", "grinds rye."], 80, 100)))
    assert block.text == "The mill stands at the brook and grinds rye."


def test_every_word_of_a_block_has_its_place_and_its_box() -> None:
    (block,) = blocks(page(*column(["The mill is of oak and", "was built in 1911."], 80, 100)))
    told = [block.text[word.start : word.end] for word in block.words]
    assert told == block.text.split()
    assert block.words[-1].box[1] == 136


def test_both_halves_of_a_split_word_have_their_boxes() -> None:
    texts = ["It was made by the observ-", "atory of the town of Ulvik."]
    (block,) = blocks(page(*column(texts, 80, 100)))
    assert "the observatory of" in block.text
    told = [block.text[word.start : word.end] for word in block.words]
    assert told[5:7] == ["observ", "atory"]


def test_rows_of_a_table_have_the_names_of_its_columns() -> None:
    rows = (("Pump", "Make", "Price"), ("P1", "Grundfos", "120"), ("P2", "Wilo", "95"))
    found = blocks(page(*table(*rows)))
    assert [block.text for block in found] == [
        "Pump: P1; Make: Grundfos; Price: 120",
        "Pump: P2; Make: Wilo; Price: 95",
    ]
    assert [found[1].text[word.start : word.end] for word in found[1].words] == ["P2", "Wilo", "95"]


def test_an_empty_cell_leaves_the_others_in_their_columns() -> None:
    rows = (("Pump", "Make", "Price"), ("P1", "", "120"), ("P2", "Wilo", "95"))
    assert blocks(page(*table(*rows)))[0].text == "Pump: P1; Price: 120"


def test_a_cell_that_goes_on_below_is_one_cell() -> None:
    rows = [("Pump", "Use", "Price"), ("P1", "water from", "120"), ("P2", "oil", "95")]
    lines = table(*rows)
    lines.append(line("the well", 380, 176))
    found = blocks(page(*lines))
    assert found[0].text == "Pump: P1; Use: water from the well; Price: 120"


def test_labels_and_values_are_told_as_pairs() -> None:
    rows = (("Name", "Ida Holm"), ("Town", "Ulvik"), ("Trade", "Cooper"))
    found = [block.text for block in blocks(page(*table(*rows)))]
    assert found == ["Name: Ida Holm", "Town: Ulvik", "Trade: Cooper"]


def test_two_columns_with_figures_below_words_are_a_table() -> None:
    rows = (("Cargo", "Barrels"), ("Tar", "12"), ("Salt", "40"))
    assert blocks(page(*table(*rows)))[0].text == "Cargo: Tar; Barrels: 12"


def test_text_above_and_below_a_table_stands_alone() -> None:
    above, below = line("The prices of the spring", 80, 20), line("They hold until May.", 80, 400)
    rows = (("Pump", "Make", "Price"), ("P1", "Grundfos", "120"), ("P2", "Wilo", "95"))
    found = [block.text for block in blocks(page(above, *table(*rows), below))]
    assert (found[0], found[-1]) == (above.text, below.text)


def test_what_every_page_repeats_is_left_out() -> None:
    bodies = (
        ["The mill stands at the brook.", "It grinds rye for the whole town.", "Its wheel is new."],
        ["The guild pays for the bridge.", "Carts cross it from dawn to dusk.", "It has a toll."],
        ["No light burns at the pier.", "Ships wait there until the morning.", "It is of oak."],
    )
    pages = [page(line("Annual report", 400, 20), *column(body, 80, 200)) for body in bodies]
    text = "\n".join(block.text for block in blocks(*pages))
    assert "Annual report" not in text
    assert all(sentence in text for body in bodies for sentence in body)


def test_pages_that_say_the_same_are_kept() -> None:
    form = page(line("Name of the ship", 400, 20), *column(["Her master", "Her port"], 80, 200))
    assert all("Her master" in block.text for block in blocks(form, form, form))


def test_a_sentence_that_goes_on_on_the_next_page_is_not_cut() -> None:
    first, second = page(line("The mill was sold to the", 80, 100)), page(line("miller.", 80, 100))
    assert [block.continues for block in blocks(first, second)] == [False, True]


def test_a_word_is_not_found_within_another_one() -> None:
    words = line("an Area", 0, 0).words
    assert [(word.start, word.end) for word in placed("Ranch: an; Area", words)] == [
        (7, 9),
        (11, 15),
    ]


def test_a_headline_in_larger_letters_is_a_block_of_its_own() -> None:
    small = column(["The mill stands at the brook.", "It is of oak.", "Its wheel is new."], 80, 160)
    large = line("The mill of Ulvik", 80, 100)
    words = tuple(
        RecognisedWord(word.text, (*word.box[:5], 140, word.box[6], 140), 1.0)
        for word in large.words
    )
    found = blocks(page(RecognisedLine(words, large.box), *small))
    assert found[0].text == "The mill of Ulvik"
    assert found[1].text.startswith("The mill stands")


def test_a_picture_that_another_shelf_has_is_not_read_again() -> None:
    own, other = MemoryShelf(), MemoryShelf()
    other.put_scan("a", "reader", "of the other", b"")
    shelf = SecondShelf(own, other)
    shelf.put_scan("b", "reader", "of its own", b"")
    assert shelf.known_scans("reader") == {"a", "b"}
    assert (shelf.scan("a"), shelf.scan("b"), shelf.scan("c")) == (
        "of the other",
        "of its own",
        None,
    )
    assert other.known_scans("reader") == {"a"}
