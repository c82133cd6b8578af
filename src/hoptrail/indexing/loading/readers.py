"""Reads one file into LangChain documents, by its kind."""

from __future__ import annotations

import re
import stat
import warnings
from collections.abc import Callable
from pathlib import Path

from langchain_core.documents import Document as LangChainDocument

from hoptrail.core.errors import InputError

MAX_FILE_BYTES = 100 * 1024 * 1024
_SNIFFED_BYTES = 8192
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WHITE_SPACE = re.compile(r"\s{2,}")
_MARKDOWN_HEADING = re.compile(r"^#{1,2}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_LONGEST_TITLE = 80

Reader = Callable[[Path], LangChainDocument]


def read_file(path: Path) -> LangChainDocument:
    """Return the file's text with `title` in its metadata.

    Raises:
        InputError: If the file is empty, too large, binary, damaged, or not UTF-8 (or UTF-16
            with a byte order mark).
    """
    check_file(path)
    reader = _READERS.get(path.suffix.lower(), _read_text)
    # The loaders' warnings are about themselves; what matters to the user is raised as an error.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = reader(path)
    if not document.page_content.strip():
        raise InputError("holds no text")
    return document


def check_file(path: Path) -> None:
    """Check, without reading the file, that it can be read.

    Raises:
        InputError: If it is missing, no regular file, empty or too large.
    """
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise InputError("no such file") from error
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError("not a regular file")
    size = status.st_size
    if size == 0:
        raise InputError("empty file")
    if size > MAX_FILE_BYTES:
        raise InputError(f"{size / 1e6:.0f} MB, more than the limit of {MAX_FILE_BYTES >> 20} MiB")


def text_encoding(head: bytes) -> str:
    """Return the encoding that the first bytes of a text suggest.

    Raises:
        InputError: If they look binary.
    """
    if head.startswith(_UTF16_MARKS):
        return "utf-16"
    if b"\0" in head:
        raise InputError("binary file")
    return "utf-8-sig"


def guess_title(text: str, fallback: str) -> str:
    """Return a heading of the text, else its short first line, else the fallback as words."""
    heading = _MARKDOWN_HEADING.search(text, 0, 2000)
    if heading:
        return heading.group(1).strip()
    first, _, rest = text.lstrip().partition("\n")
    first = first.strip()
    stands_alone = rest.startswith("\n") or rest[:1].isspace()
    if first and stands_alone and len(first) <= _LONGEST_TITLE and first[-1] not in ".!?:;,":
        return first
    return " ".join(re.split(r"[_\-\s]+", fallback)).strip()


def _read_text(path: Path) -> LangChainDocument:
    from langchain_community.document_loaders import TextLoader

    with path.open("rb") as stream:
        encoding = text_encoding(stream.read(_SNIFFED_BYTES))
    try:
        document = TextLoader(path, encoding=encoding).load()[0]
    except RuntimeError as error:
        if isinstance(error.__cause__, OSError):  # it vanished meanwhile
            raise error.__cause__ from error
        raise InputError("not text in UTF-8") from error
    document.metadata["title"] = guess_title(document.page_content, path.stem)
    return document


def _read_html(path: Path) -> LangChainDocument:
    from langchain_community.document_loaders import BSHTMLLoader

    with path.open("rb") as stream:
        encoding = text_encoding(stream.read(_SNIFFED_BYTES))
    try:
        document = BSHTMLLoader(path, open_encoding=encoding, get_text_separator=" ").load()[0]
    except UnicodeError as error:
        raise InputError("not text in UTF-8") from error
    except OSError:
        raise
    # The parser raises whatever it stumbles over in a damaged file.
    except Exception as error:
        raise InputError(f"not readable HTML: {_one_line(error)}") from error
    text = _WHITE_SPACE.sub(_one_blank_line, document.page_content).strip()
    title = str(document.metadata.get("title") or "").strip() or guess_title(text, path.stem)
    return LangChainDocument(page_content=text, metadata={"title": title})


def _one_blank_line(space: re.Match[str]) -> str:
    """Return a paragraph break for white space that holds a blank line, else the space itself."""
    return "\n\n" if space.group().count("\n") > 1 else space.group()


def _read_pdf(path: Path) -> LangChainDocument:
    from langchain_community.document_loaders import PyPDFLoader

    try:
        document = PyPDFLoader(path, mode="single", pages_delimiter="\n\n").load()[0]
    # The parser raises whatever it stumbles over in a damaged file.
    except Exception as error:
        raise InputError(f"not a readable PDF: {_one_line(error)}") from error
    title = str(document.metadata.get("title") or "").strip()
    document.metadata["title"] = title or guess_title(document.page_content, path.stem)
    return document


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


_READERS: dict[str, Reader] = {".html": _read_html, ".htm": _read_html, ".pdf": _read_pdf}
