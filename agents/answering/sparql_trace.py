"""Read the triple patterns and variable bindings of a SPARQL-style chain of thought.

Source: Zarrinkia, "The Reasoning Bottleneck in Graph-RAG", 2026, section 3.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hoptrail.core.reply_conventions import is_unbound
from hoptrail.core.types.draft import HopClaim, Pattern

MAX_PATTERNS = 4
_MAX_LINE = 400

_TERM = r"""\?\w+|"[^"]+"|“[^”]+”|'[^']+'|<[^<>]+>"""
_PATTERN = re.compile(rf"^({_TERM})\s+(\S.*?)\s+({_TERM})$")
_BINDING = re.compile(r"^\W*(\?\w+)[*`_]*\s*(?::=|=|->|→|:|\bis\b)\s*(.+)$", re.IGNORECASE)
_PASSAGE = re.compile(r"(?<!\s)\s*+(?:\||[(\[])?\s*+\[?P\d+(?:\s*,\s*P\d+)*\]?[)\]]?\s*\.?$")


def parse_patterns(reply: str) -> tuple[Pattern, ...]:
    """Return the first triple patterns of a reply, at most `MAX_PATTERNS`."""
    patterns: list[Pattern] = []
    for line in _statements(reply):
        match = _PATTERN.match(line)
        if match is None or not any(end.startswith("?") for end in match.group(1, 3)):
            continue
        pattern = Pattern(
            _bare(match.group(1)), _plain_predicate(match.group(2)), _bare(match.group(3))
        )
        if pattern not in patterns:
            patterns.append(pattern)
        if len(patterns) == MAX_PATTERNS:
            break
    return tuple(patterns)


def parse_bindings(reply: str) -> dict[str, str | None]:
    """Return the traced value of each variable, None where it is said to be unresolved.

    The last line about a variable counts.
    """
    bindings: dict[str, str | None] = {}
    for line in reply.splitlines():
        match = _BINDING.match(line.strip()) if len(line) <= _MAX_LINE else None
        if match is None:
            continue
        value = _PASSAGE.sub("", match.group(2)).strip(" \t*`.\"'“”|")
        bindings[match.group(1)] = None if is_unbound(value) else value
    return bindings


def first_unresolved(
    patterns: Sequence[Pattern], bindings: Mapping[str, str | None], hops: Sequence[HopClaim]
) -> Pattern | None:
    """Return the first pattern with a variable without value, known values filled in.

    Without patterns the first hop whose object is unknown stands in for it.
    """
    known = {variable: value for variable, value in bindings.items() if value is not None}
    for pattern in patterns:
        bound = pattern.bind(known)
        if bound.variables:
            return bound
    for hop in hops:
        if is_unbound(hop.object) and not is_unbound(hop.subject):
            return Pattern(hop.subject, hop.predicate, "?answer")
        if is_unbound(hop.subject) and not is_unbound(hop.object):
            return Pattern("?answer", hop.predicate, hop.object)
    return None


def _statements(reply: str) -> list[str]:
    lines: list[str] = []
    for line in reply.splitlines():
        if len(line) > _MAX_LINE:
            continue
        body = re.sub(r"^.*\{|\}.*$", "", line)
        parts = re.split(r"(?:(?<=[\w\"'”>])|\s)[.;]\s+(?=[?\"“'<])", f"{body} ")
        lines.extend(re.sub(r"^[-*\d.)\s]+(?=[?\"“'<])|[\s.;]+$", "", part) for part in parts)
    return [line.strip(" `") for line in lines if line.strip(" `")]


def _bare(term: str) -> str:
    return term if term.startswith("?") else term[1:-1].strip()


def _plain_predicate(predicate: str) -> str:
    bare = predicate.strip("`\"'“”<>").rpartition(":")[2]
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", bare)
    return " ".join(spaced.split()).lower()
