"""The thing and the happening that a question asks the time or place of: "When is it open?"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.agents.language.everyday_words import everyday_group, everyday_groups

_ASKS = re.compile(
    r"\W{0,3}(?P<asked>when|where|(?:at\s)?what\stime|on\s(?:what|which)\sday|until\swhen|by\swhen)\s"
    r"(?:is|are|was|were|may|can|must|should|shall|will|do|does|did|has|have)\s"
    r"(?:the\s|an?\s|our\s|my\s|your\s)?(?P<subject>[^\s?,]{1,30}(?:\s[^\s?,]{1,30}){0,7}?)\s"
    r"(?:to\s)?(?:be\s)?(?P<verb>[a-z]{3,20})(?:\s(?P<particle>off|on|out|up|down|in|place|back|away))?"
    r"\W{0,3}",
    re.IGNORECASE,
)
_NO_WORDS = frozenset("the an a our my your and for from with that this there".split())


@dataclass(frozen=True, slots=True)
class EventQuestion:
    """Of what thing, what happens to it, and whether its place is asked for, else its time."""

    subject: str
    verb: str
    particle: str
    asks_where: bool

    @property
    def things(self) -> frozenset[str]:
        """The word groups of the thing."""
        return everyday_groups(self.subject)

    def is_verb(self, word: str) -> bool:
        """Return whether a word means what happens, in any form: "permitted" for "allowed"."""
        return everyday_group(word) == everyday_group(self.verb)


def read_event_question(question: str) -> EventQuestion | None:
    """Return what a short question asks the time or place of, None for any other question."""
    asks = _ASKS.fullmatch(question)
    if asks is None or {asks["verb"].lower(), asks["subject"].lower()} & _NO_WORDS:
        return None
    asks_where = asks["asked"].lower() == "where"
    particle = (asks["particle"] or "").lower()
    return EventQuestion(asks["subject"], asks["verb"].lower(), particle, asks_where)
