"""The turns of a conversation so far, and those that ask the documents nothing: thanks, "why?"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.core.text import flat

REPLY_TO_THANKS = "Glad to help."
"""The whole reply to thanks, for which nothing is searched."""
_THANKS = re.compile(
    r"""(?:(?:ok(?:ay)?|great|good|fine|perfect|alright|all\sright)[\s,.!]{1,4})?
    (?:ok(?:ay)?|many\sthanks|thanks|thanks\sa\slot|thank\syou|thx|cheers|great|perfect|got\sit|i\ssee)
    (?:\s(?:so\smuch|very\smuch|for\s(?:that|this|your\shelp|the\shelp)))?[\s.!]{0,5}""",
    re.IGNORECASE | re.VERBOSE,
)
_REASON = re.compile(
    r"(?:and\s|but\s)?(?:why(?:\s(?:is\s)?that)?|how\scome)[\s?.!]{0,5}", re.IGNORECASE
)
_SOURCE = re.compile(
    r"""(?:(?:and|but|ok(?:ay)?|please)[\s,]{1,3})?
    (?:(?:can|could|will|would)\syou\s(?:please\s)?)?
    (?:(?:show|give|tell)\s(?:me\s)?(?:the|your|its)\s
      (?:sources?|evidence|proof|trail|passages?|quotes?)
    |(?:the\s)?sources?
    |says?\swho
    |where\s(?:does|do)\s(?:it|they|that)\ssay\s(?:that|this|so)
    |where\s(?:is|was)\s(?:that|this)\s(?:stated|written|from)
    |how\sdo\syou\sknow(?:\s(?:that|this))?
    |what(?:\sis|['’]s|\sare)\s(?:your\ssources?|(?:the|your)\s(?:evidence|proof)))
    (?:\s(?:of|for)\s(?:that|this))?(?:\splease)?[\s?.!]{0,5}""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 80  # characters of a turn that is no question of its own


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of the conversation.

    Attributes:
        question: As typed.
        answer: Its text; empty where none was given.
        perhaps: Whether the answer was given with reserve.
        standalone: The question as it was understood; empty where that is not known.
        trail: What the steps of the answer name, the last step first; None where nobody kept it.
    """

    question: str
    answer: str = ""
    perhaps: bool = False
    standalone: str = ""
    trail: tuple[str, ...] | None = None

    @property
    def whole_question(self) -> str:
        """The question as it was understood, else as typed."""
        return self.standalone or self.question


def is_thanks(turn: str) -> bool:
    """Return whether a whole turn says "thanks" or "ok", so that there is nothing to look for."""
    return _is_all(_THANKS, turn)


def asks_why(turn: str) -> bool:
    """Return whether a whole turn is "why?", which asks what the answer before it rests on."""
    return _is_all(_REASON, turn)


def asks_for_source(turn: str) -> bool:
    """Return whether a whole turn asks where the answer before it is stated."""
    return _is_all(_SOURCE, turn)


def is_remark(turn: str) -> bool:
    """Return whether a whole turn is about the conversation: it names nothing new."""
    return is_thanks(turn) or asks_why(turn) or asks_for_source(turn)


def _is_all(pattern: re.Pattern[str], turn: str) -> bool:
    text = flat(turn)
    return len(text) <= _LONGEST and pattern.fullmatch(text) is not None
