"""Recognises pictures in a process of its own: opened within bounds, upright, in RGB."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import HoptrailError, InputError
from hoptrail.indexing.loading.reading_order import RecognisedPage
from hoptrail.indexing.loading.scans.rapid_recogniser import RapidTextRecogniser
from hoptrail.indexing.loading.worker_process import bound_memory

if TYPE_CHECKING:
    from PIL.Image import Image


MAX_PIXELS = 100_000_000
"""Pixels of a picture that is opened; what is sent to a memory of 4 bytes each."""
MAX_FRAMES = 5_000
LONGEST_SIDE = 2_000
"""Pixels of a side of what is recognised: an A4 page at 170 dots per inch."""
LEAST_SIDE = 24
_LEAST_CONTRAST = 12  # of 255
_POINTS = 72
_DOTS_PER_INCH = 200
_SHOWN_SIDE = 1_400
_SHOWN_QUALITY = 45
_FORMATS = ("BMP", "JPEG", "PNG", "TIFF", "WEBP", "GIF")


def frame_count(source: str | bytes) -> int:
    """Return how many pictures a file holds: the pages of a TIFF.

    Raises:
        InputError: If it is no picture, or a too large one.
    """
    with _opened(source) as picture:
        return min(MAX_FRAMES, int(getattr(picture, "n_frames", 1)))


def picture_of(source: str | bytes, frame: int = 0) -> Image:
    """Return a picture in RGB, turned as its camera says, no side longer than `LONGEST_SIDE`.

    Args:
        source: A path, or the bytes of a picture.
        frame: Number of the picture in the file.

    Raises:
        InputError: If it is no picture, is damaged, or has more than `MAX_PIXELS`.
    """
    from PIL import ImageOps

    with _opened(source) as picture:
        try:
            if frame:
                picture.seek(frame)
                _check_size(picture.size)
            # A JPEG can be opened at half its size, which costs a quarter.
            picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            upright = ImageOps.exif_transpose(picture)
            return _within_bounds(_in_rgb(upright))
        except InputError:
            raise
        # The decoders raise whatever they stumble over in a damaged file.
        except Exception as error:
            raise _unreadable(error) from error


def page_picture(path: str, page: int) -> Image:
    """Return the picture of a PDF page, its longer side `LONGEST_SIDE` at most.

    Raises:
        InputError: If it cannot be drawn.
    """
    from pypdfium2 import PdfDocument, PdfiumError

    opened: Any  # pypdfium2 ships no types, and its defaults are integers
    try:
        with closing(PdfDocument(path)) as document, closing(document[page]) as opened:
            longer = max(1.0, *opened.get_size())
            scale = min(_DOTS_PER_INCH / _POINTS, LONGEST_SIDE / longer)
            drawn: Image = opened.render(scale=scale).to_pil().convert("RGB")
            return drawn
    except (PdfiumError, ValueError) as error:
        raise InputError(f"its picture cannot be drawn: {_told(error)}") from error


def is_blank(picture: Image) -> bool:
    """Return whether nothing is seen on a picture, or it is too small for a line."""
    darkest, brightest = picture.convert("L").getextrema()
    assert isinstance(darkest, (int, float)) and isinstance(brightest, (int, float))
    return min(picture.size) < LEAST_SIDE or brightest - darkest < _LEAST_CONTRAST


def hash_of(picture: Image) -> str:
    """Return what tells a picture from all others: 32 hexadecimal digits over its pixels."""
    digest = hashlib.sha256(f"{picture.size}".encode())
    digest.update(picture.tobytes())
    return digest.hexdigest()[:32]


def shown(picture: Image, turned: int) -> bytes:
    """Return a picture as it is shown beside a quote: WebP, upright, about 100 KB.

    Args:
        picture: As it was recognised.
        turned: Degrees clockwise that it is to be turned by.
    """
    upright = picture.rotate(-turned, expand=True) if turned else picture
    smaller = upright.copy()
    smaller.thumbnail((_SHOWN_SIDE, _SHOWN_SIDE))
    stream = io.BytesIO()
    smaller.save(stream, "WEBP", quality=_SHOWN_QUALITY, method=2)
    return stream.getvalue()


def _opened(source: str | bytes) -> Any:
    from PIL import Image as Images
    from PIL import UnidentifiedImageError

    Images.MAX_IMAGE_PIXELS = None  # the check below has words for it
    try:
        stream = io.BytesIO(source) if isinstance(source, bytes) else Path(source)
        picture = Images.open(stream, formats=_FORMATS)
    except UnidentifiedImageError as error:
        raise InputError("not a readable picture: its bytes are of no format that is read") from (
            error
        )
    except InputError:
        raise
    except Exception as error:
        raise _unreadable(error) from error
    try:
        _check_size(picture.size)
    except InputError:
        picture.close()
        raise
    return picture


def _check_size(size: tuple[int, int]) -> None:
    width, height = size
    if width * height > MAX_PIXELS:
        raise InputError(
            f"{width:,} x {height:,} pixels, more than {MAX_PIXELS // 1_000_000} million: "
            "save a smaller copy"
        )


def _in_rgb(picture: Image) -> Image:
    """Return a picture in RGB, on white where it lets something through."""
    from PIL import Image as Images

    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        own = picture.convert("RGBA")
        white = Images.new("RGBA", own.size, "white")
        return Images.alpha_composite(white, own).convert("RGB")
    if picture.mode.startswith("I;16") or picture.mode in ("I", "F"):
        low, high = picture.getextrema()
        assert isinstance(low, (int, float)) and isinstance(high, (int, float))
        spread = max(1.0, high - low)
        grey: Image = picture.convert("F").point(lambda value: (value - low) * (255 / spread))
        return grey.convert("L").convert("RGB")
    return picture.convert("RGB")


def _within_bounds(picture: Image) -> Image:
    from PIL.Image import Resampling

    longer = max(picture.size)
    if longer <= LONGEST_SIDE:
        return picture
    size = (
        max(1, round(picture.width * LONGEST_SIDE / longer)),
        max(1, round(picture.height * LONGEST_SIDE / longer)),
    )
    return picture.resize(size, Resampling.LANCZOS, reducing_gap=2.0)


def _unreadable(error: Exception) -> InputError:
    return InputError(f"not a readable picture: {_told(error)}")


def _told(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


MAX_MEMORY = 6 * 1024**3  # of addresses; what is used stays below 2 GiB


def main() -> None:
    """Answer each request on standard input, as JSON."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # a library's own print is no answer
    bound_memory(MAX_MEMORY)
    desk = Desk(RapidTextRecogniser().recognise)
    for line in sys.stdin:
        answers.write(json.dumps(desk.answer(json.loads(line))) + "\n")
        answers.flush()


