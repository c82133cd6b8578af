"""Whether a text can say anything about a name, on the safe side."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from hoptrail.agents.language.mentions import KnownNames, Mention, find_mentions, kind_of
from hoptrail.core.text import STOP_WORDS

ValueType = Literal["date", "number", "name", "phrase"]

_AFTER_NAME = "and|or|in|at|on|of|from|with|as|for|to|by|is|was|are|were|has|had|who|which|that|the"
_NO_KNOWN_NAMES = KnownNames(())
_SHORTEST_TELLING_WORD = 3
_SAME_START = 5


@lru_cache(maxsize=65536)
def plain_words(text: str) -> tuple[str, ...]:
    """Return a text's words, without case and accents."""
    split = unicodedata.normalize("NFKD", text.casefold())
    return tuple(re.findall(r"\w+", "".join(c for c in split if not unicodedata.combining(c))))


@lru_cache(maxsize=65536)
def telling_words(text: str) -> frozenset[str]:
    """Return the words that could stand for the whole: no stop words, no single letters."""
    return frozenset(
        word
        for word in plain_words(text)
        if word not in STOP_WORDS and (len(word) >= _SHORTEST_TELLING_WORD or word.isdigit())
    )


def hints_at(text: str, name: str) -> bool:
    """Return whether a text has any word of a name; without one it cannot be about the name.

    Words with the same beginning count as one: "Poland" is hinted at by "Polish".
    """
    wanted = telling_words(name) or frozenset(plain_words(name))
    return not _starts(text).isdisjoint(word[:_SAME_START] for word in wanted) or spells(text, name)


@lru_cache(maxsize=65536)
def _starts(text: str) -> frozenset[str]:
    return frozenset(word[:_SAME_START] for word in telling_words(text))


def spells(text: str, name: str) -> bool:
    """Return whether a text has the words of a name in a row."""
    return f" {' '.join(plain_words(name))} " in _joined(text)


@lru_cache(maxsize=65536)
def _joined(text: str) -> str:
    return f" {' '.join(plain_words(text))} "


def value_type(text: str) -> ValueType:
    """Return whether a claim's end is a date, a number, a name or some other words."""
    kind = kind_of(text)
    if kind in {"date", "number"}:
        return "date" if kind == "date" else "number"
    capitals = [word for word in text.split() if word[:1].isupper()]
    others = [word for word in text.split() if word[:1].islower() and word not in STOP_WORDS]
    return "name" if capitals and len(others) <= 1 and text[:1].isupper() else "phrase"


@lru_cache(maxsize=16384)
def values_in(text: str) -> tuple[Mention, ...]:
    """Return the dates, names and numbers that a text mentions, in order."""
    return tuple(find_mentions(text, _NO_KNOWN_NAMES))


def names_in(sentence: str) -> Iterator[Mention]:
    """Yield the names of a sentence but the first word's and those that describe another word."""
    for mention in values_in(sentence):
        describes = re.match(r"[ -][a-z]", sentence[mention.end :]) and not re.match(
            rf" (?:{_AFTER_NAME})\b", sentence[mention.end :]
        )
        if type_of_mention(mention) == "name" and mention.start > 0 and not describes:
            yield mention


def type_of_mention(mention: Mention) -> ValueType:
    """Return a mention's type in the terms of `value_type`."""
    return mention.kind if mention.kind == "date" or mention.kind == "number" else "name"
