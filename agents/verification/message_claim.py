"""Whether a message states a claim about who wrote it: what he said when, and what of himself."""

from __future__ import annotations

import re

from hoptrail.agents.evidence.evidence_index import Sentence
from hoptrail.agents.language.assertion import has_doubt, is_asserted
from hoptrail.agents.language.message_head import SAYING, is_writer, without_moment
from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.core.types.draft import HopClaim

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_OPENING_WORDS = 2
_FIRST_PERSON = {"is": "am", "has": "have", "does": "do", "was": "was", "m": "am", "ve": "have"}


def is_told_by_writer(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a message's sentence states a claim whose subject wrote the message.

    "Ann Holt | asked on 2026-05-04 | whether the sail has come", of what she asked that day, and
    "Ann Holt | has moved to | Alding", of "I've moved to Alding".
    """
    message = sentence.message
    if message is None or not is_writer(claim.subject, message):
        return False
    return _is_said(claim, sentence) or _is_of_himself(claim, sentence)


def _is_said(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a claim begins with a verb of saying, and its words are in the message."""
    message = sentence.message
    told = without_moment(f"{claim.predicate} {claim.object}", message) if message else None
    saying = SAYING.search(told or "")
    if message is None or told is None or saying is None:
        return False
    if len(told[: saying.start()].split()) > _OPENING_WORDS:
        return False
    wanted = word_groups(told[saying.end() :])
    line = sentence.chunk.text[message.start : message.end]
    is_here = not wanted or bool(wanted & word_groups(sentence.text))
    is_denied = has_doubt(told) != has_doubt(sentence.text)
    return is_here and wanted <= word_groups(line) and not is_denied


def _is_of_himself(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether "I" with the words of the claim, one after the other, stands in a sentence."""
    wanted = [_group(one) for one in _WORD.findall(f"{claim.predicate} {claim.object}")]
    found = list(_WORD.finditer(sentence.text))
    groups = [_group(one.group()) for one in found]
    for place, one in enumerate(found):
        last = place + len(wanted)
        if one.group() == "I" and wanted and groups[place + 1 : last + 1] == wanted:
            return is_asserted(sentence.text, one.start(), found[last].end())
    return False


def _group(word: str) -> str:
    low = word.casefold()
    return _FIRST_PERSON.get(low) or word_group(low)
