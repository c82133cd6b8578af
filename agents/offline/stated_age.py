"""Read how old somebody or something is, as a sentence states it: "aged 52", "(39)"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS = re.compile(
    r"\W{0,3}(?:how\sold\s(?:is|was|are|were)\s(?:now\s)?(?P<who>[^,;?]{2,60}?)"
    r"|what\sis\s(?P<whose>[^,;?]{2,60}?)['’]s?\sage|what\sis\sthe\sage\sof\s(?P<of>[^,;?]{2,60}?))"
    r"(?:\snow)?\s?\?",
    re.IGNORECASE,
)
_UNIT = r"(?:years?|months?|weeks?|days?)"
# Behind "is", a bare number is an age only where the clause ends with it.
_AGE = re.compile(
    rf",?\s?(?:(?P<said>\b(?:who\s)?(?:is|was|are|were|turned|turns)(?:\s(?:now|already|only|just))?)\s"
    rf"(?P<age>(?:\d{{1,3}},\d{{3}}|\d{{1,4}})(?![,.]?\d)(?:\s{_UNIT}(?=\sold\b|\sof\sage\b)|(?=\s?(?:[.;,)]|$|and\b|but\b))))"
    rf"|,?\s?\(?(?:aged|age)\s(?P<aged>\d{{1,3}}(?:\s{_UNIT})?)\b"
    r"|,\s(?P<beside>\d{2}),|\((?P<inside>\d{2})\))"
)
# "The table for Ada is 14", "the score of Clara was 52": said of another thing.
_BEFORE = re.compile(
    r"\b(?:of|for|to|with|by|at|in|on|from|under|near|behind|beside)\s(?:the\s|our\s)?$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|our|my|your)\s", re.IGNORECASE)


def find_stated_age(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the age that sentences state of what a question names, where all of them agree.

    None where the question asks for no age, and where no sentence has one right behind the name.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asked = _ASKS.match(question)
    if asked is None:
        return None
    name = next(filter(None, asked.groups())).strip()
    claims = [
        claim
        for sentences in index.sentences.values()
        for sentence in sentences
        for claim in _ages(sentence, name)
    ]
    if len({name_key(claim.object) for claim in claims}) != 1:
        return None
    return Draft("graph_search", (claims[0].object,), hops=(claims[0],), reserve="")


def _ages(sentence: Sentence, name: str) -> Iterator[HopClaim]:
    """Yield the ages that a sentence states of a name."""
    text, bare = sentence.text, _ARTICLE.sub("", name)
    for place in re.finditer(rf"(?<!\w){re.escape(bare)}(?!\w)", text, re.IGNORECASE):
        match = _AGE.match(text, place.end())
        if match is None or _BEFORE.search(text[: place.start()]):
            continue
        group = next(name for name in ("age", "aged", "beside", "inside") if match[name])
        if is_asserted(text, *match.span(group)):
            predicate = match["said"] or ("aged" if match["aged"] else "")
            yield HopClaim(place.group(), predicate, match[group], sentence.chunk.id)
