"""The triples that a prompt shows, one or several a line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hoptrail.core.text import name_key

_LINE = re.compile(r"^(?:-|\[\d+\]) (.+ \| .+ \| .+)$", re.MULTILINE)
_ADDITION = re.compile(r"^(.*\S)\s+\(((?:[^()]|\([^()]*\))*)\)$", re.DOTALL)
_VERDICTS = frozenset({"complete", "partial", "irrelevant"})
_SHORTEST_DESCRIPTION = 4


@dataclass(frozen=True, slots=True)
class Triple:
    """A triple as a prompt spells it."""

    subject: str
    predicate: str
    object: str

    @property
    def ends(self) -> tuple[str, str]:
        """The keys of both names."""
        return name_key(self.subject), name_key(self.object)

    @property
    def label(self) -> str:
        """The key of the predicate, the same for `starred_actors` and "starred actors"."""
        return predicate_key(self.predicate)


def predicate_key(predicate: str) -> str:
    """Return the form in which predicates are compared."""
    return name_key(predicate.replace("_", " "))


def parse_triples(text: str) -> tuple[Triple, ...]:
    """Return the triples of all lines `- s | p | o` and `[3] s | p | o -> o | p | o`, each once."""
    found = (triple for line in _LINE.findall(text) for triple in parse_path(line))
    return tuple(dict.fromkeys(found))


def parse_path(line: str) -> tuple[Triple, ...]:
    """Return the triples of one line without its dash or number, none if it holds none."""
    triples: list[Triple] = []
    for part in line.split(" -> "):
        fields = [field.strip() for field in part.split(" | ")]
        if len(fields) != 3 or not all(fields):
            return ()
        triples.append(Triple(fields[0], fields[1], _without_addition(fields)))
    return tuple(triples)


def _without_addition(fields: list[str]) -> str:
    """Return the object without the description or verdict that may follow it in parentheses.

    A short addition such as "(1999 film)" is part of the name.
    """
    match = _ADDITION.match(fields[2])
    if match is None:
        return fields[2]
    name, addition = match.groups()
    names = f" {name_key(addition)} "
    tells = any(f" {name_key(end)} " in names for end in (fields[0], name))
    is_description = tells and len(addition.split()) >= _SHORTEST_DESCRIPTION
    return name if is_description or addition in _VERDICTS else fields[2]
