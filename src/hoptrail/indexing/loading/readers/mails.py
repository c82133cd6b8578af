"""Mails: who wrote to whom about what, the text, and attached texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage, Message
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from hoptrail.core.errors import InputError, MissingExtraError
from hoptrail.indexing.loading.metadata import date_metadata, plain_metadata
from hoptrail.indexing.loading.readers.calendars import calendar_content
from hoptrail.indexing.loading.readers.content import Block, Content, Picture, name_as_words
from hoptrail.indexing.loading.readers.pictures import (
    A_PICTURE,
    MAX_PICTURE_BYTES,
    PICTURE_KINDS,
)
from hoptrail.indexing.loading.readers.raw_bytes import MAX_FILE_BYTES, decoded
from hoptrail.indexing.loading.readers.web_pages import all_blocks, parsed

_READ = 1024 * 1024
_MOST_PEOPLE = 40  # so that a list stays below the longest value of a field
_SHOWN = ("From", "To", "Cc", "Date", "Subject")

# A line of a mail that begins with "From " is marked so, for such a line begins the next mail.
_MARKED = re.compile(rb"^>(>*From )", re.MULTILINE)
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*<?([^\s<>]+)", re.MULTILINE | re.IGNORECASE)
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def read_mail(path: Path) -> Content:
    """Return a mail, its title being the subject; attachments that are no text are named.

    Raises:
        InputError: If the file is no mail.
    """
    return mail_content(path.read_bytes(), name_as_words(path.stem))


def mail_content(raw: bytes, title: str) -> Content:
    """Return what the bytes of a mail say, called by `title` where it has no subject.

    Raises:
        InputError: If they are no mail.
    """
    from email import message_from_bytes
    from email.policy import default

    mail = message_from_bytes(raw, policy=default)
    try:
        if not any(mail.get(name) for name in _SHOWN):
            raise InputError("not a mail: it has neither sender nor subject")
        blocks = list(_blocks(mail))
        subject = " ".join(str(mail.get("Subject", "")).split())
        fields = _fields(mail, subject)
    except InputError:
        raise
    # The library raises whatever it stumbles over in a damaged mail.
    except (LookupError, ValueError, AttributeError, TypeError, OverflowError) as error:
        raise InputError(f"not a readable mail: {' '.join(str(error).split())[:200]}") from error
    left_out: list[tuple[str, str]] = []
    for part in mail.iter_attachments():
        if _is_picture(part):
            continue
        attached, reason = _attachment(part)
        blocks += attached
        if reason:
            name = part.get_filename() or part.get_content_type()
            left_out.append((f"attachment {name}", reason))
    pictures = tuple(_pictures(mail, len(blocks)))
    return Content(subject or title, tuple(blocks), tuple(left_out), fields, pictures)


def _fields(mail: EmailMessage, subject: str) -> dict[str, str]:
    """Return `from`, `to` (with those of Cc), `subject` and `date`, as filters ask for them.

    Who wrote and received it are lists of addresses and names: either of both meets a filter.
    """
    people = {"from": ("From",), "to": ("To", "Cc")}
    listed = {
        field: [part for name in names for part in _people(mail.get(name))][:_MOST_PEOPLE]
        for field, names in people.items()
    }
    date = date_metadata("date", getattr(mail.get("Date"), "datetime", None))
    return {**plain_metadata({**listed, "subject": subject}), **date}


def _people(header: object) -> Iterator[str]:
    """Yield the address of each person in a header, and the name where one is given."""
    for one in getattr(header, "addresses", ()):
        yield from filter(None, (one.addr_spec, one.display_name))


def _pictures(mail: EmailMessage, at: int) -> Iterator[Picture]:
    """Yield the pictures of a mail, attached ones and those that its text shows."""
    for number, part in enumerate(filter(_is_picture, mail.walk()), start=1):
        data = part.get_payload(decode=True)
        if isinstance(data, bytes) and len(data) <= MAX_PICTURE_BYTES:
            name = part.get_filename() or f"picture {number}"
            yield Picture(f"attachment {name}", at, A_PICTURE, data=data)


def _is_picture(part: Message) -> bool:
    return part.get_content_maintype() == "image" and part.get_content_subtype() in PICTURE_KINDS


def _blocks(mail: EmailMessage) -> Iterator[Block]:
    lines = ((name, " ".join(str(mail.get(name, "")).split())) for name in _SHOWN)
    yield Block("\n".join(f"{name}: {value}" for name, value in lines if value))
    body = mail.get_body(preferencelist=("plain", "html"))
    if body is not None:
        yield from _text_blocks(cast(EmailMessage, body))


def _text_blocks(part: EmailMessage) -> list[Block]:
    """Return the paragraphs of a part that is text."""
    data = part.get_payload(decode=True)
    raw = data if isinstance(data, bytes) else b""
    charset = part.get_content_charset() or "utf-8"
    try:
        text = raw.decode(charset).replace("\r\n", "\n")
    except (UnicodeDecodeError, LookupError):
        text = decoded(raw)
    if part.get_content_subtype() == "html":
        page = parsed(text)
        return all_blocks(page) if page is not None else []
    return [Block(text.strip())]


def _attached_blocks(part: EmailMessage) -> list[Block]:
    """Return the paragraphs of an attached text; those of an invitation are its events."""
    data = part.get_payload(decode=True)
    if part.get_content_subtype() == "calendar" and isinstance(data, bytes):
        return [Block(block.text) for block in calendar_content(data, "").blocks]
    return _text_blocks(part)


def _attachment(part: EmailMessage) -> tuple[list[Block], str]:
    """Return what an attached text says, or else why it was not read."""
    name = part.get_filename() or part.get_content_type()
    if part.get_content_maintype() != "text":
        kind = part.get_content_type()
        return [], f"an attachment ({kind}): save it as a file to index it"
    try:
        blocks = _attached_blocks(part)
        return [replace(block, place=f"attachment {name}") for block in blocks], ""
    except MissingExtraError as error:
        return [], f"{error.message}: {error.hint}"
    except InputError as error:
        return [], error.message


def read_mails(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield `(id, bytes)` for each mail of a mailbox; the id is its Message-ID, else a hash.

    The file is read once and a mail at a time, so that it may be larger than the memory. Of a mail
    beyond the limit of a file no more is given than tells that it is.
    """
    with path.open("rb") as stream:
        for mail in _split(stream):
            raw = _MARKED.sub(rb"\1", mail)
            yield _mail_id(raw), raw


def _split(stream: BinaryIO) -> Iterator[bytes]:
    """Yield what stands between the lines that begin with "From ", without a last empty line."""
    parts: list[bytes] | None = None
    size, is_start = 0, True
    while line := stream.readline(_READ):
        if is_start and line.startswith(b"From "):
            if parts is not None:
                yield _whole(parts)
            parts, size = [], 0
        elif parts is not None and size <= MAX_FILE_BYTES:
            parts.append(line)
            size += len(line)
        is_start = line.endswith(b"\n")
    if parts is not None:
        yield _whole(parts)


def _whole(parts: list[bytes]) -> bytes:
    return b"".join(parts[:-1] if parts and parts[-1] == b"\n" else parts)


def _mail_id(raw: bytes) -> str:
    found = _MESSAGE_ID.search(_END_OF_HEADERS.split(raw, 1)[0])
    return found[1].decode(errors="replace") if found else sha256(raw).hexdigest()[:16]
