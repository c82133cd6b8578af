"""Whether an end of a claim is one thing: a whole name, and one value."""

from __future__ import annotations

import re

from hoptrail.agents.language.common_words import is_common
from hoptrail.core.types.draft import HopClaim

_NUMBER = r"[£€$¥]?\d[\d.,]*(?:\s?[£€$¥%])?"
# "80 31.00 2,480.00" is a row; "18 400" and "01234 567 890" are one number.
_ROW = re.compile(rf"(?<![\w.,]){_NUMBER}(?:\s{{1,9}}{_NUMBER})+(?![\w.,])")
_AMOUNT = re.compile(r"[£€$¥%]|\d[.,]\d{1,2}(?!\d)")
_NAME_WORD = re.compile(r"[^\W\d_][\w'’.-]*")


def holds_several_values(text: str) -> bool:
    """Return whether a text has a row of numbers, as a line of a table without its lines has."""
    return any(_AMOUNT.search(found.group()) for found in _ROW.finditer(text))


def splits_name(claim: HopClaim, text: str) -> bool:
    """Return whether a claim takes a name apart: "Sabine | Ferraro" of "Sabine Ferraro".

    A label before a name is a common word: "Chair Ann Holt".

    Args:
        claim: The claim.
        text: The sentence that is to state it.
    """
    words = claim.predicate.split()
    if not words or not all(_is_name_word(word) and not is_common(word) for word in words):
        return False
    if not all(map(_is_name_word, claim.object.split())):
        return False
    told = r"\s{1,9}".join(map(re.escape, [*words, *claim.object.split()]))
    return re.search(rf"(?<!\w){told}(?!\w)", text) is not None


def _is_name_word(word: str) -> bool:
    return word[0].isupper() and _NAME_WORD.fullmatch(word) is not None
