"""Whether an end of a claim is one thing: a whole name, and one value."""

from __future__ import annotations

import re

from hoptrail.agents.language.common_words import is_common
from hoptrail.core.types.draft import HopClaim

_NUMBER = r"[£€$¥]?(?>\d{1,3}(?:\s\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d[\d.,]*)(?:\s?[£€$¥%])?"
# "80 31.00 2,480.00" is a row; "18 400" and "01234 567 890" are one number.
_ROW = re.compile(rf"(?<![\w.,]){_NUMBER}(?:\s{{1,9}}{_NUMBER})+(?![\w.,])")
_AMOUNT = re.compile(r"[£€$¥%]|\d[.,]\d{1,2}(?!\d)")
# "is in Corbel County, which has the": what follows tells of the county.
_CLAUSE_OF_NAME = re.compile(r"\b[A-Z][\w'’.-]{0,30},?\s(?:which|where)\b")
_NAME_WORD = re.compile(r"[^\W\d_][\w'’.-]*")


def holds_several_values(text: str) -> bool:
    """Return whether a text has a row of numbers, as a line of a table without its lines has."""
    return any(_AMOUNT.search(found.group()) for found in _ROW.finditer(text))


def tells_of_name_between(predicate: str) -> bool:
    """Return whether a predicate ends in a clause about a name that stands in it."""
    return _CLAUSE_OF_NAME.search(predicate) is not None


def splits_name(claim: HopClaim, text: str) -> bool:
    """Return whether a claim takes a name apart: "Sabine | Ferraro" of "Sabine Ferraro".

    A label before a name is a common word, and not one half of a line of two words: "Chair Ann
    Holt", but "River Cam".

    Args:
        claim: The claim.
        text: The sentence that is to state it.
    """
    labels, values = claim.predicate.split(), claim.object.split()
    if not labels or not all(map(_is_name_word, [*labels, *values])):
        return False
    told = r"\s{1,9}".join(map(re.escape, [*labels, *values]))
    found = re.search(rf"(?<!\w){told}(?!\w)", text)
    is_line = len(labels) == len(values) == 1 and found and found.group() == text.strip()
    return found is not None and bool(is_line or not all(map(is_common, labels)))


def _is_name_word(word: str) -> bool:
    return word[0].isupper() and _NAME_WORD.fullmatch(word) is not None
