"""Names in knowledge graphs: which nodes have none, and the words of a predicate."""

from __future__ import annotations

import re

_MACHINE_ID = re.compile(r"[mg]\.[0-9a-z_]+|/[mg]/[0-9a-z_]+")
_WORD_BREAK = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


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
