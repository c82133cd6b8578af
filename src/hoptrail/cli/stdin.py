"""Questions and documents that arrive on standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from hoptrail.core.errors import InputError


def read_question(argument: str) -> str:
    """Return the question of an argument, where `-` means all of stdin.

    Raises:
        InputError: If it is empty, too long or not text.
    """
    from hoptrail.core.question import check_question

    question = _read_text() if argument == "-" else argument
    # Arguments that are not UTF-8 reach Python as lone surrogates, which nothing can encode.
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise InputError("the question is not valid UTF-8", hint="check the terminal's encoding")
    return check_question(question)


def save_documents(folder: Path) -> Path:
    """Write stdin to a file in `folder`, named as JSONL if it opens with an object.

    Raises:
        InputError: If stdin is empty.
    """
    content = sys.stdin.buffer.read()
    if not content.strip():
        raise InputError("stdin is empty", hint="pipe a text or JSONL into hoptrail index -")
    suffix = ".jsonl" if content.lstrip().startswith(b"{") else ".txt"
    path = folder / f"stdin{suffix}"
    path.write_bytes(content)
    return path


def _read_text() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("stdin is not valid UTF-8", hint="convert it to UTF-8") from error
