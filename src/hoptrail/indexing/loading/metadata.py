"""Fields of a document beside its text, which filters ask for: texts, lists as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hoptrail.indexing.loading.files import plain

_OF_TEXT = frozenset({"id", "title", "text"})
_FLATTENED = "metadata"
_MOST_FIELDS = 100
_LONGEST_NAME = 100  # characters
_LONGEST_VALUE = 2000


def row_metadata(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the further fields of a corpus line; those of an object `metadata` are its own.

    Fields of another object are named `object.field`; deeper ones and lists of objects are left
    out, as are values of more than 2,000 characters.
    """
    return _stored(_flat({name: value for name, value in row.items() if name not in _OF_TEXT}))


def plain_metadata(given: Mapping[Any, Any]) -> dict[str, str]:
    """Return the metadata of a LangChain document."""
    return _stored((str(name), value) for name, value in given.items())


def file_metadata(path: Path) -> dict[str, str]:
    """Return `modified`, the moment of a file's last change in UTC."""
    return date_metadata("modified", datetime.fromtimestamp(path.stat().st_mtime, UTC))


def date_metadata(name: str, moment: datetime | None) -> dict[str, str]:
    """Return the field of a moment that a file tells: in UTC where it has a time zone."""
    if moment is None:
        return {}
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return {name: moment.isoformat(timespec="seconds")}


def front_metadata(lines: Sequence[str]) -> dict[str, str]:
    """Return the simple fields of a YAML front matter; items are a list."""
    fields: dict[str, str | list[str]] = {}
    name = ""
    for line in lines:
        key, colon, value = line.partition(":")
        if line.lstrip().startswith("- "):
            if name:
                known = fields[name]
                items = known if isinstance(known, list) else []
                fields[name] = [*items, _unquoted(line.strip()[2:])]
        elif colon and key.strip() and not key.startswith((" ", "#")):
            name = _unquoted(key)
            fields[name] = _front_value(value.strip())
    return _stored(fields.items())


def _front_value(value: str) -> str | list[str]:
    if value.startswith("[") and value.endswith("]"):
        return [_unquoted(item) for item in value[1:-1].split(",") if item.strip()]
    return _unquoted(value)


def _unquoted(text: str) -> str:
    stripped = text.strip()
    is_quoted = len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "\"'"
    return stripped[1:-1] if is_quoted else stripped


def _flat(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping):
            prefix = "" if name == _FLATTENED else f"{name}."
            yield from ((f"{prefix}{inner}", item) for inner, item in value.items())
        else:
            yield name, value


def _stored(fields: Iterable[tuple[str, Any]]) -> dict[str, str]:
    stored: dict[str, str] = {}
    for name, value in fields:
        text = _as_text(value)
        is_usable = text and len(text) <= _LONGEST_VALUE and 0 < len(name) <= _LONGEST_NAME
        if is_usable and len(stored) < _MOST_FIELDS:
            stored[plain(name)] = plain(text)
    return stored


def _as_text(value: Any) -> str:
    """Return a value as it is stored, "" for one that cannot be compared."""
    if isinstance(value, list | tuple | set | frozenset):
        items = [_scalar(item) for item in value]
        return json.dumps(items, ensure_ascii=False) if items and all(items) else ""
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | list | tuple | set | frozenset) or value is None:
        return ""
    return value.isoformat() if isinstance(value, datetime) else str(value).strip()
