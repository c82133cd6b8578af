"""Doubts about wording alone: a passage tells it, perhaps, in other words than the question's.

Another reading that finds the same answer in the passages settles such a doubt, and no other.
"""

from __future__ import annotations

import re

OTHER_WORDS = "the passage words it in another way than the question"

_ABOUT_WORDING = re.compile(
    rf'{OTHER_WORDS}|(?:the passage|step \d+) says nothing of ".+"', re.DOTALL
)


def says_nothing_of(word: str, where: str = "the passage") -> str:
    """Return the doubt that a passage, or a step of a trail, does not have a word that is asked."""
    return f'{where} says nothing of "{word}"'


def is_about_wording(reserve: str) -> bool:
    """Return whether a reserve is about the wording alone: every step of the trail is stated."""
    return _ABOUT_WORDING.fullmatch(reserve) is not None
