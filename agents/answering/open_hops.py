"""The hops that a reply leaves open, as patterns of what is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hoptrail.core.reply_conventions import is_unbound
from hoptrail.core.types.draft import HopClaim, Pattern

_VARIABLE = re.compile(r"\?\w+")


def open_hops(hops: Iterable[HopClaim]) -> tuple[Pattern, ...]:
    """Return a pattern for each hop with an unknown end, in order.

    An end that a reply names as a variable keeps that name. Else each unknown has a name of its
    own, for two may be two things; but a hop that says neither end goes on from what the hop before
    left open.
    """
    patterns: list[Pattern] = []
    before = ""
    for hop in hops:
        is_open = is_unbound(hop.object)
        if not (is_open or is_unbound(hop.subject)):
            before = ""
            continue
        fresh = f"?x{len(patterns) + 1}"
        subject = _end(hop.subject, (before if is_open else "") or fresh)
        object_ = _end(hop.object, f"{fresh}b" if subject == fresh else fresh)
        patterns.append(Pattern(subject, hop.predicate, object_))
        before = object_ if is_open else ""
    return tuple(dict.fromkeys(patterns))


def _end(end: str, unknown: str) -> str:
    """Return an end as a pattern has it; `unknown` where it names no thing and no variable."""
    return end if not is_unbound(end) or _VARIABLE.fullmatch(end) else unknown
