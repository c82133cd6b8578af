"""The bytes of a file: checks before it is read, text in whatever encoding, rows of JSON Lines."""

from __future__ import annotations

import codecs
import difflib
import json
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.files import Skipped

MAX_FILE_BYTES = 100 * 1024 * 1024
OLE_MARK = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OLE_HEAD = 4 * 1024 * 1024
MAX_ENTRIES = 10_000
MAX_UNPACKED = 256 * 1024 * 1024
MAX_XML = 64 * 1024 * 1024
_READ = 1024 * 1024
_MARKUP = (".xml", ".rels", ".vml")
_ENTITY = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)")
_OVERLAP = 32
_IS_ENCRYPTED = 0x1


def check_file(path: Path, *, is_streamed: bool = False) -> None:
    """Check, without reading the file, that it can be read.

    Args:
        path: The file.
        is_streamed: Whether it is read a part at a time, so that it may be of any size.

    Raises:
        InputError: If it is missing, no regular file, empty or too large.
    """
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise InputError(f"no such file{_beside(path)}") from error
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError("not a regular file")
    size = status.st_size
    if size == 0:
        raise InputError("empty file")
    if size > MAX_FILE_BYTES and not is_streamed:
        raise InputError(f"{size / 1e6:.0f} MB, more than the limit of {MAX_FILE_BYTES >> 20} MiB")


def _beside(path: Path) -> str:
    """Return that something of nearly this name lies beside, empty where nothing does."""
    try:
        names = sorted(one.name for one in path.parent.iterdir())
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f", but {close[0]!r} lies there" if close else ""


def check_not_ole(path: Path, modern: str) -> None:
    """Check that a file is none of the Office formats from before 2007, nor an encrypted new one.

    Args:
        path: The file.
        modern: The suffix of the format that is read, such as ".docx".

    Raises:
        InputError: If it is one; the message says what to do.
    """
    with path.open("rb") as stream:
        head = stream.read(len(OLE_MARK))
        if head != OLE_MARK:
            return
        head += stream.read(_OLE_HEAD)
    if _ENCRYPTED in head:
        raise InputError("protected by a password: save a copy without it")
    raise InputError(f"an Office format from before 2007: save it as {modern}")


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive after a look at everything in it.

    What an entry says of its size is not trusted: all are unpacked once, a megabyte at a time.
    Entries that are archives themselves are never opened.

    Raises:
        InputError: If it is damaged, encrypted, unpacks to more than the limits, or its XML
            declares entities.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check(archive)
            yield archive
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError) as error:
        with path.open("rb") as file:
            is_archive = file.read(2) == b"PK"
        other = f"no {path.suffix} file inside, whatever its name says"
        raise InputError("damaged: not a whole archive" if is_archive else other) from error


def _check(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise InputError(f"an archive of {len(entries):,} entries, more than {MAX_ENTRIES:,}")
    left = MAX_UNPACKED
    for entry in entries:
        if not entry.filename:
            raise InputError("damaged: a part of it has no name")
        if entry.flag_bits & _IS_ENCRYPTED:
            raise InputError("protected by a password: save a copy without it")
        is_markup = entry.filename.lower().endswith(_MARKUP)
        left -= _unpacked(archive, entry, min(left, MAX_XML) if is_markup else left, is_markup)


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int, is_markup: bool) -> int:
    """Return how many bytes an entry unpacks to."""
    size, before = 0, b""
    try:
        with archive.open(entry) as stream:
            while part := stream.read(_READ):
                size += len(part)
                if size > limit:
                    raise InputError(f"unpacks to more than {limit >> 20} MiB: a zip bomb?")
                if is_markup and _ENTITY.search(before + part):
                    raise InputError("its XML declares entities, which no Office file does")
                before = part[-_OVERLAP:]
    except InputError:
        raise
    except (OSError, RuntimeError, ValueError, zlib.error) as error:
        raise InputError(f"damaged: {entry.filename} cannot be unpacked") from error
    return size


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


Row = dict[str, Any]


def read_rows(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, Row] | Skipped]:
    """Yield `(line number, object)` per line, or `Skipped` with `name:line`; blank lines pass."""
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        row = _parse(raw)
        if isinstance(row, str):
            yield Skipped(f"{name}:{number}", row)
        else:
            yield number, row


def text_field(row: Row, name: str) -> str | None:
    """Return a text or number of the row as text, None where it is missing or something else."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip()


def _parse(raw: bytes) -> Row | str:
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "not text in UTF-8"
    except json.JSONDecodeError as error:
        return f"malformed JSON: {error.msg} at column {error.colno}"
    except RecursionError:
        return "malformed JSON: nested too deeply"
    except ValueError:  # Python reads no number of thousands of digits
        return "malformed JSON: a number has too many digits"
    return value if isinstance(value, dict) else "not a JSON object"
