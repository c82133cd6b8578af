"""Whether a question asks for several things: "Which films did she direct?"."""

from __future__ import annotations

import re

# "Which species", "which bus": no plural, or one that looks like none.
_WHICH_SEVERAL = re.compile(
    r"\W{0,3}(?:who\s(?:are|were)\s|(?:which|what)\s(?:[\w'’-]{1,30}\s){0,2}?"
    r"(?:(?!(?:species|series|means|works|news|was|is|does|has)\b)[a-z]{1,30}[^sui\W]s|people)\s"
    r"(?:were|are|have|has|do|does|did|can|will)\s)",
    re.IGNORECASE,
)
_OF_A_LIST = re.compile(
    r"\W{0,3}(?:who\s(?:is|was|belongs|sits|sat|serves|served)\s(?:on|in|among|to)\s"
    r"|what\s(?:are|were)\s(?:all\s)?(?:the|our|my|your|their|his|her|its)\s"
    r"|(?:list|name)\s(?:all\s)?(?:of\s)?the\s)",
    re.IGNORECASE,
)


def asks_which_several(question: str) -> bool:
    """Return whether a question asks for more than one in its grammar: "which ships", "who are"."""
    return _WHICH_SEVERAL.match(question) is not None


def asks_for_several(question: str) -> bool:
    """Return whether a question may be answered by a list: "who is on the committee" as well."""
    return asks_which_several(question) or _OF_A_LIST.match(question) is not None
