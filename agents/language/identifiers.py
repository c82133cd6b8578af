"""Names that programs and files give: "path.sep", "keepAliveTimeout", "order_id", "--inspect"."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(
    r"(?<![\w@./-])(?:"
    r"--[a-z][\w-]{1,60}"  # an option of a command
    r"|[A-Za-z]\w{1,60}(?:\.[A-Za-z]\w{1,60}){1,6}"
    r"|[A-Za-z]\w{0,60}_\w{1,60}"
    r"|[a-z]{2,40}[A-Z]\w{1,60}"
    r")(?![\w@])"
)
_PROPER_PARTS = re.compile(r"[A-Z]\w{1,60}\.[A-Z]")  # "St.Ives"


def identifiers(text: str) -> list[str]:
    """Return the identifiers of a text in order, without the brackets of a call."""
    found = (match.group() for match in _IDENTIFIER.finditer(text))
    return [name for name in found if not _PROPER_PARTS.match(name)]
