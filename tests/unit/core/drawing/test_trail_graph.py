"""How text in a picture is measured and broken."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.drawing.trail_graph import ELLIPSIS, clean, text_width, wrap


def test_words_are_kept_whole_where_they_fit() -> None:
    assert wrap("was released in the United States", 10.0, 90.0, 5) == (
        "was released in",
        "the United",
        "States",
    )


def test_text_that_is_too_long_ends_in_an_ellipsis() -> None:
    lines = wrap("one two three four five six", 10.0, 40.0, 2)

    assert len(lines) == 2
    assert lines[-1].endswith(ELLIPSIS)


def test_a_text_without_spaces_is_broken_between_characters() -> None:
    assert wrap("漢字漢字漢字", 10.0, 40.0, 5) == ("漢字漢字", "漢字")


def test_characters_that_xml_has_not_are_replaced_and_white_space_joined() -> None:
    assert clean("a\x00b\x1b[31m\ud800\n\t c") == "a�b�[31m� c"


@given(st.text(max_size=200), st.integers(1, 6))
def test_no_line_is_wider_than_allowed_nor_are_there_too_many(text: str, max_lines: int) -> None:
    lines = wrap(text, 10.0, 60.0, max_lines)

    assert len(lines) <= max_lines
    assert all(text_width(line, 10.0) <= 60.0 for line in lines)
