"""The next look-ups: a search for each open fact, from the names that are known by now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.answering.missing_fact_query import query_for
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.types import TrailHop
from hoptrail.core.types.draft import Pattern

_MOST_SEARCHES = 2


@dataclass(frozen=True, slots=True)
class Search:
    """A query, and the names that it starts from."""

    query: str
    names: tuple[str, ...] = ()


def next_searches(
    question: str, still_open: Sequence[Pattern], facts: Sequence[TrailHop]
) -> tuple[Search, ...]:
    """Return the searches for what is open, at most two.

    A fact of which one end is known is looked up from that end. Where no such fact is open, the
    question is searched again from what the facts have led to.

    Args:
        question: The standalone question.
        still_open: What stays open, in order.
        facts: What is established.
    """
    anchored = [pattern for pattern in still_open if len(pattern.variables) < 2]
    searches = [
        Search(query_for(pattern, question), _names(pattern))
        for pattern in anchored or still_open[:1]
    ]
    if not searches:
        reached = tuple(dict.fromkeys(fact.object for fact in facts))
        searches = [Search(" ".join([question, *reached]), reached)]
    return tuple(dict.fromkeys(searches))[:_MOST_SEARCHES]


def _names(pattern: Pattern) -> tuple[str, ...]:
    """Return the known ends of a pattern, and the names in them ("under Trajan")."""
    ends = [end for end in (pattern.subject, pattern.object) if end and not end.startswith("?")]
    return tuple(dict.fromkeys([*ends, *(name for end in ends for name in proper_names(end))]))
