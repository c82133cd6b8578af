"""Writes text as a PDF file: A4 pages in Helvetica, no library, the same bytes every time."""

from __future__ import annotations

from benchmarks.everyday.material import Pdf

WIDTH, HEIGHT = 595, 842
MARGIN = 64
LEADING = 15
BODY_TOP = HEIGHT - 96
HEADER_AT = HEIGHT - 48
FOOTER_AT = 40


def pdf_bytes(document: Pdf) -> bytes:
    """Return the file of a document."""
    pages = document.page_lines()
    numbers = [5 + 2 * index for index in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font_of("Helvetica"),
        font_of("Helvetica-Bold"),
    ]
    for number, lines in zip(numbers, pages, strict=True):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> "
            f"/Contents {number + 1} 0 R >>".encode()
        )
        stream = _page(lines)
        objects.append(
            b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        )
    return file_of(objects)


def font_of(name: str) -> bytes:
    """Return the object of a built-in font."""
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
    )


def _page(lines: list[str]) -> bytes:
    header, *body, footer = lines
    shown = [_line(header, "F1", 8, HEADER_AT)]
    for row, line in enumerate(body):
        at = BODY_TOP - row * LEADING
        if at < FOOTER_AT + LEADING:
            raise ValueError(f"the page is full before {line!r}")
        if line.startswith("# "):
            shown.append(_line(line[2:], "F2", 13, at))
        elif line.strip():
            shown.append(_line(line, "F1", 10.5, at))
    shown.append(_line(footer, "F1", 8, FOOTER_AT))
    return b"\n".join(shown)


def _line(text: str, font: str, size: float, at: int) -> bytes:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    head = f"BT /{font} {size:g} Tf {MARGIN} {at} Td (".encode()
    return head + escaped.encode("cp1252") + b") Tj ET"


def file_of(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """Return the file of numbered objects; the first is its catalogue.

    Args:
        objects: Their contents, the first being number 1.
        trailer: Further entries of the trailer.
    """
    data = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
        + b"trailer\n<< /Size %d /Root 1 0 R%b >>\nstartxref\n%d\n%%%%EOF\n"
        % (size, trailer and b" " + trailer, len(data))
    )
