"""Answer where something is by the clause that says so: "The book group meets in the red room"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.reading.query import read_query
from hoptrail.core.text import flat, name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS = re.compile(
    r"\W{0,3}where(?:\s(?:is|are|was|were|do|does|did|can)\b|['’]s\s)", re.IGNORECASE
)
_PREPOSITION = (
    r"(?:in|on|at|under|behind|beside|near|next\sto|outside|inside|above|below|opposite|between)"
)
# A place that has a name is found by its name.
_PLACE = rf"{_PREPOSITION}\s(?:the|an?|our|its|his|her|their)\s[a-z][^,;:.!?()\n]{{1,80}}"
_SAYS = re.compile(rf"(?P<told>[^,;:.!?()\n]{{3,160}}?)\s(?P<place>{_PLACE})")
_NEXT = re.compile(rf"\s(?={_PREPOSITION}\s)")
_ENDS = re.compile(
    r"\s(?:from|every|each|until|since|during|after|before|as|because|while|when|where|which|who|that"
    r"|and|but|for|with|to|if|once|twice|by|(?:in|on|at)\s(?!the\b|an?\b|our\b|its\b|his\b|her\b"
    r"|their\b))\s"
)
_TIME = re.compile(
    rf"\b(?:{MONTHS}|{WEEKDAYS}|morning|afternoon|evening|night|weekend|week|month|year|day|season"
    r"|spring|summer|autumn|winter|time|moment|end|holidays)s?\b"
)
_BEING = everyday_groups("be take place held kept find found locate happen stand lie hang situated")
_HELPERS = frozenset("is are was were be been take takes took".split())


def find_place(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the place that a clause tells of what is asked, where all that tell one agree.

    The clause says all words of the question before the place, and no other ones: where the junior
    group meets says nothing of the group.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    query = read_query(question)
    if query.is_doubtful or query.asked.noun or _ASKS.match(question) is None:
        return None
    wanted = query.wanted - _BEING
    sentences = (one for of_chunk in index.sentences.values() for one in of_chunk)
    found = [claim for one in sentences for claim in _places(wanted, one)] if wanted else []
    if len({name_key(claim.object) for claim in found}) != 1:
        return None
    return Draft("graph_search", (found[0].object,), hops=(found[0],), reserve="")


def _places(wanted: frozenset[str], sentence: Sentence) -> Iterator[HopClaim]:
    """Yield what the clauses of a sentence say of the place of what is wanted."""
    if sentence.text.rstrip().endswith("?"):
        return
    for said in _SAYS.finditer(sentence.text):
        told = everyday_groups(said["told"]) - _BEING
        place = _without_time(said["place"])
        end = said.start("place") + len(place)
        if place and told == wanted and is_asserted(sentence.text, said.start(), end):
            subject, predicate = _subject_and_predicate(flat(said["told"]))
            yield HopClaim(
                subject or sentence.topic_title, predicate, flat(place), sentence.chunk.id
            )


def _without_time(phrase: str) -> str:
    """Return the places that a phrase begins with: "in the hall", without "on the first Monday"."""
    end = _ENDS.search(phrase)
    parts = _NEXT.split(phrase[: end.start()] if end else phrase)
    timed = (at for at, part in enumerate(parts) if _TIME.search(part))
    return " ".join(parts[: next(timed, len(parts))])


def _subject_and_predicate(told: str) -> tuple[str, str]:
    """Return what a clause is about, and its verb: "The class", "is held"."""
    words = told.split()
    size = 2 if len(words) > 2 and words[-2].lower() in _HELPERS else 1
    return " ".join(words[:-size]), " ".join(words[-size:])
