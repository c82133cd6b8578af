"""Text files."""

from __future__ import annotations

from pathlib import Path

from hoptrail.indexing.loading.conversations.chat_lines import read_chat
from hoptrail.indexing.loading.conversations.layout import lay_out, title_of
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.encodings import decoded
from hoptrail.indexing.loading.readers.titles import guess_title


def read_text(path: Path) -> Content:
    """Return a text as it is, and messages in the form of conversations."""
    return text_content(decoded(path.read_bytes()), path.stem)


def text_content(text: str, name: str) -> Content:
    """Return a text of that name, such as a file's without its suffix."""
    if postings := read_chat(text, name):
        return Content(title_of(postings), (Block(lay_out(postings)),))
    return Content(guess_title(text, name), (Block(text),))
