"""Reads PDF files in a process of its own, whose memory is bounded: a line in, a line out.

PDF files come from anywhere, and a few kilobytes of one may unpack to gigabytes. The process that
asks kills this one where a file takes too long, and outlives it where one takes too much.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from typing import Any

from hoptrail.indexing.loading.readers.pdf_lines import page_lines
from hoptrail.indexing.loading.readers.text_layer import lacks_text

MAX_PAGES = 5_000
MAX_CHARACTERS = 20_000_000
MAX_MEMORY = 2 * 1024**3
_NOT_FOR_ALL = "its owner lets only certain programs or people read it: save a copy without that"


def main() -> None:
    """Answer each path on standard input, as JSON, with what its file holds."""
    bound_memory(MAX_MEMORY)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def _answer(path: str) -> dict[str, Any]:
    """Return the lines of each page and what the file tells of itself, or else a `reason`."""
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2.raw import FORMTYPE_NONE, FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

    protections = {
        FPDF_ERR_PASSWORD: "protected by a password: save a copy without it",
        FPDF_ERR_SECURITY: _NOT_FOR_ALL,
    }
    try:
        with closing(PdfDocument(path)) as document:
            if len(document) > MAX_PAGES:
                return {"reason": f"{len(document):,} pages, more than {MAX_PAGES:,}"}
            if document.get_formtype() != FORMTYPE_NONE:
                document.init_forms()
            told = document.get_metadata_dict()
            pages, unread = _pages(document)
            return {
                "title": told.get("Title", ""),
                "created": told.get("CreationDate", ""),
                "pages": pages,
                "unread": unread,
            }
    except PdfiumError as error:
        if error.err_code in protections:
            return {"reason": protections[error.err_code]}
        return {"reason": f"not a readable PDF: {' '.join(str(error).split())[:200]}"}
    except _TooLongError:
        return {"reason": f"more than {MAX_CHARACTERS:,} characters"}


class _TooLongError(Exception):
    pass


def _pages(document: Any) -> tuple[list[list[tuple[Any, ...]]], list[str]]:
    """Return the lines of each page, and why they are not the text that it shows."""
    pages, unread = [], []
    left = MAX_CHARACTERS
    for number in range(len(document)):
        with closing(document[number]) as page:
            pages.append([tuple(line) for line in page_lines(page)])
            unread.append(lacks_text(page, bool(pages[-1])))
        left -= sum(len(str(line[0])) for line in pages[-1])
        if left < 0:
            raise _TooLongError
    return pages, unread


def bound_memory(most: int) -> None:
    """Let the system refuse this process more memory than `most` bytes, where it can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        _, limit = resource.getrlimit(resource.RLIMIT_AS)
        own = most if limit == resource.RLIM_INFINITY else min(most, limit)
        resource.setrlimit(resource.RLIMIT_AS, (own, limit))
    except (ValueError, OSError):  # macOS has no such limit
        return


if __name__ == "__main__":
    main()
