"""Full stops that end no sentence in other languages than English."""

from __future__ import annotations

from functools import lru_cache

from hoptrail.core.language.names import without_accents

_VOWELS = frozenset("aeiouyаеиоуыэюяєії")
_DAY_LENGTH = 2  # digits
_SHORT = 4  # letters of "Abs. 3", "tél. 04", "núm. 5"


def may_go_on(word: str, following: str) -> bool:
    """Return whether a word with a full stop may be short for another, or the number of a day.

    Whether it is depends on the language and on what follows (`goes_on`).

    Args:
        word: Before the full stop.
        following: What comes next, from its first letter or digit on.
    """
    if word.isdecimal():
        return len(word) <= _DAY_LENGTH
    if not word.isalpha():
        return False
    is_short = len(word) <= _SHORT and following[:1].isdecimal()
    return len(word) == 1 or is_short or not _VOWELS & set(word.lower())


def goes_on(word: str, following: str, language: str) -> bool:
    """Return whether a full stop ends no sentence, where `may_go_on` leaves it open.

    It ends none behind a single letter ("z. B."), behind letters that are no syllable ("Nr.",
    "bzw."), between a short word and a number ("tél. 04"), and between a number and a month where
    CLDR says that the language writes a day so ("3. Mai").

    Args:
        word: Before the full stop.
        following: The next word.
        language: ISO 639 code.
    """
    if word.isdecimal():
        return following.lower() in _months_behind_a_stop(language)
    if len(word) == 1 or following.isdecimal():
        return True
    return not _VOWELS & set(without_accents(word.lower()))


@lru_cache(maxsize=64)
def _months_behind_a_stop(language: str) -> frozenset[str]:
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(language)
    except (ValueError, UnknownLocaleError):
        return frozenset()
    if not str(locale.date_formats["long"].pattern).startswith("d."):
        return frozenset()
    return frozenset(
        str(name).lower().rstrip(".")
        for width in ("wide", "abbreviated")
        for name in locale.months["format"][width].values()
    )
