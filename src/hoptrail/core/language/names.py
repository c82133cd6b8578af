"""Names of languages, as CLDR gives them, and letters without accents."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=256)
def english_name(language: str) -> str:
    """Return the English name of a language, "" where CLDR has none; "nb" is "Norwegian Bokmål".

    Args:
        language: ISO 639 code.
    """
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language).get_display_name("en") or ""
    except (ValueError, UnknownLocaleError):
        return ""


def without_accents(text: str) -> str:
    """Return a text whose Latin, Greek and Cyrillic letters have lost their accents."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))
