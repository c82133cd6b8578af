"""Data as text: JSON with exported conversations, notebooks, and tables with delimiters."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.conversations import Posting, lay_out, moment_of_value, title_of
from hoptrail.indexing.loading.readers.content import Block, Content, first_heading, name_as_words
from hoptrail.indexing.loading.readers.raw_bytes import decoded
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_rows
from hoptrail.indexing.loading.readers.text_files import markdown_blocks

_TITLES = ("title", "name", "subject")
_DEEPEST = 50
_LONGEST_OUTPUT = 20_000  # characters
_DELIMITERS = ",;\t|"
_TOLD = re.compile(r"\"?sep=([^\w\s\"]|\t)\"?\n")
_SAMPLE = 20  # lines
_LONGEST_FIELD = 131_072
_NEVER_CLOSES = "a quote opens there and closes in no row of its own: what follows may be one cell"
_LINES_OF_ROWS = 2
_NAMED = 5


def read_json(path: Path) -> Content:
    """Return what a JSON file says; the items of a list at the top have their number as place.

    An export of a chat is a conversation.

    Raises:
        InputError: If it is malformed or nested too deeply.
    """
    value = _parsed_json(decoded(path.read_bytes()))
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


def _parsed_json(text: str) -> Any:
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


def read_notebook(path: Path) -> Content:
    """Return the notes and printed texts of a notebook; its code is left out.

    Raises:
        InputError: If it is no notebook of format 4, which came in 2015.
    """
    book = _parsed_json(decoded(path.read_bytes()))
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise InputError("not a notebook: it has no cells (older than format 4?)")
    blocks = [
        replace(block, place=f"cell {number}")
        for number, cell in enumerate(cells, start=1)
        if isinstance(cell, dict)
        for block in _blocks(cell)
    ]
    title = first_heading(block.text for block in blocks)
    return Content(title or name_as_words(path.stem), tuple(blocks))


def _blocks(cell: dict[str, Any]) -> list[Block]:
    if cell.get("cell_type") == "markdown":
        return markdown_blocks(_joined(cell.get("source")))
    if cell.get("cell_type") == "raw":
        return [Block(_joined(cell.get("source")))]
    outputs = cell.get("outputs")
    return [Block(_printed(one)) for one in outputs or () if isinstance(one, dict)]


def _printed(output: dict[str, Any]) -> str:
    """Return what an output shows as text, from its beginning; pictures and errors show none."""
    data = output.get("data")
    shown = data.get("text/plain") if isinstance(data, dict) else output.get("text")
    return _joined(shown)[:_LONGEST_OUTPUT].strip()


def _joined(source: Any) -> str:
    if isinstance(source, list):
        return "".join(one for one in source if isinstance(one, str))
    return source if isinstance(source, str) else ""


def read_delimited(path: Path) -> Content:
    """Return the rows of a table, each with the names of its columns."""
    text = decoded(path.read_bytes())
    told = _TOLD.match(text)  # as Excel understands it; the row is none of the table
    if told is not None:
        text = text[told.end() :]
    delimiter = told[1] if told is not None else _delimiter(text)
    quotes = _OpenQuotes(text, delimiter)
    rows = csv.reader(quotes.lines(), delimiter=delimiter)
    csv.field_size_limit(_LONGEST_FIELD)
    try:
        watched = quotes.watched(rows)
        blocks = tuple(told.block(f"row {told.number}") for told in told_rows(watched))
    except TooManyColumnsError as error:
        raise InputError(str(error)) from error
    except csv.Error as error:
        raise InputError(f"not a readable table: {error}, line {rows.line_num}") from error
    return Content(name_as_words(path.stem), blocks, quotes.named())


class _OpenQuotes:
    """Finds rows with a quote that seems never to close: the rows below are read as its cell.

    Args:
        text: The whole table.
        delimiter: What stands between its cells.
    """

    def __init__(self, text: str, delimiter: str) -> None:
        self._text = text
        self._delimiter = delimiter
        self._columns = 0
        self._doubtful: list[int] = []
        self._unread = len(text)
        self._row: list[str] = []

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table, and keep those of the row that they are read for."""
        for line in io.StringIO(self._text, newline=""):
            self._unread -= len(line)
            self._row.append(line)
            yield line

    def watched(self, rows: Iterable[list[str]]) -> Iterator[list[str]]:
        """Yield the rows, which are read of `lines`, and note which of them are doubtful."""
        for number, row in enumerate(rows, start=1):
            self._columns = self._columns or len(row)
            holds_rows = any("\n" in cell and self._holds_rows(cell) for cell in row)
            if holds_rows or self._is_open():
                self._doubtful.append(number)
            self._row.clear()
            yield row

    def named(self) -> tuple[tuple[str, str], ...]:
        """Return the doubtful rows, as parts of a content are named; none where all is well."""
        if not self._doubtful:
            return ()
        more = len(self._doubtful) - _NAMED
        rows = f"row {', '.join(map(str, self._doubtful[:_NAMED]))}"
        return ((f"{rows} and {more:,} more" if more > 0 else rows, _NEVER_CLOSES),)

    def _is_open(self) -> bool:
        """Return whether a quote of the row that was just read is open at the end of the table."""
        if self._unread:
            return False
        # A line more is a row of its own, unless it still belongs to the cell.
        return len(list(csv.reader([*self._row, ""], delimiter=self._delimiter))) == 1

    def _holds_rows(self, cell: str) -> bool:
        """Return whether the lines of a cell of several are rows."""
        lines = cell.rstrip().splitlines()[1:]
        is_row = (line.count(self._delimiter) == self._columns - 1 for line in lines)
        # A quote of a row below closes it; then a mark of that row is left in the cell.
        are_many = len(lines) >= _LINES_OF_ROWS or (bool(lines) and '"' in cell)
        return self._columns > 1 and are_many and all(is_row)


