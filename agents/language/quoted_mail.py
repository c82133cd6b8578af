"""Where a mail quotes the one that it answers: behind ">", or below "Original Message"."""

from __future__ import annotations

import re
from functools import lru_cache

_ORIGINAL = re.compile(
    r"^[ \t]{0,9}(?:-{2,10}[ \t]{0,3}Original[ \t]Message[ \t]{0,3}-{2,10}"
    r"|On[ \t][^\n]{4,100}[ \t]wrote:[ \t]{0,9}$)",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"^[ \t]{0,20}>", re.MULTILINE)


def is_quoted(text: str, offset: int) -> bool:
    """Return whether a place of a mail stands in what it quotes from an earlier one.

    Args:
        text: The mail, or a passage of it.
        offset: The place.
    """
    line = text[: offset + 1].rpartition("\n")[2]
    original = _original_at(text)
    return line.lstrip().startswith(">") or original is not None and original <= offset


def heads_quotation(text: str, offset: int) -> bool:
    """Return whether a place stands in the line above a quoted mail: "On 3 May Rosa wrote:"."""
    start = text.rfind("\n", 0, offset) + 1
    return _ORIGINAL.match(text, start) is not None


def has_quotation(text: str) -> bool:
    """Return whether a text quotes an earlier mail."""
    return _original_at(text) is not None or _QUOTED_LINE.search(text) is not None


@lru_cache(maxsize=512)
def _original_at(text: str) -> int | None:
    original = _ORIGINAL.search(text)
    return original.start() if original else None
