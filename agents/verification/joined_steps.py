"""Whether the steps of a trail join: each through a thing that it shares with another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.reserves import unstated
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.text import contains_answer, name_key
from hoptrail.core.types import TrailHop


def unjoined(
    hops: Sequence[TrailHop],
    answers: Sequence[str],
    index: EvidenceIndex,
    *,
    is_derived: bool,
) -> str | None:
    """Return which step shares no thing with the rest of a trail, None where all join.

    Two steps share a thing by one of their names for it. Steps that answer a question for several
    things apart need not join where each has one of the answers; those of a derived
    answer may tell the same of several things.

    Args:
        hops: The checked trail, in order.
        answers: The answers.
        index: The evidence, which knows other names.
        is_derived: Whether the answer follows from the trail rather than standing in it.
    """
    groups: list[list[TrailHop]] = []
    for hop in hops:
        joined = [group for group in groups if any(_join(hop, one, index) for one in group)]
        if not joined and is_derived:
            joined = [group for group in groups if any(_is_parallel(hop, one) for one in group)]
        apart = [group for group in groups if group not in joined]
        groups = [*apart, [*(one for group in joined for one in group), hop]]
    if len(groups) < 2 or is_derived and len(groups) == 2:  # the two that are compared
        return None
    open_ones = [group for group in groups if not _has_answer(group, answers)]
    if not open_ones:
        return None
    number = min(hop.hop for hop in max(groups, key=lambda group: group[0].hop))
    return unstated(f"what joins step {number} to the others")


def _join(hop: TrailHop, other: TrailHop, index: EvidenceIndex) -> bool:
    mine, its = _names(hop, index), _names(other, index)
    return any(one <= another or another <= one for one in mine for another in its)


def _names(hop: TrailHop, index: EvidenceIndex) -> set[frozenset[str]]:
    """Return the words of each end of a step, of all its names: "Dacre, Owen" is Owen Dacre."""
    ends = [end for end in (hop.subject, hop.object) if end] or [hop.claim]
    ends = [end for end in ends if not _only_describes(end, hop.quote or "")]
    names = (word_groups(alias) for end in ends for alias in index.aliases(end))
    return {name for name in names if name}


def _only_describes(end: str, quote: str) -> bool:
    """Return whether a quote has an end only in front of a noun: "an American sitcom"."""
    spans = [match.span() for match in re.finditer(rf"\b{re.escape(end)}\b", quote)]
    if not spans:
        return False
    grammar = SentenceGrammar(quote)
    return all(grammar.is_modifier(*span) for span in spans)


def _is_parallel(hop: TrailHop, other: TrailHop) -> bool:
    return bool(hop.predicate) and name_key(hop.predicate) == name_key(other.predicate)


def _has_answer(group: Sequence[TrailHop], answers: Sequence[str]) -> bool:
    return any(
        contains_answer(f"{hop.subject}\n{hop.object}\n{hop.claim}", answer)
        for hop in group
        for answer in answers
    )
