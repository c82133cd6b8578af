"""Names: of nodes and predicates, run together in chats, and wherever a question may hold one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hoptrail.core.language.scripts import UNSPACED
from hoptrail.core.text import name_key

_MACHINE_ID = re.compile(r"[mg]\.[0-9a-z_]+|/[mg]/[0-9a-z_]+")
_WORD_BREAK = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_BREAK = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z][^\W\d_A-Z])")
_HANDLE = re.compile(r"(?<![\w@])@?([A-Z][^\W\d_A-Z]+(?:[A-Z][^\W\d_A-Z]+)+)(?!\w)")
_PREFIXES = frozenset({"Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "Von", "Fitz"})
UNIT = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+(?:['’.&-](?![{UNSPACED}])\w+)*")
"""A word, with what joins its parts; of scripts without spaces, a character."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_MOST_WORDS = 14
_MOST_UNITS = 10


def is_unnamed(name: str) -> bool:
    """Return whether a node has no name for people: it is empty or a Freebase machine id.

    Such a node gets no vector and joins no other by its name; edges alone lead to it.
    """
    return not name or _MACHINE_ID.fullmatch(name) is not None


def predicate_words(predicate: str) -> str:
    """Return a predicate as words: `people.person.place_of_birth`, `birthPlace`, `born_in`."""
    return " ".join(filter(None, _WORD_BREAK.split(predicate))) or predicate


def triple_words(subject: str, predicate: str, target: str) -> str:
    """Return head, predicate and tail as words; ends without a name are left out."""
    head, tail = ("" if is_unnamed(name) else name for name in (subject, target))
    return " ".join(filter(None, (head, predicate_words(predicate), tail)))


def parted(name: str) -> str:
    """Return a name with spaces where it runs together; a prefix such as "Mc" is no name."""
    parts = _BREAK.split(name)
    return name if " " in name or parts[0] in _PREFIXES else " ".join(parts)


def handles_in(text: str) -> dict[str, str]:
    """Return the words of a text that may be names run together, with their parted form."""
    names = {match.group(): parted(match.group(1)) for match in _HANDLE.finditer(text)}
    return {handle: name for handle, name in names.items() if " " in name}


def part_handles(text: str, is_name: Callable[[str], object]) -> str:
    """Return a text with the handles parted whose parted form is a name ("YouTube" is none).

    Args:
        text: A question.
        is_name: Tells of "Ann Thale" whether it is the name of something.
    """
    for handle, name in handles_in(text).items():
        if is_name(name):
            text = re.sub(rf"(?<!\w){re.escape(handle)}(?!\w)", name, text)
    return text


def word_runs(question: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of up to 14 words, any of which could be a name."""
    yield from _runs(question, _WORD, _MOST_WORDS)


def unit_runs(question: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of up to ten words or unspaced characters."""
    yield from _runs(question, UNIT, _MOST_UNITS)


def name_keys_in(text: str) -> dict[str, None]:
    """Return the `name_key` of the text and of every run of words in it, in order, each once."""
    runs = (text[start:end] for runs in (unit_runs, word_runs) for start, end in runs(text))
    return dict.fromkeys(map(name_key, (text, *runs)))


def _runs(text: str, unit: re.Pattern[str], most: int) -> Iterator[tuple[int, int]]:
    units = [match.span() for match in unit.finditer(text)]
    for first, (start, _) in enumerate(units):
        for _, end in units[first : first + most]:
            yield start, end
