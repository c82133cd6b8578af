from __future__ import annotations

import pytest

from hoptrail.models.graph_llm.base_model import BaseModel
from hoptrail.models.graph_llm.reply_text import ReplyText
from hoptrail.testing.tiny_llama import tiny_base_model


@pytest.fixture(scope="module")
def base() -> BaseModel:
    return tiny_base_model()


def pieces(base: BaseModel, text: str, *stop: str) -> tuple[list[str], bool]:
    """Return what is shown at each token of a text, and at its end."""
    reply = ReplyText(base.tokenizer, stop)
    shown = []
    for token in base.token_ids(text):
        shown.append(reply.add(token))
        if reply.stopped:
            return shown, True
    return [*shown, reply.end()], reply.stopped


def test_each_letter_is_shown_with_its_token(base: BaseModel) -> None:
    assert pieces(base, "Oslo") == (["O", "s", "l", "o", ""], False)


def test_a_character_is_shown_when_all_its_bytes_are_there(base: BaseModel) -> None:
    assert pieces(base, "é😀") == (["", "é", "", "", "", "😀", ""], False)


def test_the_bytes_of_half_a_character_are_shown_at_the_end(base: BaseModel) -> None:
    reply = ReplyText(base.tokenizer)
    assert (reply.add(base.token_ids("é")[0]), reply.end()) == ("", "\ufffd")


def test_broken_text_is_not_held_back_for_ever(base: BaseModel) -> None:
    reply = ReplyText(base.tokenizer)
    half = base.token_ids("é")[0]
    assert "".join(reply.add(half) for _ in range(20)).count("\ufffd") >= 10


@pytest.mark.parametrize("stop", ["; ", "; Rome", "s", "lo; "])
def test_a_stop_text_ends_the_reply_and_is_not_shown(base: BaseModel, stop: str) -> None:
    shown, stopped = pieces(base, "Oslo; Rome", stop)
    assert ("".join(shown), stopped) == ("Oslo; Rome".partition(stop)[0], True)


def test_the_earliest_of_several_stop_texts_counts(base: BaseModel) -> None:
    assert "".join(pieces(base, "one two three", "three", "two")[0]) == "one "


def test_what_only_begins_like_a_stop_text_is_shown_late(base: BaseModel) -> None:
    shown, stopped = pieces(base, "ab abc", "abd")
    assert (shown, stopped) == (["", "", "ab ", "", "", "abc", ""], False)


def test_the_beginning_of_a_stop_text_is_shown_at_the_end(base: BaseModel) -> None:
    assert pieces(base, "Oslo;", "; ") == (["O", "s", "l", "o", "", ";"], False)


def test_marks_of_the_chat_form_are_no_text(base: BaseModel) -> None:
    reply = ReplyText(base.tokenizer)
    assert reply.add(base.tokenizer.get_vocab()["<|im_end|>"]) == ""
