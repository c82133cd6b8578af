"""The kind of thing that a name stands for, by the words of the name."""

from __future__ import annotations

import re

from hoptrail.agents.language.answer_types import AnswerType

_ORGANIZATION = re.compile(
    r"\b(?:university|college|school|institute|company|corporation|records|association|"
    r"league|club|party|band|orchestra|ministry|department|society|union|f\.?c|inc|ltd|"
    r"studios?|pictures|entertainment|airlines?|airways|press|museum|navy|army|force|corps|"
    r"academy|church|council|committee|bank|group|network|team|foundation|senate|parliament)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:county|city|river|lake|mount|mountains?|island|islands|province|district|"
    r"street|avenue|valley|ocean|sea|bay|republic|kingdom|states|park|village|town|"
    r"township|peninsula|prefecture|oblast|region)\b",
    re.IGNORECASE,
)

_WHEREABOUTS = re.compile(r"\b(?:at|in|near)\W*$", re.IGNORECASE)

POSSESSED = (
    "Abbey|Academy|Arms|Bakery|Bank|Bay|Bridge|Caf[eé]|Castle|Cathedral|Chapel|Church|Club|College|"
    "Court|Cross|Cup|Day|Farm|Gardens?|Gate|Green|Hall|Head|Hospital|Hotel|House|Inn|Islands?|Lane|"
    "Library|Market|Mill|Museum|Palace|Park|Point|Priory|Restaurant|Road|School|Square|Street|"
    "Theatre|University|Wharf|Yard"
)
"""Words that make one name with a name before them that owns them: "St Aldhelm's Church"."""


def type_by_shape(name: str) -> AnswerType | None:
    """Return "organization" or "place" where a word of the name says so, else None."""
    if _ORGANIZATION.search(name):
        return "organization"
    return "place" if _PLACE.search(name) else None


def ends_in_place(label: str) -> bool:
    """Return whether a predicate or the head of a column leads to a place: "Found at"."""
    return _WHEREABOUTS.search(label) is not None