def _delimiter(text: str) -> str:
    """Return the delimiter that most of the first lines have in the same number."""
    lines = [line for line in text[:_LONGEST_FIELD].splitlines()[:_SAMPLE] if line.strip()]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        usual = max(set(counts), key=counts.count, default=0)
        return (counts.count(usual) if usual else 0, usual)

    return max(_DELIMITERS, key=evenness) if lines else ","


_USERS = "users.json"
_MOST_BYTES = 100 * 1024 * 1024
_MARK = re.compile(r"<([^<>]*)>")
_SPEAKERS = (
    "displayName",
    "from",
    "author",
    "sender_name",
    "sender",
    "user_profile",
    "user",
    "username",
)
_NAMES = (
    "display_name",
    "real_name",
    "nickname",
    "global_name",
    "name",
    "username",
    "first_name",
    "displayName",
    "user",
)
_TEXTS = ("text", "content", "body", "message")
_MOMENTS = (
    "date",
    "timestamp",
    "ts",
    "timestamp_ms",
    "created_at",
    "sent_at",
    "time",
    "datetime",
    "createdDateTime",
    "originalarrivaltime",
)
_FEWEST = 2
_SHARE = 0.5
_LISTS = ("messages", "value", "MessageList")


def slack_names(path: Path) -> Mapping[str, str]:
    """Return the names of users by id for a file `CHANNEL/DAY.json`, none outside of an export."""
    users = path.parent.parent / _USERS
    try:
        status = users.stat()
    except OSError:
        return {}
    return _names(users, status.st_mtime_ns) if status.st_size <= _MOST_BYTES else {}


