"""Files that others read at any time: written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

_EVERYBODY = 0o666  # less what the user's mask takes away
_OWNER = 0o600


def write_whole(path: Path, text: str, *, is_private: bool = False) -> None:
    """Write a file so that nobody finds half of it, whoever else writes it.

    Args:
        path: The file; its folder is made where there is none.
        text: Its new content.
        is_private: Whether nobody else may read it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    mode = _OWNER if is_private else _EVERYBODY
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
