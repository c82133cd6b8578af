"""A claim in words: as a statement, a question or a denial."""

from __future__ import annotations

import re
from typing import Literal

from hoptrail.eval.planted.relations import RELATIONS

Form = Literal["label", "auxiliary", "participle", "verb"]

_AUXILIARY = re.compile(r"(is|was|are|were|has|had|have|can|will)\b(?: been\b)?", re.IGNORECASE)
_PREPOSITION = re.compile(r"\b(?:by|in|on|at|of|from|to|with|as|for|near|into|under|after)$")
_IRREGULAR = frozenset(
    "born built written sung made held won led known found set drawn shot sold sent taught".split()
)
_INTRANSITIVE = frozenset(
    """died moved worked lived flowed competed played served starred participated resulted occurred
    appeared debuted premiered launched retired operated emerged graduated studied attended belonged
    returned travelled settled arrived happened started ended signed married collaborated""".split()
)
_LASTING = frozenset("located situated based headquartered owned known called spoken used".split())
_LABELS = {relation.label for relation in RELATIONS if relation.label} | {
    "country of citizenship",
    "country",
    "inception",
    "child",
    "sibling",
    "performer",
    "award received",
    "author",
    "capital",
    "employer",
    "nationality",
    "occupation",
}


def form_of(predicate: str) -> Form:
    """Return how a predicate is put into a sentence: as noun, with or without an auxiliary."""
    words = predicate.split()
    if predicate in _LABELS:
        return "label"
    if _AUXILIARY.match(predicate):
        return "auxiliary"
    first = words[0].casefold() if words else ""
    is_participle = (first.endswith("ed") and first not in _INTRANSITIVE) or first in _IRREGULAR
    if is_participle and len(words) > 1 and _PREPOSITION.search(predicate):
        return "participle"
    is_noun = len(words) > 1 and words[-1] == "of" and not first.endswith("s")
    return "label" if is_noun else "verb"


_STATEMENTS: dict[Form, str] = {
    "label": "The {noun} of {subject} is {object}",
    "participle": "{subject} {helper} {rest} {object}",
    "auxiliary": "{subject} {helper} {rest} {object}",
    "verb": "{subject} {rest} {object}",
}
_QUESTIONS: dict[Form, str] = {
    "label": "Is {object} the {noun} of {subject}?",
    "participle": "{Helper} {subject} {rest} {object}?",
    "auxiliary": "{Helper} {subject} {rest} {object}?",
    "verb": "Is it true that {subject} {rest} {object}?",
}
_DENIALS: dict[Form, str] = {
    "label": "{Object} is not the {noun} of {subject}",
    "participle": "{subject} {helper} not {rest} {object}",
    "auxiliary": "{subject} {helper} not {rest} {object}",
    "verb": "It is not true that {subject} {rest} {object}",
}


def statement(subject: str, predicate: str, object_: str) -> str:
    """Return the claim as a sentence without its full stop."""
    return _worded(_STATEMENTS, subject, predicate, object_)


def question(subject: str, predicate: str, object_: str) -> str:
    """Return whether the claim holds, as a question."""
    return _worded(_QUESTIONS, subject, predicate, object_)


def denial(subject: str, predicate: str, object_: str) -> str:
    """Return the claim's negation as a sentence without its full stop."""
    return _worded(_DENIALS, subject, predicate, object_)


def _worded(patterns: dict[Form, str], subject: str, predicate: str, object_: str) -> str:
    form = form_of(predicate)
    helper, rest = "", predicate
    if form == "participle":
        helper = _helper(predicate)
    elif form == "auxiliary":
        helper, _, rest = predicate.partition(" ")
    # An auxiliary alone ("is") leaves no rest.
    pattern = (
        patterns[form] if rest or form != "auxiliary" else patterns[form].replace("{rest} ", "")
    )
    return pattern.format(
        subject=subject,
        object=object_,
        Object=f"{object_[:1].upper()}{object_[1:]}",
        noun=predicate.removesuffix(" of"),
        helper=helper,
        Helper=helper.capitalize(),
        rest=rest,
    )


def no_longer(subject: str, predicate: str, object_: str) -> str | None:
    """Return that the claim held once, None for what cannot end."""
    words = predicate.split()
    verb = words[1] if len(words) > 1 and words[0] == "is" else words[0] if words else ""
    if verb not in _LASTING:
        return None
    return f"{subject} is no longer {predicate.removeprefix('is ')} {object_}"


def is_directed(predicate: str) -> bool:
    """Return whether the claim would be another one with its ends exchanged.

    Of a noun ("director") the reader cannot tell which end is which, so it is none.
    """
    if form_of(predicate) == "label" or _MUTUAL.search(predicate):
        return False
    return re.search(r"\b(?:by|in|of|from|at)$", predicate) is not None


_MUTUAL = re.compile(
    r"marri|spouse|wife|husband|sibling|brother|sister|twin|partner|neighbou?r|border|friend|"
    r"colleague|cousin|rival|same|equal|similar|adjacent|known|called|named|abbreviat|"
    r"(?:is|was) in$",
    re.IGNORECASE,
)


def _helper(predicate: str) -> str:
    return "is" if predicate.split()[0].casefold() in _LASTING else "was"