@lru_cache(maxsize=4)  # an export has one such file for all its days
def _names(users: Path, _version: int) -> Mapping[str, str]:
    try:
        listed = json.loads(users.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    found: dict[str, str] = {}
    for user in listed if isinstance(listed, list) else ():
        if isinstance(user, Mapping) and isinstance(user.get("id"), str):
            profile = user.get("profile")
            known = {**user, **(profile if isinstance(profile, Mapping) else {})}
            name = known.get("real_name") or known.get("display_name") or known.get("name")
            if isinstance(name, str) and name.strip():
                found[user["id"]] = name.strip()
    return found


def _slack_text(text: str, names: Mapping[str, str]) -> str:
    """Return a message as its reader sees it: names for ids, labels for links."""
    return unescape(_MARK.sub(lambda mark: _shown(mark[1], names), text))


def _shown(mark: str, names: Mapping[str, str]) -> str:
    target, _, label = mark.partition("|")
    if target.startswith("@"):
        return "@" + (names.get(target[1:]) or label or target[1:])
    if target.startswith("#"):
        return "#" + (label or target[1:])
    if target.startswith("!"):
        return "@" + target[1:].partition("^")[0]
    return f"{label} ({target})" if label and label not in target else target


def read_export(value: Any, names: Mapping[str, str] = MappingProxyType({})) -> list[Posting]:
    """Return the messages of an export, none for any other JSON.

    It is a list of objects that name a speaker, a moment and a text, or an object that has such a
    list as `messages`, as `value` (Teams) or as `MessageList` (Skype and Teams); half of its items
    at least must be such.

    Args:
        value: The JSON.
        names: Names of speakers that it calls by an id, as Slack does.
    """
    items = value
    if isinstance(value, Mapping):
        items = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    if not isinstance(items, list):
        return []
    found = [posting for item in items if (posting := _posting(item, names)) is not None]
    if len(found) < max(_FEWEST, _SHARE * len(items)):
        return []
    # Facebook's and Teams' exports begin with the last message.
    first, last = (_key(found[at]) for at in (0, -1))
    return sorted(found, key=_key) if first > last else found


def read_conversations(value: Any) -> list[tuple[str, list[Posting]]]:
    """Return the conversations of one export by name, as Skype and Teams have them in one file."""
    listed = value.get("conversations") if isinstance(value, Mapping) else None
    found: list[tuple[str, list[Posting]]] = []
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, Mapping) and (postings := read_export(one)):
            name = _name(one.get("displayName")) or _name(one.get("id")) or "conversation"
            found.append((name, postings))
    return found


def _key(posting: Posting) -> tuple[date, str]:
    return posting.moment.day, posting.moment.time


def _posting(item: Any, names: Mapping[str, str]) -> Posting | None:
    if not isinstance(item, Mapping):
        return None
    speaker = next(filter(None, (_name(item.get(field)) for field in _SPEAKERS)), "")
    text = next(filter(None, (_text(item.get(field)) for field in _TEXTS)), "")
    moments = (moment_of_value(item[field]) for field in _MOMENTS if item.get(field) is not None)
    moment = next((one for one in moments if one is not None), None)
    if not speaker or not text or moment is None:
        return None
    if "ts" in item:
        text = _slack_text(text, names)
        if str(item.get("subtype", "")).startswith("channel_"):  # somebody joins or leaves
            speaker = ""
    elif _is_html(item):
        text = _without_tags(text)
    return Posting(names.get(speaker, speaker), moment, text) if text else None


def _is_html(message: Mapping[str, Any]) -> bool:
    body = message.get("body")
    kind = body.get("contentType") if isinstance(body, Mapping) else message.get("messagetype")
    return str(kind or "").lower().startswith(("html", "richtext"))


def _without_tags(text: str) -> str:
    from lxml import html
    from lxml.etree import ParserError

    try:
        page = html.fromstring(text)
    except (ParserError, ValueError):  # nothing but marks, or bytes that no text has
        return ""
    return " ".join(" ".join(map(str, page.itertext())).split())


def _name(value: Any) -> str:
    """Return a speaker's name, given as a text or as an object."""
    if isinstance(value, Mapping):
        return next(filter(None, (_name(value.get(field)) for field in _NAMES)), "")
    return value.strip() if isinstance(value, str) else ""


def _text(value: Any) -> str:
    """Return what was said, given as a text or, as Telegram has it, in parts."""
    if isinstance(value, list):
        return "".join(part if isinstance(part, str) else _text(part) for part in value)
    if isinstance(value, Mapping):
        return _text(value.get("text")) or _text(value.get("content"))
    return value.strip() if isinstance(value, str) else ""
