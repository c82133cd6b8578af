"""Text files."""

from __future__ import annotations

from pathlib import Path

from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.encodings import decoded
from hoptrail.indexing.loading.readers.titles import guess_title


def read_text(path: Path) -> Content:
    """Return a text as it is."""
    text = decoded(path.read_bytes())
    return Content(guess_title(text, path.stem), (Block(text),))
