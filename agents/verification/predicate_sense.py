"""How a claim's predicate binds its two ends: who acts, who owns, what is only a circumstance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.core.text import words

Role = Literal["agent", "patient", "circumstance", "bearer", "owner"]
"""What an end of a claim is to its predicate.

Of a verb: who acts, what is acted on, or a place, time or other circumstance. Of a noun: the thing
that bears it as a name ("her wife Ellen") and the thing whose it is.
"""

_LIGHT = word_groups(
    "date year place location located name named time day country full relation type kind"
)
_PREPOSITIONS = frozenset(
    """of in on at by for from to with within near under into through over via since until as
    before after during between among""".split()
)
_HELPERS = frozenset("is are was were be been being has have had did does do will shall".split())
_IRREGULAR = frozenset(
    """born wrote written sang sung built led made won held taught sold bought brought gave given
    took taken began begun ran became left met fought drew drawn chose chosen cut fell founded kept
    lost sent spoke spoken stood""".split()
)
_PLACING = word_groups("located situated lies place city location based found part county state")
_HAVING = frozenset("has have had".split())
_ATTRIBUTES = word_groups(
    "occupation profession job nationality citizenship country genre type kind instance species"
)
_PARENTS = {"father": "m", "mother": "f", "parent": "", "parents": ""}
_CHILDREN = {"son": "m", "daughter": "f", "child": "", "children": "", "sons": "m"}
_MUTUAL = word_groups(
    """spouse married wife husband sibling brother sister twin partner neighbour borders adjacent
    cousin friend colleague sister"""
)
_ACTING_NOUNS = word_groups(
    """author writer director composer performer singer founder publisher producer manufacturer
    owner designer builder discoverer inventor leader teacher employer killer supplier operator
    editor painter architect creator developer sponsor translator manager tenant buyer seller"""
)


@dataclass(frozen=True, slots=True)
class PredicateSense:
    """A claim's predicate, read.

    `groups` are the word groups that a sentence must have; `subject` and `object` the roles of the
    claim's ends; `preposition` is the one before the object, empty for none. `is_attribute` marks
    what a sentence may state by an adjective or noun alone ("a Norwegian brewer"), `is_placing`
    what it may state by a preposition alone ("a mill in Halden").
    """

    groups: frozenset[str]
    subject: Role
    object: Role
    preposition: str = ""
    is_noun: bool = False
    is_attribute: bool = False
    is_mutual: bool = False
    is_placing: bool = False
    is_having: bool = False
    noun: str = ""


def read_predicate(predicate: str) -> PredicateSense:
    """Return the sense of a predicate: a verb ("was founded by"), or a noun ("founder", "mayor of").

    A noun alone says what the object is to the subject, as in "Red Fern - director - John Ford".
    """
    told = words(predicate.replace("_", " "))
    content = word_groups(" ".join(told))
    groups = content - _LIGHT or content
    last = told[-1] if told and told[-1] in _PREPOSITIONS else ""
    is_attribute = bool(content) and content <= _ATTRIBUTES
    is_mutual = bool(groups & _MUTUAL)
    is_placing = content <= _PLACING and (bool(content) or last in {"in", "at", "within"})
    is_having = not content and bool(_HAVING & set(told))
    if is_placing or is_having:
        return PredicateSense(
            groups, "agent", "patient", last, is_placing=is_placing, is_having=is_having
        )
    verb = next((word for word in told if _is_verb(word, told)), None)
    if verb is not None:
        return _verb_sense(verb, told, groups, last, is_mutual)
    noun = next((word for word in told if word_group(word) in groups), "")
    owns = not last and not (told and told[0] in _HELPERS)
    roles: tuple[Role, Role] = ("owner", "bearer") if owns else ("bearer", "owner")
    return PredicateSense(groups, *roles, last, True, is_attribute, is_mutual, noun)


def _verb_sense(
    verb: str, told: list[str], groups: frozenset[str], last: str, is_mutual: bool
) -> PredicateSense:
    is_passive = any(word in _HELPERS for word in told[: told.index(verb)]) or verb == "born"
    if last == "by":
        return PredicateSense(groups, "patient", "agent", last, is_mutual=is_mutual)
    if last == "of" and len(groups) > 1:
        return PredicateSense(groups, "agent", "patient", last, is_mutual=is_mutual)
    if last or (is_passive and told[0] not in {"has", "have", "had"}):
        return PredicateSense(groups, "patient", "circumstance", last, is_mutual=is_mutual)
    return PredicateSense(groups, "agent", "patient", last, is_mutual=is_mutual)


def _is_verb(word: str, told: list[str]) -> bool:
    if word in _HELPERS or word in _PREPOSITIONS:
        return False
    if word in _IRREGULAR or word.endswith(("ed", "ing")) and len(word) > 4:
        return True
    alone = sum(other not in _PREPOSITIONS for other in told) == 1
    has_ending = word.endswith("s") and not word.endswith(("ss", "us", "is", "ers", "ors"))
    return alone and has_ending and word_group(word) not in _ATTRIBUTES | _MUTUAL


def acts(noun: str) -> bool:
    """Return whether the bearer of a noun is who acts: the founder founds."""
    return word_group(noun) in _ACTING_NOUNS


def kinship(noun: str) -> tuple[str, str]:
    """Return "parent" or "child" and "m", "f" or nothing for a word of descent, else two blanks."""
    if noun in _PARENTS:
        return "parent", _PARENTS[noun]
    return ("child", _CHILDREN[noun]) if noun in _CHILDREN else ("", "")
