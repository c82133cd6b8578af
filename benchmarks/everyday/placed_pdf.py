"""Writes PDF files whose lines are placed one by one: columns, headers, pages without text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.everyday.pdf_file import HEIGHT, WIDTH, file_of, font_of

_PICTURE = b"q 300 0 0 400 120 200 cm 0.8 g 0 0 1 1 re f Q"
_NO_KEY = b"<" + b"5a" * 32 + b">"  # fits no password


@dataclass(frozen=True)
class Line:
    """A line of text: its distance from the left and the bottom edge, and its size in points."""

    left: float
    bottom: float
    text: str
    size: float = 10


def column(text: str, *, left: float, top: float, size: float = 10) -> list[Line]:
    """Return the lines of a text, one below the other."""
    return [
        Line(left, top - row * size * 1.4, line, size)
        for row, line in enumerate(text.strip("\n").split("\n"))
        if line.strip()
    ]


def placed_pdf(pages: Sequence[Sequence[Line]], *, title: str = "", locked: bool = False) -> bytes:
    """Return a PDF file; a page without lines shows a grey picture.

    Args:
        pages: The lines of each page, in the order in which they are drawn.
        title: In the file's metadata.
        locked: Whether the file says that it is encrypted, with a password that nobody has.
    """
    numbers = [5 + 2 * index for index in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font_of("Helvetica"),
        b"<< /Title (%b) >>" % _escaped(title),
    ]
    for number, lines in zip(numbers, pages, strict=True):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {number + 1} 0 R >>".encode()
        )
        stream = b"\n".join(_drawn(line) for line in lines) or _PICTURE
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    trailer = b"/Info 4 0 R"
    if locked:
        objects.append(b"<< /Filter /Standard /V 1 /R 2 /P -4 /O %b /U %b >>" % (_NO_KEY, _NO_KEY))
        trailer += b" /Encrypt %d 0 R /ID [<00112233> <00112233>]" % len(objects)
    return file_of(objects, trailer)


def _drawn(line: Line) -> bytes:
    head = f"BT /F1 {line.size:g} Tf {line.left:g} {line.bottom:g} Td (".encode()
    return head + _escaped(line.text) + b") Tj ET"


def _escaped(text: str) -> bytes:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return escaped.encode("cp1252")
