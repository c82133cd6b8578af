"""How well a thing of the conversation fits what a word refers to."""

from __future__ import annotations

from typing import Literal

from hoptrail.agents.language.answer_types import type_of_noun
from hoptrail.agents.planning.references import Reference
from hoptrail.agents.planning.spoken_things import Thing
from hoptrail.core.text import name_key

Fit = Literal[0, 1, 2]
"""0: it is none. 1: nothing speaks against it. 2: it is known to be one."""

_ALIKE = tuple(
    frozenset(nouns.split())
    for nouns in (
        "town city village place birthplace hometown capital municipality",
        "firm company business corporation supplier manufacturer",
        "film movie",
        "ship boat vessel steamer",
        "yard shipyard",
        "building house hall theatre tower lighthouse museum church castle palace",
        "organisation organization",
        "person man woman",
    )
)
_VALUES = frozenset({"date", "number"})


def fit(reference: Reference, thing: Thing) -> Fit:
    """Return how well a thing fits a reference, for all but "the other one"."""
    match reference.kind:
        case "person":
            return _fit_of_person(reference.noun, thing)
        case "place":
            return _fit_of_place(thing)
        case "noun":
            return _fit_of_noun(reference.noun, thing)
        case "thing":
            return 0 if thing.type in _VALUES or thing.type == "person" else 2
        case _:
            return 0 if thing.type in _VALUES else 2


def _fit_of_person(noun: str, thing: Thing) -> Fit:
    if thing.sex is not None and noun in {"man", "woman"} and noun != thing.sex:
        return 0
    if thing.type == "person":
        is_doubtful = thing.part == "doubtful answer" and not thing.is_known
        return 1 if thing.part == "topic" or is_doubtful else 2
    return 1 if thing.type is None and thing.may_be_person else 0


def _fit_of_place(thing: Thing) -> Fit:
    if thing.type in _VALUES or thing.type == "person":
        return 0
    return 2 if thing.type == "place" else 1


def _fit_of_noun(noun: str, thing: Thing) -> Fit:
    wanted = type_of_noun(noun)
    if noun in {"person", "man", "woman"}:
        return _fit_of_person(noun, thing)
    if wanted in _VALUES or thing.type in _VALUES:
        return 2 if wanted == thing.type else 0
    if thing.part == "topic":
        return 0  # "the camp" stands for itself
    if _alike(noun) & (thing.nouns | _heads(thing.name)):
        return 2
    if noun == "place" and thing.type == "place":
        return 2
    is_other = thing.type == "person" or (thing.is_known and thing.type not in {None, wanted})
    is_told = bool(thing.nouns) or wanted is None or thing.part == "trail"
    return 0 if is_told or is_other else 1


def _alike(noun: str) -> frozenset[str]:
    """Return the nouns that name the same kind of thing."""
    return frozenset({noun}).union(*(nouns for nouns in _ALIKE if noun in nouns))


def _heads(name: str) -> frozenset[str]:
    """Return the words of a name that may tell what it is: "hall" of "Town Hall", "river"."""
    words = name_key(name).split()
    last = frozenset(words[-1:])
    is_told = any(type_of_noun(word) or _alike(word) != {word} for word in last)
    return last if is_told else last | frozenset(words[:1])
