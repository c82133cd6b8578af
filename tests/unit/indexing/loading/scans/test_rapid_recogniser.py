"""Spaces that a recogniser left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoptrail.indexing.loading.scans.rapid_recogniser import with_missing_spaces

HEIGHT, LETTER, SPACE = 40, 16, 12


def drawn(text: str, *, ink: int = 0, ground: int = 255) -> tuple[list[float], NDArray[np.uint8]]:
    """Return the middles of the letters and the picture of a line, each letter a block."""
    width = sum(SPACE if letter == " " else LETTER for letter in text) + 2 * SPACE
    picture = np.full((HEIGHT, width, 3), ground, dtype=np.uint8)
    middles, left = [], SPACE
    for letter in text:
        if letter != " ":
            picture[14:26, left + 1 : left + LETTER - 1] = ink
            middles.append((left + LETTER / 2) / width)
        left += SPACE if letter == " " else LETTER
    return middles, picture


def test_a_word_is_parted_where_as_much_room_is_seen_as_between_words() -> None:
    middles, picture = drawn("water and cost 45 crowns")
    words = with_missing_spaces("water andcost 45 crowns", middles, picture)
    assert words == ("water", "and", "cost", "45", "crowns")


def test_words_are_parted_on_a_dark_ground_too() -> None:
    middles, picture = drawn("on day 7 of it", ink=250, ground=20)
    assert with_missing_spaces("on day7 of it", middles, picture) == ("on", "day", "7", "of", "it")


def test_a_line_that_was_read_right_stays() -> None:
    middles, picture = drawn("the well runs out")
    assert " ".join(with_missing_spaces("the well runs out", middles, picture)) == (
        "the well runs out"
    )


def test_a_line_of_few_words_tells_no_width_of_spaces() -> None:
    middles, picture = drawn("day 7 it")
    assert with_missing_spaces("day7 it", middles, picture) == ("day7", "it")


def test_room_beside_a_sign_is_no_space() -> None:
    middles, picture = drawn("it cost 4 , 50 to me")
    assert with_missing_spaces("it cost 4,50 to me", middles, picture)[2] == "4,50"


def test_a_letter_too_faint_to_be_seen_parts_no_word() -> None:
    middles, picture = drawn("the weli runs out")
    width = picture.shape[1]
    faint = int(middles[6] * width)
    picture[:, faint - LETTER // 2 : faint + LETTER // 2] = 250
    assert with_missing_spaces("the weli runs out", middles, picture)[1] == "weli"
