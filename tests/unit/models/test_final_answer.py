from __future__ import annotations

import pytest

from hoptrail.models.final_answer import FinalAnswerSplitter

LONG = "The town of Whitby in Yorkshire, which lies on the coast of the North Sea"


def shown(reply: str, size: int) -> str:
    splitter = FinalAnswerSplitter()
    pieces = [reply[start : start + size] for start in range(0, len(reply), size)]
    return "".join([*map(splitter.feed, pieces), splitter.feed("", complete=True)])


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Hm.\nFINAL ANSWER: Whitby", "Whitby"),
        ("Hm.\n**FINAL ANSWER:** Whitby", "Whitby"),
        ("**Final answer: Whitby**\n", "Whitby"),
        ("FINAL ANSWER:\n\nWhitby\nBecause of the sea.", "Whitby"),
        (f"FINAL ANSWER: {LONG}**\nand more", LONG),
        ("<think>FINAL ANSWER: York</think>FINAL ANSWER: Whitby", "Whitby"),
        ("<think>no end FINAL ANSWER: York", ""),
        ("FINAL ANSWER: I don't know.", ""),
        (f"FINAL ANSWER: I don't know, because {LONG} is not mentioned", ""),
        ("no marker", ""),
        ("FINAL ANSWER:", ""),
        ("", ""),
    ],
)
def test_the_answer_is_cut_out_however_the_reply_is_cut(reply: str, answer: str, size: int) -> None:
    assert shown(reply, size) == answer


def test_a_long_answer_is_shown_before_it_is_complete() -> None:
    splitter = FinalAnswerSplitter()
    assert splitter.feed(f"FINAL ANSWER: {LONG}") == LONG
    assert splitter.feed(" of England") == " of England"


def test_a_short_beginning_is_held_back() -> None:
    splitter = FinalAnswerSplitter()
    assert splitter.feed("FINAL ANSWER: I do") == ""
    assert splitter.feed(" remember Whitby", complete=True) == "I do remember Whitby"


def test_what_is_shown_of_an_answer_can_be_chosen() -> None:
    def present(text: str, complete: bool) -> str:
        return text.strip().upper() if complete else text.strip().upper()[:6]

    splitter = FinalAnswerSplitter(present=present)
    assert splitter.feed("FINAL ANSWER: Whitby\n\nYork") == "WHITBY"
    assert splitter.feed("", complete=True) == "\n\nYORK"
