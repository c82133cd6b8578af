"""Recognises pictures in a process of its own."""

from __future__ import annotations

import base64
import json
import sys
from typing import TYPE_CHECKING, Any, Protocol

from hoptrail.core.errors import HoptrailError
from hoptrail.indexing.loading.reading_order import RecognisedPage
from hoptrail.indexing.loading.scans.page_pictures import (
    frame_count,
    hash_of,
    is_blank,
    page_picture,
    picture_of,
    shown,
)
from hoptrail.indexing.loading.scans.rapid_recogniser import RapidTextRecogniser
from hoptrail.indexing.loading.worker_process import bound_memory

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_MEMORY = 6 * 1024**3  # of addresses; what is used stays below 2 GiB


class TextRecogniser(Protocol):
    """Recognises the lines of a picture."""

    @property
    def name(self) -> str:
        """Name and version: what another one recognised is not taken for its own."""
        ...

    def recognise(self, picture: Image) -> RecognisedPage:
        """Return the lines of a picture.

        Args:
            picture: In the mode RGB.
        """
        ...


def main() -> None:
    """Answer each request on standard input, as JSON."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # a library's own print is no answer
    bound_memory(MAX_MEMORY)
    desk = Desk(RapidTextRecogniser())
    for line in sys.stdin:
        answers.write(json.dumps(desk.answer(json.loads(line))) + "\n")
        answers.flush()


class Desk:
    """Answers requests about pictures; the one that was hashed last lies open.

    Args:
        recogniser: Reads them.
    """

    def __init__(self, recogniser: TextRecogniser) -> None:
        self._recogniser = recogniser
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
        page: RecognisedPage = self._recogniser.recognise(self._open)
        picture = shown(self._open, page.turned)
        return {"page": page.to_json(), "picture": base64.b64encode(picture).decode()}


def _source(request: dict[str, Any]) -> str | bytes:
    data = request.get("data")
    return base64.b64decode(data) if data is not None else str(request["path"])


if __name__ == "__main__":
    main()
