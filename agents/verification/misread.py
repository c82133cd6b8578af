"""Doubts about words that were recognised in a picture, and may say something else there."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.agents.language.reserves import hard_to_read
from hoptrail.core.text import content_words
from hoptrail.core.types import TrailHop

_MOST_NAMED = 3


def misread(hops: Sequence[TrailHop], answers: Sequence[str]) -> str | None:
    """Return which words that an answer rests on may have been misread, None where none may.

    An answer rests on its own words and on those of the steps of its trail; what else a quote says
    does not matter.

    Args:
        hops: The checked trail.
        answers: The answers as they were drafted.
    """
    for hop in hops:
        told = " ".join((*answers, hop.subject, hop.object))
        known = set(content_words(told))
        words = [word for word in _unsure_words(hop) if known & set(content_words(word))]
        if words:
            named = ", ".join(f'"{word}"' for word in words[:_MOST_NAMED])
            return hard_to_read(named, hop.place or str(hop.doc_id))
    return None


def _unsure_words(hop: TrailHop) -> list[str]:
    """Return the words of a quote that may have been misread."""
    if hop.quote is None or hop.start is None:
        return []
    quote, begin = hop.quote, hop.start
    words = (quote[max(0, start - begin) : max(0, end - begin)] for start, end in hop.unsure)
    return [word.strip(".,;:!?()\"'") for word in words if word.strip()]
