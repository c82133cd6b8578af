"""The deed or event that a question asks about: who did it, when it happened."""

from __future__ import annotations

import re

from hoptrail.core.text import words

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
_PARTICLES = frozenset("up down out off away back over".split())


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
