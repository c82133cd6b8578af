"""Simple formulas of Excel files that no program has calculated: sums, products, references."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

_MOST_CELLS = 200_000
_MOST_OF_RANGE = 100_000
_MOST_TOKENS = 200
_DEEPEST = 100
_REFERENCE = re.compile(
    r"(?:(?:'(?P<quoted>[^']{1,60})'|(?P<sheet>[^'!]{1,60}))!)?"
    r"\$?(?P<column>[A-Z]{1,3})\$?(?P<row>\d{1,7})"
    r"(?::\$?(?P<last_column>[A-Z]{1,3})\$?(?P<last_row>\d{1,7}))?"
)
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_FUNCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "SUM(": math.fsum,
    "AVERAGE(": statistics.fmean,
    "MIN(": min,
    "MAX(": max,
    "COUNT(": len,
    "PRODUCT(": math.prod,
}

Place = tuple[str, int, int]
"""A cell: its sheet, its row and its column, both from 1."""


class _NotSimpleError(Exception):
    """A formula uses more than numbers, references and a few functions."""


class _Token(NamedTuple):
    text: str
    kind: str
    subtype: str


class Formulas:
    """Works out the formulas of a workbook that have no value.

    Args:
        path: The file, which was checked; read when a value is asked for first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[Place, float | None] = {}

    def of(self, sheet: str) -> dict[tuple[int, int], float]:
        """Return the values of a sheet's simple formulas by row and column, both from 1.

        Formulas that other programs have calculated are among them, with the value given here.
        """
        found = {}
        for place, given in self._cells.items():
            if place[0] == sheet and _is_formula(given):
                value = self._value(place, 0)
                if value is not None:
                    found[place[1:]] = value
        return found

    @cached_property
    def _cells(self) -> dict[Place, Any]:
        """All cells that hold something; none of a workbook with too many."""
        import openpyxl

        book = openpyxl.load_workbook(self._path, read_only=True, keep_links=False)
        cells: dict[Place, Any] = {}
        try:
            for sheet in book.worksheets:
                sheet.reset_dimensions()
                for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
                    for column, value in enumerate(row, start=1):
                        if value is not None:
                            cells[sheet.title, number, column] = value
                    if len(cells) > _MOST_CELLS:
                        return {}
        finally:
            book.close()
        return cells

    def _value(self, place: Place, depth: int) -> float | None:
        """Return the number that a cell holds or stands for, None without one."""
        given = self._cells.get(place)
        if isinstance(given, int | float) and not isinstance(given, bool):
            return float(given)
        if not _is_formula(given):
            return None
        if place not in self._known:
            self._known[place] = None  # a formula that leads back to itself has no value
            try:
                self._known[place] = self._worked_out(str(given), place[0], depth)
            except (_NotSimpleError, ArithmeticError, ValueError):
                self._known[place] = None
        return self._known[place]

    def _worked_out(self, formula: str, sheet: str, depth: int) -> float:
        from openpyxl.formula import Tokenizer

        if depth > _DEEPEST:
            raise _NotSimpleError
        tokens = [
            _Token(one.value, one.type, one.subtype)
            for one in Tokenizer(formula).items
            if one.type != "WHITE-SPACE"
        ]
        if len(tokens) > _MOST_TOKENS:
            raise _NotSimpleError
        reader = _Reader(tokens, lambda text: self._range(text, sheet, depth + 1))
        value = reader.sum()
        if not reader.is_done or not math.isfinite(value):
            raise _NotSimpleError
        return value

    def _range(self, text: str, sheet: str, depth: int) -> list[float]:
        """Return the numbers of a reference; cells with words or nothing have none."""
        match = _REFERENCE.fullmatch(text)
        if match is None:
            raise _NotSimpleError
        named = match["quoted"] or match["sheet"] or sheet
        values = []
        for place in ((named, *at) for at in _places(match)):
            value = self._value(place, depth)
            if value is not None:
                values.append(value)
            elif place in self._cells and (_is_formula(self._cells[place]) or ":" not in text):
                raise _NotSimpleError  # words, or what has no value itself
        return values


class _Reader:
    """Reads the tokens of a formula by the usual precedence of signs."""

    def __init__(self, tokens: Sequence[_Token], numbers: Callable[[str], list[float]]) -> None:
        self._tokens = tokens
        self._numbers = numbers
        self._at = 0

    @property
    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    def sum(self, least: int = 1) -> float:
        """Read operands joined by signs of at least this precedence."""
        value = self._signed()
        while (sign := self._sign()) and _PRECEDENCE[sign] >= least:
            self._at += 1
            value = _applied(sign, value, self.sum(_PRECEDENCE[sign] + 1))
        return value

    def _peek(self) -> _Token | None:
        return None if self.is_done else self._tokens[self._at]

    def _sign(self) -> str:
        token = self._peek()
        is_sign = token is not None and token.kind == "OPERATOR-INFIX"
        if token is None or not is_sign:
            return ""
        if token.text not in _PRECEDENCE:
            raise _NotSimpleError
        return token.text

    def _signed(self) -> float:
        token = self._peek()
        if token is not None and token.kind == "OPERATOR-PREFIX":
            self._at += 1
            return -self._signed() if token.text == "-" else self._signed()
        value = self._operand()
        while (token := self._peek()) is not None and token.kind == "OPERATOR-POSTFIX":
            self._at += 1
            value /= 100
        return value

    def _operand(self) -> float:
        token = self._next()
        if token.kind == "PAREN" and token.subtype == "OPEN":
            value = self.sum()
            self._expect("PAREN")
            return value
        if token.kind == "FUNC" and token.subtype == "OPEN":
            return self._function(token.text.upper())
        if token.kind != "OPERAND":
            raise _NotSimpleError
        if token.subtype == "NUMBER":
            return float(token.text)
        found = self._numbers(token.text)
        if ":" in token.text:
            raise _NotSimpleError
        return found[0] if found else 0.0

    def _function(self, name: str) -> float:
        if name not in _FUNCTIONS:
            raise _NotSimpleError
        values: list[float] = []
        while True:
            token = self._peek()
            if token is not None and token.kind == "OPERAND" and token.subtype == "RANGE":
                following = self._tokens[self._at + 1 : self._at + 2]
                if following and following[0].kind in {"SEP", "FUNC"}:
                    self._at += 1
                    values += self._numbers(token.text)
                else:
                    values.append(self.sum())
            else:
                values.append(self.sum())
            end = self._next()
            if end.kind == "FUNC" and end.subtype == "CLOSE":
                return float(_FUNCTIONS[name](values))
            if end.kind != "SEP":
                raise _NotSimpleError

    def _next(self) -> _Token:
        token = self._peek()
        if token is None:
            raise _NotSimpleError
        self._at += 1
        return token

    def _expect(self, kind: str) -> None:
        if self._next().kind != kind:
            raise _NotSimpleError


def _applied(sign: str, left: float, right: float) -> float:
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    return left / right if sign == "/" else float(left**right)


def _is_formula(given: Any) -> bool:
    return isinstance(given, str) and given.startswith("=")


def _places(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the cells of a reference.

    Raises:
        _NotSimpleError: If there are too many of them.
    """
    from openpyxl.utils import column_index_from_string

    first, column = int(match["row"]), column_index_from_string(match["column"])
    last = int(match["last_row"] or first)
    last_column = column_index_from_string(match["last_column"] or match["column"])
    if (last - first + 1) * (last_column - column + 1) > _MOST_OF_RANGE:
        raise _NotSimpleError
    for row in range(first, last + 1):
        for at in range(column, last_column + 1):
            yield row, at
