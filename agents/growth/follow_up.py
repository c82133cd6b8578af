"""The next look-ups, from the names that are known by now: one by one and all at once."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.agents.answering.missing_fact_query import query_for, worded
from hoptrail.agents.growth.progress import Progress
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Pattern

_MOST_SEARCHES = 2


@dataclass(frozen=True, slots=True)
class Search:
    """A query, and the names that it starts from."""

    query: str
    names: tuple[str, ...] = ()


def next_searches(question: str, progress: Progress) -> tuple[Search, ...]:
    """Return the searches for what is open, at most two.

    A fact of which one end is known is looked up from that end. Where no such fact is open, the
    question is searched again from what the facts have led to, and from the proposed answers.

    Args:
        question: The standalone question.
        progress: What is known, and what stays open.
    """
    anchored = [pattern for pattern in progress.still_open if len(pattern.variables) < 2]
    searches = [
        Search(query_for(pattern, question), _names(pattern))
        for pattern in anchored or progress.still_open[:1]
    ]
    if not searches:
        facts = (fact.object for fact in progress.facts)
        reached = tuple(dict.fromkeys([*facts, *progress.proposed]))
        searches = [Search(" ".join([question, *reached]), reached)]
    return tuple(dict.fromkeys(searches))[:_MOST_SEARCHES]


def look_ahead(progress: Progress) -> Search | None:
    """Return a search for all that is open at once, None where that is one fact at most.

    A fact may be stated nowhere, or beside the next one alone: where the city is open in which
    somebody died, and a castle in it, a passage about a castle of some city may tell both. Several
    things may have a name of one word; there the other ends of the facts about it stand beside it.

    Args:
        progress: What is known, and what stays open.
    """
    if len(progress.still_open) < 2:
        return None
    names = tuple(dict.fromkeys(name for one in progress.still_open for name in _names(one)))
    short = {name_key(name) for name in names if " " not in name}
    beside = [fact.subject for fact in progress.facts if name_key(fact.object) in short]
    beside += [fact.object for fact in progress.facts if name_key(fact.subject) in short]
    words = [*map(worded, progress.still_open), *dict.fromkeys(beside)]
    return Search(" ".join(words), names)


def _names(pattern: Pattern) -> tuple[str, ...]:
    """Return the known ends of a pattern, and the names in them ("under Trajan")."""
    ends = [end for end in (pattern.subject, pattern.object) if end and not end.startswith("?")]
    return tuple(dict.fromkeys([*ends, *(name for end in ends for name in proper_names(end))]))
