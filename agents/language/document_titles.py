"""The thing that a title names: a person, another thing, or the text itself."""

from __future__ import annotations

import re
from functools import lru_cache

PERSONAL_PRONOUN = re.compile(r"\W{0,3}(?:he|she|his|her)\b", re.IGNORECASE)
"""The beginning of a sentence about a person who was named before."""

_TEXT_NOUNS = (
    "minutes|agenda|news|newsletter|bulletin|circular|memo|memorandum|handbook|manual|guide|guidelines"
    "|instructions|rules|regulations|statutes|byelaws|bylaws|policy|report|summary|overview|notes"
    "|agreement|contract|lease|licence|terms|conditions|letter|mail|e-?mail|reply|invitation"
    "|announcement|notice|invoice|receipt|quotation|quote|offer|order confirmation|confirmation"
    "|list|inventory|catalogue|catalog|directory|timetable|calendar|prices|price list|recipes"
    "|faq|questions|answers|contacts|release notes|changelog|programme of events|information"
)
# "Minutes of the meeting", "Rental agreement (draft)", "Re: The camp", "About us".
_NAMES_TEXT = re.compile(
    rf"(?:(?:re|fwd?|aw|wg)\s?:|about\s|who\sdoes\swhat\b|(?:{_TEXT_NOUNS})(?:\s(?:of|for|to|on|from|about|in)\b|\W|$)"
    rf"|[^:]{{0,80}}\s(?:{_TEXT_NOUNS})(?:\s(?:of|for|to|on|from|about)\b|\s?[-–—|:,(\d]|$))",
    re.IGNORECASE,
)
_MASTHEAD = re.compile(r"[A-Z][A-Z ]{4,40}\s[-–—|]\s")
# "THE OAR - Spring 2025", "News: the new hall" and "Route 66" are no names of persons.
_HEADLINE = re.compile(r"\s[-–—|]\s|:\s|[A-Z]{4}\s[A-Z]{3}|\d{4}|\s\d+$")
_WORD = re.compile(r"[^\W\d_][\w.'’-]*")
_PARTICLES = frozenset("della delle dello bint ferch unter".split())
_LONGEST_PARTICLE = 3


@lru_cache(maxsize=4096)
def names_text(title: str) -> bool:
    """Return whether a title names the text itself, as that of minutes or of a mail does."""
    return bool(_NAMES_TEXT.match(title) or _MASTHEAD.match(title))


@lru_cache(maxsize=4096)
def may_name_person(title: str) -> bool:
    """Return whether "she" below a title may be what the title names.

    A ship or a queen may be; "Ball machine", "Spring 2025" and "Minutes of the meeting" are not.
    """
    words = _WORD.findall(title.partition(",")[0])
    is_name = bool(words) and all(map(_is_of_name, words))
    return is_name and not _HEADLINE.search(title) and not names_text(title)


def _is_of_name(word: str) -> bool:
    is_particle = len(word) <= _LONGEST_PARTICLE or word in _PARTICLES or word.startswith("al-")
    return is_particle or any(map(str.isupper, word))
