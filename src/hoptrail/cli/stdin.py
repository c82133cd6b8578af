"""Questions that arrive as an argument or on standard input."""

from __future__ import annotations

import sys

from hoptrail.core.errors import InputError


def read_question(argument: str) -> str:
    """Return the question of an argument, where `-` means all of stdin.

    Raises:
        InputError: If it is empty, too long or not text.
    """
    from hoptrail.core.question import check_question

    question = read_text() if argument == "-" else argument
    # Arguments that are not UTF-8 reach Python as lone surrogates, which nothing can encode.
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise InputError("the question is not valid UTF-8", hint="check the terminal's encoding")
    return check_question(question)


def read_text() -> str:
    """Return all of stdin.

    Raises:
        InputError: If it is not text.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("stdin is not valid UTF-8", hint="convert it to UTF-8") from error
