from __future__ import annotations

from hoptrail.eval.judges.shortening import shorten


def count(text: str) -> int:
    return len(text.split())


def test_a_text_within_the_budget_stays_as_it_is() -> None:
    assert shorten(" One two. Three.\n", 3, count) == "One two. Three."


def test_a_long_text_is_cut_after_its_last_whole_sentence() -> None:
    assert shorten("One two. Three four five. Six.", 5, count) == "One two. Three four five. [...]"
    assert shorten("One two. Three four five. Six.", 4, count) == "One two. [...]"


def test_a_list_without_full_stops_is_cut_between_lines() -> None:
    assert shorten("- one two\n- three four\n- five six", 6, count) == (
        "- one two\n- three four [...]"
    )


def test_a_first_sentence_over_the_budget_is_cut_between_words() -> None:
    assert shorten("one two three four five", 2, count) == "one two [...]"


def test_no_word_that_fits_leaves_the_mark_alone() -> None:
    assert shorten("x" * 100, 3, len) == "[...]"
