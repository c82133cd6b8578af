"""The tokens of a query; what is no token of the language is refused, comments are dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hoptrail.core.errors import QueryError
from hoptrail.core.text import clipped

TokenKind = Literal["name", "quoted", "string", "number", "sign", "end"]

LONGEST_QUERY = 4_000
"""Characters of a query."""
_DEEPEST = 40  # brackets within brackets
_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|/\*.*?\*/)+)
    |(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<name>[^\W\d]\w*)
    |`(?P<quoted>[^`\\]+)`
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<sign><=|>=|<>|=~|\.\.|[-+*/%^=<>()\[\]{},.:|&!;$])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"'}


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `text` is the value of a string and the bare name of what stood in backticks."""

    kind: TokenKind
    text: str
    start: int
    end: int


class Cursor:
    """The tokens of a query, read one after the other.

    Raises:
        QueryError: If the text has a character that no token of the language has.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_QUERY:
            raise QueryError(
                f"the query has {len(text):,} characters",
                hint=f"write at most {LONGEST_QUERY:,}",
            )
        self._text = text
        self._tokens = _tokens(text)
        self._place = 0
        _check_depth(self._tokens)

    @property
    def token(self) -> Token:
        """The token that is read next."""
        return self._tokens[self._place]

    @property
    def place(self) -> int:
        """Offset of the next token in the text."""
        return self.token.start

    def ahead(self, number: int) -> str:
        """Return the sign that many tokens ahead, "" where another kind of token stands there."""
        place = min(self._place + number, len(self._tokens) - 1)
        token = self._tokens[place]
        return token.text if token.kind == "sign" else ""

    def next(self) -> Token:
        """Return the next token and go on; the end stays."""
        token = self.token
        if token.kind != "end":
            self._place += 1
        return token

    def next_name(self) -> str:
        """Return the name that follows and go on.

        Raises:
            QueryError: If another token follows.
        """
        token = self.next()
        if token.kind not in ("name", "quoted"):
            raise QueryError(f"{token.text[:40]!r} stands where a name is expected")
        return token.text

    def is_word(self, *words: str) -> bool:
        """Return whether these words follow, in any case."""
        tokens = self._tokens[self._place : self._place + len(words)]
        return len(tokens) == len(words) and all(
            token.kind == "name" and token.text.upper() == word
            for token, word in zip(tokens, words, strict=True)
        )

    def take_word(self, *words: str) -> bool:
        """Go past these words where they follow, and return whether they did."""
        found = self.is_word(*words)
        if found:
            self._place += len(words)
        return found

    def is_sign(self, sign: str) -> bool:
        """Return whether this sign follows."""
        return self.token.kind == "sign" and self.token.text == sign

    def take_sign(self, sign: str) -> bool:
        """Go past a sign where it follows, and return whether it did."""
        found = self.is_sign(sign)
        if found:
            self._place += 1
        return found

    def expect_sign(self, sign: str) -> None:
        """Go past a sign.

        Raises:
            QueryError: If another token follows.
        """
        if not self.take_sign(sign):
            raise self.unexpected(repr(sign))

    def expect_word(self, word: str) -> None:
        """Go past a word.

        Raises:
            QueryError: If another token follows.
        """
        if not self.take_word(word):
            raise self.unexpected(word)

    def closing(self) -> int:
        """Return how many tokens ahead the bracket closes that opens next."""
        depth = 0
        for number, token in enumerate(self._tokens[self._place :]):
            if token.kind == "sign" and token.text in "([{":
                depth += 1
            elif token.kind == "sign" and token.text in ")]}":
                depth -= 1
                if depth == 0:
                    return number
        raise QueryError("a bracket is not closed")

    def source(self, start: int) -> str:
        """Return the text from an offset up to the last token that was read."""
        return self._text[start : self._tokens[self._place - 1].end]

    def unexpected(self, wanted: str) -> QueryError:
        """Return the error of a token where another one is wanted."""
        token = self.token
        found = "the query ends" if token.kind == "end" else f"{clipped(token.text, 40)!r} stands"
        return QueryError(f"{found} where {wanted} is expected")


def _tokens(text: str) -> list[Token]:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise QueryError("the query has half a character (a lone surrogate)") from None
    found: list[Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise QueryError(f"{text[place]!r} is no part of a query", hint="leave it out")
        place = match.end()
        kind = match.lastgroup
        if kind != "space":
            value = match[kind]  # type: ignore[index]
            if kind == "string":
                value = _ESCAPE.sub(_unescaped, value[1:-1])
            found.append(Token(kind, value, match.start(), place))  # type: ignore[arg-type]
    return [*found, Token("end", "", len(text), len(text))]


def _unescaped(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) == 5:
        character = chr(int(escape[1:], 16))
        if "\ud800" <= character <= "\udfff":
            raise QueryError("a string has half a character (a lone surrogate)")
        return character
    if escape not in _ESCAPED:
        raise QueryError(f"'\\{escape}' is no escape of a string")
    return _ESCAPED[escape]


def _check_depth(tokens: list[Token]) -> None:
    depth = 0
    for token in tokens:
        if token.kind == "sign":
            depth += (token.text in "([{") - (token.text in ")]}")
        if depth > _DEEPEST:
            raise QueryError("brackets stand too deep within brackets", hint="write it simpler")
