"""Where a mail quotes the one that it answers: behind ">", or below "Original Message"."""

from __future__ import annotations

import re
from functools import lru_cache

_ORIGINAL = re.compile(
    r"^[ \t]{0,9}(?:-{2,10}[ \t]{0,3}Original[ \t]Message[ \t]{0,3}-{2,10}"
    r"|On[ \t][^\n]{4,100}[ \t]wrote:[ \t]{0,9}$)",
    re.MULTILINE | re.IGNORECASE,
)


def is_quoted(text: str, offset: int) -> bool:
    """Return whether a place of a mail stands in what it quotes from an earlier one.

    Args:
        text: The mail, or a passage of it.
        offset: The place.
    """
    line = text[: offset + 1].rpartition("\n")[2]
    original = _original_at(text)
    return line.lstrip().startswith(">") or original is not None and original <= offset


@lru_cache(maxsize=512)
def _original_at(text: str) -> int | None:
    original = _ORIGINAL.search(text)
    return original.start() if original else None
