"""Fields of older Word forms, and the signs by which people tick boxes."""

from __future__ import annotations

from typing import Any

from hoptrail.indexing.loading.readers.pdf_fields import NOT_TICKED, TICKED
from hoptrail.indexing.loading.readers.word_styles import WORD

# Signs of symbol fonts by font and code: boxes, ticks and crosses.
_SYMBOLS = {
    **dict.fromkeys([("wingdings", code) for code in (0xFD, 0xFE)], TICKED),
    **dict.fromkeys([("wingdings", code) for code in (0x6F, 0x71, 0x72, 0xA8)], NOT_TICKED),
    **dict.fromkeys([("wingdings", 0xFC), ("wingdings 2", 0x50)], "✓"),
    **dict.fromkeys([("wingdings", 0xFB), ("wingdings 2", 0x4F)], "✗"),
    **dict.fromkeys([("wingdings 2", code) for code in (0x51, 0x52, 0x53, 0x54)], TICKED),
    ("wingdings 2", 0xA3): NOT_TICKED,
}
_PRIVATE = 0xF000  # where symbol fonts put their codes


def field_text(mark: Any) -> str:
    """Return what a field of a form shows that no run of text tells: a box, the chosen entry.

    Args:
        mark: The element that begins a field.
    """
    box = mark.find(f"{WORD}ffData/{WORD}checkBox")
    if box is not None:
        state = box.find(f"{WORD}checked")
        state = box.find(f"{WORD}default") if state is None else state
        return TICKED if state is not None and _is_on(state) else NOT_TICKED
    choice = mark.find(f"{WORD}ffData/{WORD}ddList")
    if choice is None:
        return ""
    entries = [entry.get(f"{WORD}val", "") for entry in choice.findall(f"{WORD}listEntry")]
    result = choice.find(f"{WORD}result")
    number = "0" if result is None else result.get(f"{WORD}val", "0")
    return entries[int(number)] if number.isdecimal() and int(number) < len(entries) else ""


def symbol_text(symbol: Any) -> str:
    """Return a box, tick or cross of a symbol font as a common sign, "" for other signs."""
    try:
        code = int(symbol.get(f"{WORD}char", ""), 16)
    except ValueError:
        return ""
    font = symbol.get(f"{WORD}font", "").lower()
    return _SYMBOLS.get((font, code - _PRIVATE if code >= _PRIVATE else code), "")


def _is_on(mark: Any) -> bool:
    return mark.get(f"{WORD}val", "1") not in {"0", "false", "off"}
