"""Filters written out as people type them: the inverse of `hoptrail.core.filters.filter_text`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from hoptrail.core.filters.document_filter import DocumentFilter
from hoptrail.core.filters.field_values import Scalar
from hoptrail.core.filters.filter_text import typed_value

_SIGNS = MappingProxyType({"eq": "=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="})
_WORD = re.compile(r"(?!\{)[^\s\"'=<>!(),]{1,500}")
_OPERATORS = frozenset({"and", "or", "not"})


def write_filter(wanted: DocumentFilter) -> str:
    """Return a filter as it could have been typed: `author = Ada and year >= 1900`."""
    wanted = _without_idle_joins(wanted)
    if wanted.any_of is not None:
        return " or ".join(write_filter(part) for part in wanted.any_of)
    if wanted.all_of is not None:
        return " and ".join(_within_and(part) for part in wanted.all_of)
    if wanted.none_of is not None:
        return _negated(wanted.none_of)
    return " and ".join(_comparisons(wanted))


def _without_idle_joins(part: DocumentFilter) -> DocumentFilter:
    """Return the one filter that an `and` or `or` of one part stands for."""
    while len(parts := part.all_of or part.any_of or ()) == 1:
        part = parts[0]
    return part


def _within_and(part: DocumentFilter) -> str:
    text = write_filter(part)
    return f"({text})" if _without_idle_joins(part).any_of is not None else text


def _negated(part: DocumentFilter) -> str:
    part = _without_idle_joins(part)
    comparisons = list(_comparisons(part))
    if len(comparisons) == 1 and part.eq is not None:
        return f"{_name(part.field)} != {_value(part.eq)}"
    if len(comparisons) == 1 and part.one_of is not None:
        return f"{_name(part.field)} not in {_list(part.one_of)}"
    return f"not {comparisons[0]}" if len(comparisons) == 1 else f"not ({write_filter(part)})"


def _comparisons(condition: DocumentFilter) -> Iterator[str]:
    name = _name(condition.field)
    for key, sign in _SIGNS.items():
        value: Scalar | None = getattr(condition, key)
        if value is not None:
            yield f"{name} {sign} {_value(value)}"
    if condition.one_of is not None:
        yield f"{name} in {_list(condition.one_of)}"
    if condition.like is not None:
        yield f"{name} like {_text(condition.like)}"


def _list(values: tuple[Scalar, ...]) -> str:
    return f"({', '.join(map(_value, values))})"


def _name(field: str | None) -> str:
    name = field or ""
    return name if _is_plain(name) else _quoted(name)


def _value(value: Scalar) -> str:
    if isinstance(value, str):
        return _text(value) if typed_value(value) == value else _quoted(value)
    is_whole = isinstance(value, float) and value.is_integer()
    typed = str(int(value) if is_whole else value).lower()
    return typed if typed_value(typed) == value else _value(str(value))


def _text(value: str) -> str:
    words = value.split(" ")
    return value if all(map(_is_plain, words)) else _quoted(value)


def _is_plain(word: str) -> bool:
    return _WORD.fullmatch(word) is not None and word.lower() not in _OPERATORS


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
