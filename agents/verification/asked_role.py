"""Whether the answer of a "who" question did what is asked, rather than had it done to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.language.answer_types import type_of_noun
from hoptrail.agents.language.reserves import other_kind, other_thing
from hoptrail.agents.language.word_groups import stem, word_group, word_groups
from hoptrail.agents.verification.predicate_sense import PredicateSense, read_predicate
from hoptrail.agents.verification.role_reader import DOINGS
from hoptrail.core.text import name_key, words
from hoptrail.core.types import TrailHop
from hoptrail.core.types.draft import HopClaim

_WHO_DID = re.compile(
    r"\W{0,3}who\s(?!(?:is|was|are|were|be|been|has|have|had|do|does|did|will|would|can|could|may|"
    r"might|must|should|else)\b)(?:[a-z]{2,15}ly\s)?(?P<verb>[a-z]{3,20})\b",
    re.IGNORECASE,
)
_WHEN_DID = re.compile(
    r"\W{0,3}(?:[Ww]hen|[Ww]here|[Ii]n\s(?:which|what)\s[a-z]{3,15})\s"
    r"(?:did\s(?:[^\s?]{1,30}\s){1,14}?(?P<did>[a-z]{3,20})"
    r"|(?:was|were)\s(?:[^\s?]{1,30}\s){1,14}?(?P<was>[a-z]{2,20}(?:ed|wn|rn|en|lt|ld|nt|ght)))\W{0,3}"
)
_WHEN_DID_PHRASE = re.compile(
    r"\W{0,3}(?:[Ww]hen|[Ww]here|[Ii]n\s(?:which|what)\s[a-z]{3,15})\s"
    r"did\s(?:[\w'’.-]{1,30}\s){1,6}?(?P<verb>come|go|get|take|set|put|make|give|turn|run|break)\s"
    r"(?P<particle>out|up|down|off|back|away|over|in|on|place)\W{0,3}"
)
_SAME_EVENT = {
    "out": word_groups("released published issued appeared launched premiered opened"),
    "place": word_groups("held happened occurred fought staged celebrated played was on"),
}
_PARTICLES = frozenset("up down out off away back over".split())
_BEFORE_PLACE = frozenset("off at in near into inside outside towards toward past beside".split())
_DETERMINERS = frozenset("the a an his her its their".split())
_LONGEST_PHRASE = 5  # words: "the old great telescope of"


def asked_verb(question: str) -> str | None:
    """Return what a question says that somebody did: "who built", None where it says none."""
    asked = _WHO_DID.match(question)
    return asked["verb"].lower() if asked else None


def asked_event(question: str) -> str | None:
    """Return what happened of which a question asks when or where: "when did she die", else None.

    Only a short question ends with its verb.
    """
    asked = _WHEN_DID.fullmatch(question)
    event = asked["did"] or asked["was"] if asked else None
    if event in _PARTICLES:  # "when did it burn down"
        return words(question)[-2]
    return event


def unsaid_phrase(question: str, told: str) -> str | None:
    """Return what a question says that happened in two words, where a text does not tell it.

    Neither word of "when did it come out" says much alone: "was broken up in 1904" tells another
    event. None where the question ends with no such words.

    Args:
        question: The standalone question.
        told: The words of the step that answers it.
    """
    asked = _WHEN_DID_PHRASE.fullmatch(question)
    if asked is None:
        return None
    verb, particle = asked["verb"], asked["particle"]
    said = {word_group(word) for word in words(told)}
    if (
        particle in words(told)
        and word_group(verb) in said
        or said & _SAME_EVENT.get(particle, set())
    ):
        return None
    return f"{verb} {particle}"


def no_doer(question: str, answer: str, hops: Sequence[TrailHop | HopClaim]) -> str | None:
    """Return why an answer did not do what a "who" question asks, None where it may have.

    A ship that was built did not build; what stands behind "off" or "at" is a place; and who built
    the telescope of an observatory did not thereby build the observatory.

    Args:
        question: The standalone question.
        answer: The first answer.
        hops: Its trail, in order.
    """
    verb = asked_verb(question)
    if verb is None or not hops:
        return None
    last = hops[-1]
    sense = read_predicate(last.predicate)[0]
    told = words(last.predicate)
    is_asked = stem(verb) in map(stem, told)
    is_own = word_group(verb) in DOINGS  # "Ann Holt studied in Ribe"
    if is_asked and not is_own and _role_of(answer, last, sense) == "patient":
        return other_kind("the doer", "the thing that it was done to")
    if not is_asked and told[-1:] and told[-1] in _BEFORE_PLACE and _is(answer, last.object):
        return other_kind("the doer", "a place")
    part = _part_of(told)
    if not (is_asked and part and _is(answer, last.subject)):
        return None
    is_meant = word_group(part) in {word_group(word) for word in words(question)}
    if is_meant or type_of_noun(part) is not None:
        return None
    return other_thing(f'the {part} of "{last.object}"')


def _part_of(told: Sequence[str]) -> str | None:
    """Return the noun of a predicate that ends with "the telescope of", None where it does not."""
    is_phrase = told[-1:] == ["of"] and not _DETERMINERS.isdisjoint(told[-_LONGEST_PHRASE:-2])
    return told[-2] if is_phrase else None


def _role_of(answer: str, hop: TrailHop | HopClaim, sense: PredicateSense) -> str:
    if _is(answer, hop.subject):
        return sense.subject
    return sense.object if _is(answer, hop.object) else ""


def _is(answer: str, end: str) -> bool:
    return name_key(answer) == name_key(end)
