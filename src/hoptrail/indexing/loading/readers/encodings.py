"""Bytes of a text file as text, whatever its encoding."""

from __future__ import annotations

import codecs

from hoptrail.core.errors import InputError

_SNIFFED = 65_536
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r",
    "cp932", "euc_jp", "gb18030", "big5", "cp949", "mac_roman", "cp437", "cp850",
)  # fmt: skip
_MOST_DAMAGE = 0.001  # of the characters
_WESTERN = frozenset("ÄÖÜäöüßÀÂÇÉÈÊËÎÏÔÙÛàâçéèêëîïôùûÁÍÓÚÑáíóúñ¿¡ÅÆØåæøÃÕãõ€£§°«»“”„‘’–—…·ªº©®´")


def decoded(data: bytes) -> str:
    """Return the text of bytes in any common encoding, with one character as the end of a line.

    UTF-8 comes first; then the encoding of a byte order mark, UTF-16 by its zeros, and at last what
    charset-normalizer takes it for.

    Raises:
        InputError: If they are no text, or no encoding fits.
    """
    return _decoded(data).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if marked is not None:
        try:
            return data.decode(marked)
        except UnicodeDecodeError as error:
            raise InputError(f"broken text: {error.reason} at byte {error.start:,}") from error
    if b"\0" in data[:_SNIFFED]:
        return _without_mark(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _damaged_utf8(data) or _legacy(data)


def _without_mark(data: bytes) -> str:
    """Return text in UTF-16 that has no byte order mark: every second byte is mostly zero.

    Raises:
        InputError: If the zeros tell of something else.
    """
    head = data[:_SNIFFED]
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    for zeros, others, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > 0.4 * half and others < 0.05 * half:
            try:
                return data.decode(name)
            except UnicodeDecodeError:
                break
    raise InputError("binary file")


def _damaged_utf8(data: bytes) -> str | None:
    """Return UTF-8 with a few broken bytes, marked as such; None where it is another encoding."""
    text = data.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    foreign = sum(not character.isascii() for character in text[:_SNIFFED]) - broken
    return text if broken <= _MOST_DAMAGE * len(text) and foreign > broken else None


def _legacy(data: bytes) -> str:
    """Return text in an encoding from before Unicode.

    Raises:
        InputError: If none fits.
    """
    western = _western(data)
    if western is not None:
        return western
    from charset_normalizer import from_bytes

    found = from_bytes(data[:_SNIFFED], cp_isolation=list(_LEGACY)).best()
    if found is None:
        raise InputError("no text, or text in an encoding that is not recognised; save it as UTF-8")
    try:
        return data.decode(found.encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"broken text: {error.reason} at byte {error.start:,}") from error


def _western(data: bytes) -> str | None:
    """Return text as Windows-1252 where all of it that is not ASCII is usual in the West.

    Few foreign letters among many plain ones are too little for a guess by statistics.
    """
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    foreign = [character for character in text if not character.isascii()]
    usual = sum(character in _WESTERN for character in foreign)
    controls = sum(character < " " and character not in "\n\r\t\f" for character in text)
    few = len(foreign) <= 0.2 * len(text)
    return text if usual >= 0.95 * len(foreign) and few and not controls else None
