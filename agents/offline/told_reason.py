"""Answer why something is so by the sentence that gives its reason: "because the path floods"."""

from __future__ import annotations

import re

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import has_doubt, is_asserted
from hoptrail.agents.language.reserves import silent
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.offline.told_label import groups_above
from hoptrail.agents.reading.query import read_query
from hoptrail.core.text import flat, name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS = re.compile(
    r"\W{0,3}(?:why|for\swhat\sreason|what\sis\sthe\sreason|how\scome|what\sfor)\b", re.IGNORECASE
)
# "Since the spring" and "as a hospital" are no clauses, "since the bus is late" is one.
_WHO = (
    r"(?=(?:he|she|it|they|we|I|you|there)\b|(?:the|an?|our|their|his|her|its|no|this|that|these)"
    r"(?:\s[\w'’-]{1,30}){1,6}?\s(?:is|are|was|were|has|have|had|will|would|can|could|must|do|does|did"
    r"|cannot|[a-z]{2,10}n['’]t)\b)"
)
_LINK = (
    rf"(?:because\sof|because|due\sto|owing\sto|thanks\sto|for\slack\sof|since\s{_WHO}|as\s{_WHO}"
    r"|so\sthat|in\sorder\sto|so\sas\sto|(?=to\s(?:avoid|prevent|save|protect|allow|make|keep|let|help)\b))"
)
_BEHIND = re.compile(
    rf"(?P<told>[^\n]{{5,240}}?),?\s(?P<link>{_LINK})\s?(?P<reason>(?:[^.;!?\n]|\n(?!\n)|\.(?=\d)){{3,160}})"
)
_COMPARES = re.compile(r"\b(?:as|so|such|same)\s[\w'’-]{1,30}$")  # "as high as the tower is"
_MOST_WORDS = 24


def asks_for_reason(question: str) -> bool:
    """Return whether a question asks why something is so."""
    return _ASKS.match(question) is not None


def find_reason(question: str, index: EvidenceIndex) -> Draft:
    """Return the reason that a sentence gives for what is asked; without one the draft abstains.

    The sentence says all that the question says is so, its heading and title counted: else, with
    reserve, most of it. Where several give different reasons, all are told.

    Args:
        question: The standalone question, which asks why.
        index: The evidence.
    """
    query = read_query(question)
    found = [
        reason
        for sentences in index.sentences.values()
        for sentence in sentences
        if (reason := _reason(query.wanted, has_doubt(question), sentence)) is not None
    ]
    if not found:
        return Draft("graph_search", reason="no_evidence")
    fewest = min(len(missing) for missing, _ in found)
    best = {name_key(claim.object): claim for missing, claim in found if len(missing) == fewest}
    missing = next(missing for missing, _ in found if len(missing) == fewest)
    unsaid = next((word for word, group in query.worded if group in missing), "")
    answers = tuple(claim.object for claim in best.values())
    reserve = silent(unsaid) if unsaid else ""
    return Draft("graph_search", answers, hops=tuple(best.values()), reserve=reserve)


def _reason(
    wanted: frozenset[str], is_denied: bool, sentence: Sentence
) -> tuple[frozenset[str], HopClaim] | None:
    """Return the reason that a sentence gives, and what is wanted but not said with it.

    Args:
        wanted: The word groups of what the question says is so.
        is_denied: Whether the question says that it is not: "why is it not allowed".
        sentence: A sentence.
    """
    text = sentence.text
    match = _BEHIND.match(text)
    if match is None:
        return None
    if match["link"].lower().startswith("as") and _COMPARES.search(match["told"]):
        return None
    told = everyday_groups(match["told"])
    missing = wanted - told - groups_above(sentence)
    if len(missing) >= len(wanted & told):
        return None
    # What is explained is so, or not, as asked; the reason may be a denial: "as no bus runs".
    is_so = is_asserted(match["told"], 0, len(match["told"]))
    reason = flat(match["reason"]).strip(" .,")
    if is_so == is_denied or len(reason.split()) > _MOST_WORDS:
        return None
    return missing, HopClaim(flat(match["told"]), flat(match["link"]), reason, sentence.chunk.id)
