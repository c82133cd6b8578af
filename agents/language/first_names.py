"""First names that stand for a person whom the same text names in full: "Omar" for Omar Haddad.

The first word of a name is not its short form in general: Marlowe is not Marlowe Mutual, nor is
Manchester Manchester United. So something in the text must tell that the name is a person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.agents.language.name_shapes import type_by_shape

_SHORTEST = 3
_MOST_WORDS = 3
_DOES = (
    r"(?:agreed|answers?|apologi[sz]ed|asked|asks|baked|borrowed|brings|brought|called|cooked|"
    r"conducts|drove|e-?mailed|explained|fetched|grew up|helped|joined|lives|lived|learned|married|"
    r"moved|offered|paid|phoned|plays|played|promised|proposed|reminded|reported|resigned|retired|"
    r"said|sang|says|sings|spoke|studied|suggested|taught|teaches|thanked|thinks|told|took|"
    r"volunteered|wants|wanted|went|works|worked|writes|wrote|"
    r"(?:is|was) (?:born|appointed|elected|married|on holiday|ill|away)|"
    r"(?:has|had) (?:agreed|asked|bought|offered|paid|promised|resigned|retired|volunteered)|"
    r"(?:will|can|could|would) (?:ask|bring|buy|build|call|check|collect|cook|drive|fetch|help|"
    r"make|order|phone|speak|talk|write))"
)
_ADVERB = r"(?: (?:also|then|later|kindly|again|first|already|still))?"
_HONORIFIC = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Dame|Lady|Lord|Rev|Reverend|Father)\.?"
_TITLE = re.compile(rf"^{_HONORIFIC}\s")
_BEHIND = re.compile(rf"{_ADVERB} {_DOES}(?!\w)|, who(?!\w)")
_TITLE_BEFORE = re.compile(rf"(?<!\w){_HONORIFIC} $")
_GREETING_BEFORE = re.compile(r"(?<!\w)(?:Hi|Hello|Dear|Hey|Thanks|Thank you),? $")
_LONGEST_BEFORE = 12
_LISTED = re.compile(
    r"\W{0,4}(?:Present|Apologies|Attending|Attendees|Attended|Participants|In attendance|Absent"
    r"|Cast)\b[^\n:]{0,20}:"
)
_LONGEST_LIST = 400


def is_first_name(short: str, name: str, text: str) -> bool:
    """Return whether a word is the first name of a person whom a text names in full.

    Args:
        short: A single word.
        name: A name that begins with it.
        text: The passage that has both.
    """
    words = name.split()
    if not (1 < len(words) <= _MOST_WORDS and words[0] == short and len(short) >= _SHORTEST):
        return False
    if not (short.isalpha() and all(word[0].isupper() for word in words)) or type_by_shape(name):
        return False
    return any(_tells_of_person(text, start, short, name) for start in _occurrences(short, text))


def full_name(short: str, text: str) -> str | None:
    """Return the full name of the one person of a text who has a first name, None where none is."""
    if " " in short or short not in text:
        return None
    names = {_TITLE.sub("", text[start:end]) for start, end in capitalised_spans(text)}
    fitting = [name for name in names if name.startswith(f"{short} ")]
    is_told = len(fitting) == 1 and is_first_name(short, fitting[0], text)
    return fitting[0] if is_told else None


def _occurrences(short: str, text: str) -> Iterator[int]:
    """Yield where a text has a word."""
    start = text.find(short)
    while start >= 0:
        end = start + len(short)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield start
        start = text.find(short, end)


def _tells_of_person(text: str, start: int, short: str, name: str) -> bool:
    """Return whether a name, whole or short, stands where only a person's does."""
    is_whole = text.startswith(name, start)
    if _BEHIND.match(text, start + len(name if is_whole else short)):
        return True
    before = text[max(0, start - _LONGEST_BEFORE) : start]
    if not is_whole:
        return _GREETING_BEFORE.search(before) is not None
    line = text.rfind("\n", 0, start) + 1
    is_listed = start - line <= _LONGEST_LIST and _LISTED.match(text, line, start) is not None
    return is_listed or _TITLE_BEFORE.search(before) is not None
