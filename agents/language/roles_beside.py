"""Roles that a text sets beside a name: "Ruth Feldman (treasurer)", "our chair, Bo Reed,"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.core.text import STOP_WORDS

_DETERMINER = r"(?:our|the|its|their|my|your|his|her)"
_WORDS = r"[a-z][a-z-]{1,30}(?: [a-z][a-z-]{1,30}){0,3}"
_IN_BRACKETS = re.compile(rf" \((?:{_DETERMINER} )?(?P<role>{_WORDS})\)")
_BETWEEN_COMMAS = re.compile(
    rf",\s{_DETERMINER} (?P<role>{_WORDS})(?=[,.;)]|\s(?:and|is|was|has|will|can)\s|\s*$)"
    rf"|,\s(?P<bare>{_WORDS})(?=[,;.)]|\s*$)"
)
_BEHIND_DASH = re.compile(rf"\s[-–—] (?P<role>{_WORDS})(?=[,.;]|\s*$)")
_BEFORE = re.compile(
    rf"(?:^|[^\w'’])(?i:{_DETERMINER}) (?P<role>{_WORDS}?)(?:,| is)? $"
    rf"|^(?P<label>[^\W\d_][a-z-]{{1,30}}(?: [a-z][a-z-]{{1,30}}){{0,3}}): $"
)

_LONGEST_ROLE = 160  # characters before a name: four words and what stands around them


@dataclass(frozen=True, slots=True)
class RoleBeside:
    """A name with the role that stands beside it; the offsets are those of the name."""

    name: str
    role: str
    start: int
    end: int


def roles_beside(text: str) -> Iterator[RoleBeside]:
    """Yield the names of a sentence or line that have a role beside them."""
    for start, end in capitalised_spans(text):
        for pattern in (_IN_BRACKETS, _BETWEEN_COMMAS, _BEHIND_DASH):
            if behind := pattern.match(text, end):
                role = next(filter(None, behind.groups()))
                yield RoleBeside(text[start:end], role, start, end)
        if before := _BEFORE.search(text, max(0, start - _LONGEST_ROLE), start):
            role = next(filter(None, before.groups()))
            if role.lower().split()[-1] not in STOP_WORDS:  # "the mayor of" a town
                yield RoleBeside(text[start:end], role.lower(), start, end)
