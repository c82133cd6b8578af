"""Fate of pictures before they are recognised."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.everyday.placed_pdf import column, placed_pdf
from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.scans.scan_worker import (
    LONGEST_SIDE,
    frame_count,
    hash_of,
    is_blank,
    page_picture,
    picture_of,
    shown,
)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int) -> bytes:
    """Return the bytes of a PNG file that says it is so large, and holds little."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IEND", b"")


def bytes_of(picture: Image.Image, format: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, format, **options)
    return stream.getvalue()


@pytest.mark.parametrize("size", [(20_000, 20_000), (60_000, 60_000)])
def test_a_picture_of_too_many_pixels_is_not_unpacked(size: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=f"{size[0]:,} x {size[1]:,} pixels"):
        picture_of(png(*size))


@pytest.mark.parametrize("data", [b"hello", b"\xff\xd8\xff\xe0 no picture", b"%PDF-1.7"])
def test_bytes_that_are_no_picture_are_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="not a readable picture"):
        picture_of(data)


def test_a_picture_that_was_cut_short_is_refused() -> None:
    data = bytes_of(Image.effect_noise((400, 400), 90), "JPEG")
    with pytest.raises(InputError, match="not a readable picture"):
        picture_of(data[: len(data) // 2])


def test_a_large_picture_is_made_smaller_in_its_proportions() -> None:
    assert picture_of(bytes_of(Image.new("1", (4000, 3000)))).size == (LONGEST_SIDE, 1500)


def test_a_photo_is_turned_as_its_camera_says() -> None:
    exif = Image.Exif()
    exif[274] = 6
    data = bytes_of(Image.new("RGB", (300, 100)), "JPEG", exif=exif)
    assert picture_of(data).size == (100, 300)


def test_what_lets_light_through_lies_on_white() -> None:
    assert picture_of(bytes_of(Image.new("RGBA", (30, 30), (0, 0, 0, 0)))).getpixel((5, 5)) == (
        255,
        255,
        255,
    )


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "CMYK", "I;16", "RGB"])
def test_pictures_of_every_kind_become_rgb(mode: str) -> None:
    picture = (
        Image.new("L", (40, 40), 200).convert(mode) if mode != "I;16" else Image.new(mode, (40, 40))
    )
    assert picture_of(bytes_of(picture, "TIFF" if mode == "CMYK" else "PNG")).mode == "RGB"


def test_the_pages_of_a_tiff_are_counted_and_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    pages = [Image.new("L", (50, 50), grey) for grey in (10, 200)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    assert frame_count(str(path)) == 2
    assert picture_of(str(path), 1).getpixel((0, 0)) == (200, 200, 200)


def test_a_page_of_a_pdf_is_drawn_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(placed_pdf([column("The lift.", left=60, top=700)]))
    picture = page_picture(str(path), 0)
    assert max(picture.size) <= LONGEST_SIDE and not is_blank(picture)


def test_a_picture_of_one_colour_is_blank() -> None:
    assert is_blank(Image.new("RGB", (200, 200), (90, 10, 10)))


def test_equal_pixels_have_one_hash_whatever_the_file() -> None:
    picture = Image.new("RGB", (60, 40), "red")
    assert hash_of(picture_of(bytes_of(picture))) == hash_of(picture_of(bytes_of(picture, "BMP")))
    assert hash_of(picture) != hash_of(picture.rotate(90, expand=True))


def test_a_picture_is_shown_upright() -> None:
    lying = Image.new("RGB", (60, 40), "white")
    with Image.open(io.BytesIO(shown(lying, 90))) as opened:
        assert (opened.format, opened.size) == ("WEBP", (40, 60))
