"""Filters as people type them: `author = "A" and date >= 2024-01-01 and not tag in (x, y)`.

    filter      = conjunction ("or" conjunction)*
    conjunction = condition ("and" condition)*
    condition   = "not" condition | "(" filter ")" | field comparison
    comparison  = sign value | ["not"] "in" "(" value ("," value)* ")"
    sign        = "=" | "!=" | "<" | "<=" | ">" | ">=" | "like"

A value is a quoted text, or words up to the next `and`, `or`, comma or bracket. A word that spells
a number, or is `true` or `false`, is that value unless it is quoted. Capitals of `and`, `in` and so
on do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hoptrail.core.document_filter import DocumentFilter, Scalar, filter_from_json
from hoptrail.core.errors import SettingsError
from hoptrail.core.types import JsonDict

FilterForm = str | JsonDict | DocumentFilter | Sequence[str]

_LONGEST = 10_000  # characters
_DEEPEST = 8
_TOKEN = re.compile(
    r"""\s*+(?:(?P<text>"(?:[^"\\]|\\.){0,2000}"|'(?:[^'\\]|\\.){0,2000}')"""
    r"""|(?P<sign><=|>=|!=|==|[=<>(),])|(?P<word>[^\s"'=<>!(),]{1,500}))""",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_COMPARISONS = {"=": "eq", "==": "eq", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
_JOINING = frozenset({"and", "or"})
_BOOLEANS = {"true": True, "false": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})", re.ASCII)
_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,11})\.[0-9]{0,11}[1-9]", re.ASCII)
_HINT = 'for example: author = "A" and date >= 2024-01-01 and not source in (mail, notes)'
_SIGNS = MappingProxyType({"eq": "=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="})
_WORD = re.compile(r"(?!\{)[^\s\"'=<>!(),]{1,500}")
_OPERATORS = frozenset({"and", "or", "not"})


def parse_filter(given: FilterForm) -> DocumentFilter:
    """Return the filter of a text, of several texts that must all hold, or of a JSON object.

    A text that begins with `{` is read as JSON.

    Raises:
        SettingsError: If it cannot be read; says where.
    """
    if isinstance(given, DocumentFilter):
        return given
    if isinstance(given, str):
        return _parse_text(given)
    if isinstance(given, Sequence):
        parts = [_parse_text(text) for text in given]
        if len(parts) == 1:
            return parts[0]
        return filter_from_json({"and": [part.to_json() for part in parts]})
    return filter_from_json(given)


def typed_value(text: str) -> Scalar:
    """Return the number or boolean that an unquoted value spells in its usual form, else itself.

    `007` and `1.50` are texts: they may be the number of a part or a version.
    """
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FRACTION.fullmatch(text):
        return float(text)
    return _BOOLEANS.get(text, text)


def _parse_text(text: str) -> DocumentFilter:
    if len(text) > _LONGEST:
        raise SettingsError(f"the filter has more than {_LONGEST:,} characters", hint=_HINT)
    if text.lstrip().startswith("{"):
        return filter_from_json(_json(text))
    reader = _Reader(_tokens(text), text)
    found = reader.disjunction(0)
    reader.require_end()
    return filter_from_json(found, typed_hint=_HINT)


def _json(text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"the filter is no valid JSON: {error}", hint=_HINT) from error


@dataclass(frozen=True, slots=True)
class _Token:
    """A part of the text; `kind` is text (quoted), sign or word."""

    kind: str
    value: str
    end: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.value.lower() in words


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    stop = len(text.rstrip())
    while place < stop:
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unreadable(text, place, "this cannot be read")
        kind = match.lastgroup or ""
        value = match[kind]
        if kind == "text":
            value = _ESCAPED.sub(r"\1", value[1:-1])
        tokens.append(_Token(kind, value, match.end()))
        place = match.end()
    return tokens


class _Reader:
    """Reads the tokens from the first to the last, as the grammar of this module says."""

    def __init__(self, tokens: Sequence[_Token], text: str) -> None:
        self._tokens = tokens
        self._text = text
        self._place = 0

    def disjunction(self, depth: int) -> JsonDict:
        """Read filters joined by `or`."""
        parts = [self._conjunction(depth)]
        while self._take_word("or"):
            parts.append(self._conjunction(depth))
        return parts[0] if len(parts) == 1 else {"or": parts}

    def require_end(self) -> None:
        """Make sure that nothing is left."""
        if self._next is not None:
            raise self._error("expected and, or, or the end")

    def _conjunction(self, depth: int) -> JsonDict:
        parts = [self._condition(depth)]
        while self._take_word("and"):
            parts.append(self._condition(depth))
        return parts[0] if len(parts) == 1 else {"and": parts}

    def _condition(self, depth: int) -> JsonDict:
        if depth > _DEEPEST:
            raise self._error("too deeply nested")
        if self._take_word("not"):
            return {"not": self._condition(depth + 1)}
        if self._take_sign("("):
            found = self.disjunction(depth + 1)
            self._require_sign(")")
            return found
        field = self._next
        if field is None or field.kind == "sign":
            raise self._error("expected the name of a field")
        self._place += 1
        return self._comparison(field.value)

    def _comparison(self, field: str) -> JsonDict:
        sign = self._next
        if sign is None:
            raise self._error(f"expected a comparison behind {field}, such as =")
        self._place += 1
        if sign.kind == "sign" and sign.value == "!=":
            return {"not": {"field": field, "eq": self._value()}}
        if sign.kind == "sign" and sign.value in _COMPARISONS:
            return {"field": field, _COMPARISONS[sign.value]: self._value()}
        if sign.is_word("like"):
            return {"field": field, "like": self._string()}
        if sign.is_word("in"):
            return {"field": field, "in": self._values()}
        if sign.is_word("not") and self._take_word("in"):
            return {"not": {"field": field, "in": self._values()}}
        self._place -= 1
        raise self._error(f"expected =, !=, <, <=, >, >=, in or like behind {field}")

    def _values(self) -> list[Scalar]:
        self._require_sign("(")
        values = [self._value()]
        while self._take_sign(","):
            values.append(self._value())
        self._require_sign(")")
        return values

    def _value(self) -> Scalar:
        token = self._next
        text = self._string()
        return text if token is not None and token.kind == "text" else typed_value(text)

    def _string(self) -> str:
        token = self._next
        if token is None or token.kind == "sign" or token.is_word(*_JOINING):
            raise self._error("expected a value")
        self._place += 1
        if token.kind == "text":
            return token.value
        words = [token.value]
        while (token := self._next) and token.kind == "word" and not token.is_word(*_JOINING):
            words.append(token.value)
            self._place += 1
        return " ".join(words)

    @property
    def _next(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _take_word(self, word: str) -> bool:
        token = self._next
        if token is None or not token.is_word(word):
            return False
        self._place += 1
        return True

    def _take_sign(self, sign: str) -> bool:
        token = self._next
        if token is None or token.kind != "sign" or token.value != sign:
            return False
        self._place += 1
        return True

    def _require_sign(self, sign: str) -> None:
        if not self._take_sign(sign):
            raise self._error(f"expected {sign}")

    def _error(self, message: str) -> SettingsError:
        read = self._tokens[self._place - 1].end if self._place else 0
        return _unreadable(self._text, read, message)


def _unreadable(text: str, place: int, message: str) -> SettingsError:
    rest = " ".join(text[place:].split())
    shown = f"at {rest[:40]!r}" if rest else "at the end"
    return SettingsError(f"the filter cannot be read {shown}: {message}", hint=_HINT)


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
