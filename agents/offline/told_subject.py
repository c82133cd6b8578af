"""Answer who or what does something by the subject of the sentence that says so word for word.

"Who counts the stock every Friday?" is answered by "The head nurse counts the stock every Friday".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.labelled_text import labelled_parts
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS = re.compile(
    r"\W{0,3}(?:who|what)\s(?!(?:do|does|did|else)\b)(?P<verb>[a-z]{2,20})\s(?P<rest>[^?]{3,200}?)\s?\?{0,3}",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3  # of what is told, its verb included
# "The head nurse", "Ann Holt", "Our landlord's agent"; no pronoun, no clause and no part of a name.
_SUBJECT = re.compile(
    r"(?:The|Our|A|An|Each|Every|Your|My)(?:\s[\w’'-]{1,30}){1,4}"
    r"|[A-Z][\w’'-]{1,30}(?:\s[A-Z][\w’'-]{1,30}){1,3}"
)
_NO_SUBJECT = frozenset(
    "he she it they this that these those there who which what we i you".split()
)
_GLUE = frozenset(
    "who which that is are was were has have had and or of to in on at for by".split()
)


def find_told_subject(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the subject of the sentences that tell what a question asks, in its very words.

    None where no sentence does, or where sentences with different subjects do.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asks = _ASKS.fullmatch(question.strip())
    if asks is None or len(f"{asks['verb']} {asks['rest']}".split()) < _FEWEST_WORDS:
        return None
    claims = list(_claims(asks["verb"], asks["rest"], index))
    if len({name_key(claim.subject) for claim in claims}) != 1:
        return None
    claim = claims[0]
    return Draft("graph_search", (claim.subject,), hops=(claim,), reserve="")


def _claims(verb: str, rest: str, index: EvidenceIndex) -> Iterator[HopClaim]:
    words = re.findall(r"\w+", f"{verb} {rest}")
    told = re.compile(r"\b" + r"\W{1,3}".join(map(re.escape, words)) + r"\b", re.IGNORECASE)
    for sentences in index.sentences.values():
        for sentence in sentences:
            match = told.search(sentence.text)
            if match is not None and (subject := _subject(sentence, match.start())):
                yield HopClaim(subject, verb, rest, sentence.chunk.id)


def _subject(sentence: Sentence, end: int) -> str:
    """Return the words before a verb where they are a whole subject, else an empty text."""
    before = sentence.text[:end].strip()
    words = before.lower().split()
    if _SUBJECT.fullmatch(before) is None or words[0] in _NO_SUBJECT or _GLUE & {*words}:
        return ""
    is_question = sentence.text.rstrip().endswith("?")
    if is_question or labelled_parts(sentence.text) or not is_asserted(sentence.text, end, end):
        return ""
    return before