class Desk:
    """Answers requests about pictures; the one that was hashed last lies open.

    Args:
        recognise: Returns the lines of one in the mode RGB.
    """

    def __init__(self, recognise: Callable[[Image], RecognisedPage]) -> None:
        self._recognise = recognise
        self._open: Image | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return what a request asks for, or else a `reason`.

        `count` asks how many pictures a file holds, `open` for the hash of one and whether it is
        blank, `read` for the lines of the one that is open, and for the picture to be shown.
        """
        try:
            if request["ask"] == "count":
                return {"count": frame_count(_source(request))}
            if request["ask"] == "open":
                return self._opened(request)
            return self._read()
        except HoptrailError as error:
            return {"reason": error.message}
        except MemoryError:
            return {"reason": "takes too much memory"}
        # The models raise whatever they stumble over; the other pages are still to be read.
        except Exception as error:
            return {"reason": f"cannot be recognised: {' '.join(str(error).split())[:200]}"}

    def _opened(self, request: dict[str, Any]) -> dict[str, Any]:
        self._open = None
        page = request.get("page")
        if page is None:
            self._open = picture_of(_source(request), request.get("frame", 0))
        else:
            self._open = page_picture(request["path"], page)
        return {"hash": hash_of(self._open), "blank": is_blank(self._open)}

    def _read(self) -> dict[str, Any]:
        assert self._open is not None
        page = self._recognise(self._open)
        picture = shown(self._open, page.turned)
        return {"page": page.to_json(), "picture": base64.b64encode(picture).decode()}


def _source(request: dict[str, Any]) -> str | bytes:
    data = request.get("data")
    return base64.b64decode(data) if data is not None else str(request["path"])


if __name__ == "__main__":
    main()
