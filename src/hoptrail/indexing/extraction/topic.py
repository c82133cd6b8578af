"""The subject of a document, read from its title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.core.language.scripts import has_other_words
from hoptrail.core.text import name_key

_LAST_WORD = re.compile(r"([^\W\d_]+)\W*$")


@dataclass(frozen=True, slots=True)
class Topic:
    """The subject of a document; `short` is its name without a qualifier in brackets.

    `kind` is the qualifier's last word where that is a common noun: "film" for "Taken (2008 film)",
    and empty for "Opera House (Sydney)".
    """

    key: str
    name: str
    short: str
    kind: str

    @classmethod
    def of(cls, title: str) -> Topic:
        """Return the topic of a title, with empty fields for an empty one."""
        name = title.strip()
        short, qualifier = _without_qualifier(name)
        word = _LAST_WORD.search(qualifier)
        kind = word.group(1) if word and word.group(1).islower() else ""
        return cls(name_key(name) if name else "", name, short, kind)

    def occurrences(self, text: str, start: int, end: int) -> Iterator[int]:
        """Yield where the short name stands as whole words between two places of a text.

        Where a script has no spaces, or writes its article on to the word, it may stand in more.
        """
        position = start
        is_unspaced = has_other_words(self.short)
        is_name = self.short != self.short.lower() or " " in self.short or is_unspaced
        while self.short and is_name and (found := text.find(self.short, position, end)) >= 0:
            position = found + len(self.short)
            before, after = text[found - 1 : found], text[position : position + 1]
            if is_unspaced or not (before.isalnum() or after.isalnum()):
                yield found


def _without_qualifier(name: str) -> tuple[str, str]:
    """Return "Delft" and "city" for "Delft (city)", and any other name with an empty qualifier."""
    short, bracket, qualifier = name.removesuffix(")").rpartition("(")
    if not (bracket and short.strip() and name.endswith(")")) or not qualifier or ")" in qualifier:
        return name, ""
    return short.rstrip(), qualifier
