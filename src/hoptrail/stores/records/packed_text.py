"""Long texts of a table, compressed; what is short stays a text, as older bases have all."""

from __future__ import annotations

import zlib

_LEAST = 200  # characters


def packed_text(text: str) -> str | bytes:
    """Return a text as it is stored: compressed where it is long."""
    return zlib.compress(text.encode()) if len(text) >= _LEAST else text


def unpacked_text(stored: str | bytes) -> str:
    """Return the text that was stored.

    Raises:
        ValueError: If the stored bytes are damaged.
    """
    if isinstance(stored, str):
        return stored
    try:
        return zlib.decompress(stored).decode()
    except zlib.error as error:
        raise ValueError(f"a compressed text is damaged: {error}") from error
