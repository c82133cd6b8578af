"""A PDF file that unpacks to more than a machine has is refused, within its bound of memory."""

from __future__ import annotations

import resource
import sys
import zlib
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.pdf import read_pdf

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not bound memory"),
]

_UNPACKED = 3 * 1024**3
_BLOCK = b" " * 16 * 1024**2


def _twice_packed(size: int) -> bytes:
    """Return spaces of this size as a stream of two filters: some kilobytes for gigabytes."""
    inner, outer = zlib.compressobj(9), zlib.compressobj(9)
    packed = b"".join(outer.compress(inner.compress(_BLOCK)) for _ in range(size // len(_BLOCK)))
    return packed + outer.compress(inner.flush()) + outer.flush()


def _write(path: Path, stream: bytes) -> None:
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R >>",
        b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%b\nendstream"
        % (len(stream), stream),
    ]
    content = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 5\n0000000000 65535 f \n"
    end = b"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(content)
    path.write_bytes(content + head + table + end)


def test_a_page_that_unpacks_to_three_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pdf"
    _write(path, _twice_packed(_UNPACKED))
    assert path.stat().st_size < 100_000

    with pytest.raises(InputError, match="memory|not a readable PDF|holds no text"):
        read_pdf(path)

    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert largest < 2.5 * 1024**3
