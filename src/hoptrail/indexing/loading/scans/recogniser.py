"""The role of whoever recognises the text of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hoptrail.indexing.loading.page_layout.recognised_page import RecognisedPage

if TYPE_CHECKING:
    from PIL.Image import Image


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
