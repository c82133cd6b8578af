"""Read a short reply: any form of an answer counts, for the answer is checked afterwards."""

from __future__ import annotations

import re

import json_repair

from hoptrail.agents.answering.reply_parser import final_text, readable, trimmed
from hoptrail.core.reply_conventions import is_abstention

_CITED = re.compile(
    r"(?<!\s)\s*[\[(](?:(?:passages?|source)\s)?P?\d{1,2}(?:,\s?P?\d{1,2})*[\])]", re.I
)
_REFERENCE = re.compile(r"(?:passages?|source)\s#?P?\d{1,2}\W*|\W*", re.IGNORECASE)
# A small model goes on with a question of its own.
_NEXT_QUESTION = re.compile(r"\n[ \t]{0,9}Question:", re.IGNORECASE)


def read_short_reply(reply: str) -> tuple[str, ...]:
    """Return the answer of a reply, none where it abstains or only points at a passage.

    The answer stands after a marker, in a field of an object, or in the first line.

    Args:
        reply: As the model wrote it.
    """
    text = _NEXT_QUESTION.split(readable(reply), maxsplit=1)[0].strip()
    answer = trimmed(_CITED.sub("", _field(text) or final_text(text) or text.partition("\n")[0]))
    if is_abstention(answer) or _REFERENCE.fullmatch(answer):
        return ()
    return (answer,)


def _field(text: str) -> str:
    """Return the answer of a reply that is an object, as models write that are asked for one."""
    if not text.startswith("{"):
        return ""
    found = json_repair.loads(text)
    if not isinstance(found, dict):
        return ""
    return str(found.get("answer", next(iter(found.values()), "")))
