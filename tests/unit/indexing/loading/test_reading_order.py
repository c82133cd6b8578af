"""In which order the lines of a page are read."""

from __future__ import annotations

import math

import pytest

from hoptrail.core.types.document import Quad
from hoptrail.indexing.loading.reading_order import (
    RecognisedLine,
    RecognisedPage,
    RecognisedWord,
    rows_in_order,
    skew_of,
)
from tests.scanned import column, line, page

LEFT = ["The mill stands at the brook", "and grinds rye for the town.", "It was built of oak."]
RIGHT = ["The bridge leads to the fair", "and is paid for by the guild.", "Carts cross it at noon."]


def told(*lines: RecognisedLine) -> list[str]:
    return [row.text for part in rows_in_order(page(*lines)) for row in part]


def turned(recognised: RecognisedPage, degrees: float) -> RecognisedPage:
    """Return a page as a scanner sees it that was fed askew."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def corners(box: Quad) -> Quad:
        points = zip(box[::2], box[1::2], strict=True)
        moved = [round(v) for x, y in points for v in (x * cos - y * sin, x * sin + y * cos)]
        return (*moved,)  # type: ignore[return-value]

    lines = tuple(
        RecognisedLine(
            tuple(RecognisedWord(w.text, corners(w.box), w.confidence) for w in one.words),
            corners(one.box),
        )
        for one in recognised.lines
    )
    return RecognisedPage(lines, recognised.width, recognised.height)


def test_lines_come_from_above_whatever_their_order() -> None:
    assert told(*reversed(column(LEFT, 80, 100))) == LEFT


def test_the_left_column_is_read_to_its_end_first() -> None:
    assert told(*column(LEFT, 80, 100), *column(RIGHT, 540, 100)) == [*LEFT, *RIGHT]


def test_columns_whose_lines_are_not_level_are_parted_too() -> None:
    assert told(*column(LEFT, 80, 100), *column(RIGHT, 540, 117)) == [*LEFT, *RIGHT]


def test_a_headline_over_both_columns_comes_first() -> None:
    headline = line("Two places in the north of the county and their works", 180, 40)
    assert told(headline, *column(LEFT, 80, 100), *column(RIGHT, 540, 100))[0] == headline.text


def test_a_headline_between_columns_parts_them() -> None:
    headline = line("What came of it in the years of the great drought", 180, 300)
    lines = [*column(LEFT, 80, 100), *column(RIGHT, 540, 100), headline]
    lines += [*column(LEFT, 80, 400), *column(RIGHT, 540, 400)]
    assert told(*lines) == [*LEFT, *RIGHT, headline.text, *LEFT, *RIGHT]


def test_a_longer_left_column_is_read_before_the_right_one() -> None:
    rest = ["The wheel has twelve blades.", "Its axle is of iron."]
    lines = [*column(LEFT, 80, 100), *column(rest, 80, 260), *column(RIGHT, 540, 100)]
    assert told(*lines) == [*LEFT, *rest, *RIGHT]


def test_cells_beside_each_other_are_one_row() -> None:
    cells = [line("P1", 80, 100), line("Wilo", 400, 102), line("95", 700, 98)]
    assert told(*cells) == ["P1 Wilo 95"]


def test_words_far_apart_on_one_line_are_two_cells() -> None:
    near, far = line("Oats", 80, 100), line("12", 500, 100)
    joined = RecognisedLine((*near.words, *far.words), near.box)
    ((row,),) = rows_in_order(page(joined))
    assert [piece.text for piece in row.pieces] == ["Oats", "12"]


@pytest.mark.parametrize("degrees", [-4, -1, 2, 5])
def test_a_page_that_was_fed_askew_is_read_as_a_straight_one(degrees: float) -> None:
    straight = page(*column(LEFT, 80, 100), *column(RIGHT, 540, 100))
    askew = turned(straight, degrees)
    assert math.degrees(skew_of(askew.lines)) == pytest.approx(degrees, abs=0.3)
    assert [row.text for part in rows_in_order(askew) for row in part] == [*LEFT, *RIGHT]


def test_a_page_without_lines_has_no_rows() -> None:
    assert rows_in_order(page()) == []
