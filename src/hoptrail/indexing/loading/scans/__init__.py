"""Pictures of pages as text: recognised, put in reading order, every word with its box.

The choices of whether they are recognised stand here; nothing heavy, for options name them.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

OcrMode = Literal["auto", "off", "force"]
OCR_MODES = ("auto", "off", "force")
MAX_PAGES = 1_000
"""Pages of one file that are recognised, by default."""
HOW_TO_GET = 'pip install "hoptrail[ocr]" lets it be read'
HOW_TO_TURN_ON = '--ocr auto, or ocr="auto", lets it be read'


def is_installed() -> bool:
    """Return whether the extra `ocr` is there."""
    return find_spec("rapidocr") is not None and find_spec("cv2") is not None


def reading_of(mode: OcrMode) -> str:
    """Return what decides which pictures a run reads: a file is read again where it is another."""
    return mode if mode == "off" or is_installed() else "none"


def is_by_choice(reason: str) -> bool:
    """Return whether a picture was left unread as no run of this mode would read it."""
    return reason.endswith((HOW_TO_GET, HOW_TO_TURN_ON))
