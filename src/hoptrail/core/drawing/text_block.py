"""Text in a picture: how wide it is, and how it is broken into lines.

A picture has no layout engine that could be asked, and does not know the reader's fonts. So widths
are estimates for sans-serif fonts, for the widest of the common ones (Verdana, DejaVu Sans).
"""

from __future__ import annotations

import re
import unicodedata

_NARROW = frozenset("ijltfrI.,:;'|!()[]{}/\\`\" -")
_WIDE = frozenset("mwMW@%&\N{EM DASH}\N{HORIZONTAL ELLIPSIS}")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def clean(text: str) -> str:
    """Return the text on one line, with characters that XML or a screen cannot show replaced."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def text_width(text: str, size: float) -> float:
    """Return the estimated width of a line in pixels, at a font of `size` pixels."""
    return size * sum(_em(character) for character in text)


def wrap(text: str, size: float, width: float, max_lines: int) -> tuple[str, ...]:
    """Break a text into lines of at most `width` pixels; what does not fit ends in an ellipsis.

    A word that is wider than a line, or a text without spaces, is broken between characters.
    """
    lines: list[str] = []
    line = ""
    for word in _pieces(clean(text), size, width):
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size) > width:
            lines.append(line)
            longer = word
        line = longer
        if len(lines) > max_lines:
            break
    if line:
        lines.append(line)
    if len(lines) <= max_lines:
        return tuple(lines)
    return (*lines[: max_lines - 1], _shortened(lines[max_lines - 1], size, width))


def _em(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if character in _NARROW:
        return 0.38
    if character in _WIDE:
        return 0.97
    return 0.74 if character.isupper() else 0.61


def _pieces(text: str, size: float, width: float) -> list[str]:
    """Return the words, each cut to pieces that fit on a line."""
    pieces = []
    for word in text.split():
        piece = ""
        for character in word:
            if piece and text_width(piece + character, size) > width:
                pieces.append(piece)
                piece = ""
            piece += character
        pieces.append(piece)
    return pieces


def _shortened(line: str, size: float, width: float) -> str:
    while line and text_width(line + ELLIPSIS, size) > width:
        line = line[:-1]
    return line.rstrip() + ELLIPSIS
