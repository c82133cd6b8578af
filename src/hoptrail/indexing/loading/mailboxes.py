"""Mailboxes in the format mbox, a file of many mails, as mail programs export them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

# A line of a mail that begins with "From " is marked so, for such a line begins the next mail.
_MARKED = re.compile(rb"^>(>*From )", re.MULTILINE)
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*<?([^\s<>]+)", re.MULTILINE | re.IGNORECASE)
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def read_mails(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield `(id, bytes)` for each mail of a mailbox; the id is its Message-ID, else a hash."""
    from mailbox import mbox

    box = mbox(path, create=False)
    try:
        for key in box.iterkeys():
            raw = _MARKED.sub(rb"\1", box.get_bytes(key))
            yield _mail_id(raw), raw
    finally:
        box.close()


def _mail_id(raw: bytes) -> str:
    found = _MESSAGE_ID.search(_END_OF_HEADERS.split(raw, 1)[0])
    return found[1].decode(errors="replace") if found else sha256(raw).hexdigest()[:16]
