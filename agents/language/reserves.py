"""Why an answer is given with reserve, in eight wordings: each tells where to look.

The first doubt that matters is told: another kind, another thing, another text, then steps.
"""

from __future__ import annotations

import re

from hoptrail.core.text import clipped

ASKED = "what is asked"
"""The words of `unstated` for an answer that passages tell, perhaps, in other words."""
PART = "this may be a part of the answer"
"""The reserve of an answer to one half of a question, or of a list that may go on."""

OTHER_READING = "another reading of the passages"
"""Where `other_text` finds another value, where no text is newer or older."""

_LONGEST_TOLD = 80  # characters of another answer
_NOT_OF = re.compile(r"the passage says it of .+, not of .+", re.DOTALL)
_SILENT = re.compile(r'(?:the passage|step \d+) says nothing of ".+"', re.DOTALL)


def unstated(what: str = "it") -> str:
    """Return the doubt that passages do not state an answer or steps outright."""
    return f"no passage states {what} in so many words"


def other_kind(asked: str, given: str) -> str:
    """Return the doubt that an answer is of another kind than the question asks for."""
    return f"the question asks for {asked}, and this is {given}"


def other_thing(told: str, asked: str = "") -> str:
    """Return the doubt that a passage tells it of another thing than is asked about."""
    return f"the passage says it of {told}" + (f", not of {asked}" if asked else "")


def is_of_other_thing(reserve: str) -> bool:
    """Return whether a doubt is that a passage tells it of another thing than the asked one."""
    return _NOT_OF.fullmatch(reserve) is not None


def other_text(value: str, where: str) -> str:
    """Return the doubt that another text, or another reading, gives another value."""
    return f"{where} says {value}"


def other_reading(answer: str) -> str:
    """Return the doubt that another reading of the passages gives another answer."""
    return other_text(f'"{clipped(answer, _LONGEST_TOLD)}"', OTHER_READING)


def silent(word: str, where: str = "the passage") -> str:
    """Return the doubt that a passage, or a step of a trail, does not have a word that is asked."""
    return f'{where} says nothing of "{word}"'


def hard_to_read(words: str, where: str) -> str:
    """Return the doubt that words of an answer may have been misread in a picture of a page."""
    return f"{words} cannot be read for certain in the picture of {where}"


def unclear(reference: str) -> str:
    """Return the doubt that nothing of the conversation tells what a follow-up refers to."""
    return f'nothing said before tells what "{reference}" is: the question was asked as typed'


def is_of_silence(reserve: str) -> bool:
    """Return whether a doubt is that a passage, or a step, lacks a word of the question."""
    return _SILENT.fullmatch(reserve) is not None


def is_about_wording(reserve: str) -> bool:
    """Return whether a doubt is about the wording alone: the passage tells it in other words.

    Another reading that finds the same answer in the passages settles such a doubt, and no other.
    """
    return reserve == unstated(ASKED) or is_of_silence(reserve)
