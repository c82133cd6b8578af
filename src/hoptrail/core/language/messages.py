"""Texts that an answer shows to a person, in the language of the question.

A message is written in English where it is needed, with its fields in braces, and that is its
identifier in the catalogues: gettext's `.po` files in the folder `catalogues`, one a language.
Where a catalogue lacks a language or a message, English stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from string import Formatter

from hoptrail.core.language.detection import ENGLISH

_CATALOGUES = files("hoptrail.core.language") / "catalogues"
# Fields that hold a phrase of ours; others hold words of the documents or of the question.
_PHRASES = frozenset({"what", "asked", "given", "told", "where"})


def worded(message: str, language: str = ENGLISH, /, **fields: object) -> str:
    """Return a message in a language, with its fields filled in.

    Args:
        message: In English, fields in braces.
        language: ISO 639 code.
        **fields: By name.
    """
    return _translations(language).gettext(message).format(**fields)


def counted_in(one: str, several: str, number: int, language: str = ENGLISH, /) -> str:
    """Return a message about a number, in the form that the language has for it.

    Args:
        one: In English, of one thing, with the field `number`.
        several: The same of more.
        number: Written as the language writes it: "1,234" or "1.234".
        language: ISO 639 code.
    """
    from babel.numbers import format_decimal

    found = _translations(language).ngettext(one, several, number)
    shown_in = language if language in languages() else ENGLISH
    return found.format(number=format_decimal(number, locale=shown_in))


def listed_in(parts: Sequence[str], language: str = ENGLISH) -> str:
    """Return "a, b and c" as a language that has a catalogue says it."""
    if language in languages():
        from babel.lists import format_list

        return format_list(parts, locale=language)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def in_language(text: str, language: str) -> str:
    """Return a text in a language that was worded in English before, when none was known.

    It is found by the message that it was made of, and so are phrases in its fields.

    Args:
        text: As `worded` returns it for English; any other text stays as it is.
        language: ISO 639 code.
    """
    if language not in languages():
        return text
    for message, pattern in _patterns(language):
        if found := pattern.fullmatch(text):
            fields = {
                name: in_language(value, language) if name in _PHRASES else value
                for name, value in found.groupdict().items()
            }
            return worded(message, language, **fields)
    return text


def load_messages(language: str) -> None:
    """Read the catalogue of a language, so that wording in it reads no file later."""
    _translations(language)
    if language in languages():
        _patterns(language)


@lru_cache(maxsize=1)
def languages() -> frozenset[str]:
    """Return the codes of the languages that have a catalogue."""
    found = _CATALOGUES.iterdir()
    return frozenset(one.name.removesuffix(".po") for one in found if one.name.endswith(".po"))


def messages_of(language: str) -> dict[str, str]:
    """Return the messages of a catalogue by their English text, each form of several by its own."""
    from babel.messages.pofile import read_po

    with (_CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    found: dict[str, str] = {}
    for message in catalogue:
        english, told = _forms(message.id), _forms(message.string)
        found |= dict(zip(english, (*told[:1], *told[-1:]), strict=False))
    found.pop("", None)
    return found


def _forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the forms of a message: one, or those for one thing and for more."""
    return (text,) if isinstance(text, str) else tuple(text or ())


@lru_cache(maxsize=16)
def _translations(language: str) -> NullTranslations:
    if language not in languages():
        return NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with (_CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


@lru_cache(maxsize=16)
def _patterns(language: str) -> list[tuple[str, re.Pattern[str]]]:
    """Return the messages with the pattern of their English text, the most telling ones first."""
    found = [(message, *_pattern(message)) for message in messages_of(language)]
    found.sort(key=lambda one: -one[2])
    return [(message, re.compile(pattern, re.DOTALL)) for message, pattern, _ in found]


def _pattern(message: str) -> tuple[str, int]:
    """Return the pattern of a message with its fields, and how many characters are its own."""
    pattern, own = "", 0
    for literal, name, _, _ in Formatter().parse(message):
        pattern += re.escape(literal) + (f"(?P<{name}>.+)" if name else "")
        own += len(literal)
    return pattern, own
