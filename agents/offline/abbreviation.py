"""Answer what an abbreviation stands for, and how something is abbreviated."""

from __future__ import annotations

import re

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.abbreviations import abbreviations_in
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import STANDS_FOR, Draft, HopClaim

_ASKS_LONG = re.compile(
    r"\W{0,3}(?:what\s(?:do|does|did)\s(?:the\s)?(?:abbreviations?\s|letters\s|code\s|acronym\s)?"
    r"(?P<a>[^\s?]{1,12})\s(?:mean|stand\sfor|denote)"
    r"|what(?:\sis|['’]s|\sare)\s(?:the\smeaning\sof\s|meant\sby\s)?(?:an?\s)?"
    r"(?P<b>[^\s?]{1,12})(?:\s(?:short|an\sabbreviation)\sfor)?)\W{0,3}",
    re.IGNORECASE,
)
_ASKS_SHORT = re.compile(
    r"\W{0,3}what\sis\sthe\s(?:abbreviation|acronym|short\sform)\s(?:for|of)\s(?P<long>[^?]{2,80}?)\W{0,3}",
    re.IGNORECASE,
)


def find_abbreviation(question: str, index: EvidenceIndex) -> Draft | None:
    """Return what a short form stands for, or the short form, None where no passage explains it.

    Where passages explain it differently, all that they say is told.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asks_long, asks_short = _ASKS_LONG.fullmatch(question), _ASKS_SHORT.fullmatch(question)
    if asks_long is None and asks_short is None:
        return None
    short = (asks_long["a"] or asks_long["b"]).strip("\"'“”‘’.") if asks_long else ""
    long = name_key(asks_short["long"]) if asks_short else ""
    claims: dict[str, HopClaim] = {}
    for chunk in index.chunks.values():
        for one in abbreviations_in(chunk.text):
            claim = HopClaim(one.short, STANDS_FOR, one.long, chunk.id)
            if short and one.short.strip(".") == short:
                claims.setdefault(name_key(one.long), claim)
            if long and name_key(one.long) == long:
                claims.setdefault(one.short, claim)
    if not claims:
        return None
    hops = tuple(claims.values())
    answers = tuple(hop.object if short else hop.subject for hop in hops)
    return Draft("graph_search", answers, hops=hops, reserve="")
