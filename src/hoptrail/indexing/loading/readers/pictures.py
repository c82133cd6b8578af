"""Pictures as documents: files that are one, and pictures within files."""

from __future__ import annotations

from pathlib import Path

from hoptrail.indexing.loading.readers.content import Content, Picture

PICTURE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
A_PICTURE = "a picture"


def read_picture(path: Path) -> Content:
    """Return a file as a picture that is still to be recognised; its text gives the title."""
    return Content("", (), pictures=(Picture("", reason=A_PICTURE, path=path),))
