"""JSON: names and values as lines, an object of plain values being a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.conversations.chat_exports import read_conversations, read_export
from hoptrail.indexing.loading.conversations.layout import lay_out, title_of
from hoptrail.indexing.loading.conversations.slack import slack_names
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.encodings import decoded
from hoptrail.indexing.loading.readers.titles import name_as_words

_TITLES = ("title", "name", "subject")
_DEEPEST = 50


def read_json(path: Path) -> Content:
    """Return what a JSON file says; the items of a list at the top have their number as place.

    An export of a chat is a conversation.

    Raises:
        InputError: If it is malformed or nested too deeply.
    """
    value = parsed_json(decoded(path.read_bytes()))
    names = slack_names(path)
    if postings := read_export(value, names):
        channel = f"#{path.parent.name}" if names else ""
        title = ", ".join(filter(None, (channel, _title(value), title_of(postings))))
        return Content(title, (Block(lay_out(postings)),))
    if conversations := read_conversations(value):
        told = tuple(Block(lay_out(postings), name) for name, postings in conversations)
        return Content(name_as_words(path.stem), told)
    if isinstance(value, list):
        blocks = tuple(
            Block(text, f"item {number}")
            for number, item in enumerate(value, start=1)
            for text in _told(item, "", _DEEPEST)
        )
        return Content(name_as_words(path.stem), blocks)
    return Content(
        _title(value) or name_as_words(path.stem), tuple(map(Block, _told(value, "", _DEEPEST)))
    )


def parsed_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        InputError: If it is malformed or nested too deeply.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"malformed JSON: {error.msg}, line {error.lineno}") from error
    except RecursionError as error:
        raise InputError("malformed JSON: nested too deeply") from error
    except ValueError as error:  # Python reads no number of thousands of digits
        raise InputError("malformed JSON: a number has too many digits") from error


def _title(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    given = (value.get(name) for name in _TITLES)
    return next((one.strip() for one in given if isinstance(one, str) and one.strip()), "")


def _told(value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield the lines of a value; `name` says what it is."""
    if not depth:
        raise InputError(f"nested in more than {_DEEPEST} levels")
    prefix = f"{name}: " if name else ""
    if isinstance(value, dict):
        plain = {key: one for key, one in value.items() if not isinstance(one, dict | list)}
        row = "; ".join(f"{key}: {told}" for key, one in plain.items() if (told := _plain(one)))
        if row:
            yield prefix + row
        for key, one in value.items():
            if key not in plain:
                yield from _told(one, f"{name}, {key}" if name else key, depth - 1)
    elif isinstance(value, list):
        if all(not isinstance(one, dict | list) for one in value):
            if row := ", ".join(filter(None, map(_plain, value))):
                yield prefix + row
            return
        for one in value:
            yield from _told(one, name, depth - 1)
    elif told := _plain(value):
        yield prefix + told


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip()
