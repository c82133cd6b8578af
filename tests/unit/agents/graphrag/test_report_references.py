from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.agents.graphrag.report_references import (
    cited_numbers,
    presenter,
    with_known_references,
    without_references,
)

LONG = "Varde lives on the salt that it sells to Ribe every spring, as"


@pytest.mark.parametrize(
    "written",
    [
        "[reports: 7, 14]",
        "[Report 7; 14]",
        "[Data: Reports (7, 14)]",
        "[Data: Reports (7, 14, +more)]",
        "(reports: 7, 14)",
        "[REPORTS: #7, #14]",
        "[7, 14]",
    ],
)
def test_references_are_known_in_all_their_forms(written: str) -> None:
    text = f"Salt {written}."
    assert cited_numbers(text) == (7, 14)
    assert with_known_references(text, {7, 14, 15}) == "Salt [reports: 7, 14]."


def test_references_that_do_not_exist_are_removed() -> None:
    text = "Salt [reports: 7, 99] and corn [reports: 98], in 1921 [12]."
    assert with_known_references(text, {7}) == "Salt [reports: 7] and corn, in 1921 [12]."


@pytest.mark.parametrize("text", ["He reports: 7 ships.", "[see report]", "a (7) b", "[x] (1921)"])
def test_other_brackets_refer_to_nothing(text: str) -> None:
    assert cited_numbers(text) == ()


def test_a_text_can_be_had_without_its_references() -> None:
    assert without_references("Salt [reports: 7], corn (reports 3).") == "Salt, corn."


@pytest.mark.parametrize(
    ("after_marker", "shown"),
    [
        (f"** {LONG} they say.", f"{LONG} they say."),
        ("\n\n**Salt.** Much. [reports: 1]\n\n- corn\n", "**Salt.** Much. [reports: 1]\n\n- corn"),
        ("Salt\n[reports: 9]\n", "Salt"),
    ],
)
def test_an_answer_is_presented_with_its_own_layout_alone(after_marker: str, shown: str) -> None:
    assert presenter({1})(after_marker, True) == shown


def test_an_open_bracket_waits_for_its_end() -> None:
    present = presenter({7})
    assert present(f"{LONG} they say [reports: 7, 9", False) == f"{LONG} they say"
    assert present(f"{LONG} they say [reports: 7, 9]", False) == f"{LONG} they say [reports: 7]"


PIECES = st.sampled_from(
    ["Salt ", "[reports: 1]", "[reports: 9]", " [1, 2]", "[", "]", "(", ")", "\n", "**", " . ", "7"]
)


@given(st.lists(PIECES, max_size=20), st.integers(0, 120))
def test_what_was_shown_stays_as_it_is(pieces: list[str], cut: int) -> None:
    text = LONG + "".join(pieces)
    present = presenter({1, 2})
    assert present(text, True).startswith(present(text[:cut], False))
