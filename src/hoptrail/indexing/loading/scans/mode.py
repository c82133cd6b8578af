"""The choices of whether pictures are recognised; nothing heavy, for options name them."""

from __future__ import annotations

from typing import Literal

OcrMode = Literal["auto", "off", "force"]
OCR_MODES = ("auto", "off", "force")
MAX_PAGES = 1_000
"""Pages of one file that are recognised, by default."""
