"""Facts of which a thing has only one: by them two namesakes are told apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from hoptrail.core.text import name_key

Facts = dict[str, set[str]]
"""Stated values by kind of fact, such as `{"birth year": {"1890"}}`."""

_YEAR = re.compile(r"\b(?:1[0-9]|20)[0-9]{2}\b")
_KINDS = (
    ("birth", re.compile(r"(?:was |were |is )?born\b.*|(?:date|place|year) of birth|birth ?\w*")),
    (
        "death",
        re.compile(r"(?:has )?(?:died|passed away)\b.*|(?:date|place|year) of death|death ?\w+"),
    ),
    (
        "start",
        re.compile(
            r"(?:was |were )?(?:founded|established|incorporated)(?: in| on)?|founding date"
        ),
    ),
    ("seat", re.compile(r"(?:is |was )?(?:the )?capital(?: city)? of")),
)
_WITH_PLACES = frozenset({"birth", "death", "seat"})
_NOT_A_PLACE = re.compile(r"\d|^(?:to|as|into|for|with|of|aged?|unknown)\b")


def functional_fact(predicate: str, value: str) -> tuple[str, frozenset[str]] | None:
    """Return the kind of fact that a relation states and its comparable values, None if no such.

    Where the value names a year, that decides ("birth year"), else the whole name ("birth place").
    """
    kind = _kind(predicate)
    if kind is None:
        return None
    years = frozenset(_YEAR.findall(value))
    if years and kind != "seat":
        return f"{kind} year", years
    key = name_key(value)
    if kind in _WITH_PLACES and key and not _NOT_A_PLACE.search(key):
        return f"{kind} place", frozenset({key})
    return None


def states_fact(predicate: str) -> bool:
    """Return whether a predicate may state a fact of which a thing has only one."""
    return _kind(predicate) is not None


def contradicting_years(one: Mapping[str, set[str]], other: Mapping[str, set[str]]) -> bool:
    """Return whether both give years for one kind of fact and have none in common."""
    shared = (kind for kind in one.keys() & other.keys() if kind.endswith("year"))
    return any(one[kind].isdisjoint(other[kind]) for kind in shared)


def contradicting_places(one: Mapping[str, set[str]], other: Mapping[str, set[str]]) -> bool:
    """Return whether both give places for one kind of fact that have no word in common."""
    shared = (kind for kind in one.keys() & other.keys() if kind.endswith("place"))
    return any(place_words(one[kind]).isdisjoint(place_words(other[kind])) for kind in shared)


def merge_facts(into: Facts, facts: Mapping[str, set[str]]) -> None:
    """Add the values of `facts`."""
    for kind, values in facts.items():
        into.setdefault(kind, set()).update(values)


@lru_cache(maxsize=65536)
def _kind(predicate: str) -> str | None:
    key = name_key(predicate)
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(key)), None)


def place_words(names: set[str]) -> set[str]:
    """Return the words of names of places: two that have none in common are two places."""
    return {word for name in names for word in name.split()}
