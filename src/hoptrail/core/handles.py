"""Names that run together, as chats write them: "AnnThale" for Ann Thale."""

from __future__ import annotations

import re
from collections.abc import Callable

_BREAK = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z][^\W\d_A-Z])")
_HANDLE = re.compile(r"(?<![\w@])@?([A-Z][^\W\d_A-Z]+(?:[A-Z][^\W\d_A-Z]+)+)(?!\w)")
_PREFIXES = frozenset({"Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "Von", "Fitz"})


def parted(name: str) -> str:
    """Return a name with spaces where it runs together; a prefix such as "Mc" is no name."""
    parts = _BREAK.split(name)
    return name if " " in name or parts[0] in _PREFIXES else " ".join(parts)


def handles_in(text: str) -> dict[str, str]:
    """Return the words of a text that may be names run together, with their parted form."""
    names = {match.group(): parted(match.group(1)) for match in _HANDLE.finditer(text)}
    return {handle: name for handle, name in names.items() if " " in name}


def part_handles(text: str, is_name: Callable[[str], object]) -> str:
    """Return a text with the handles parted whose parted form is a name ("YouTube" is none).

    Args:
        text: A question.
        is_name: Tells of "Ann Thale" whether it is the name of something.
    """
    for handle, name in handles_in(text).items():
        if is_name(name):
            text = re.sub(rf"(?<!\w){re.escape(handle)}(?!\w)", name, text)
    return text
