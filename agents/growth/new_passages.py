"""Choose the passages of a further call: new ones, and those that they throw new light on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hoptrail.agents.evidence.evidence_index import token_key, topic_of
from hoptrail.core.render import passage_tokens
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Evidence, Hit

NEW_TOKENS = 1_000
RELIT_TOKENS = 400


def choose_passages(
    question: str, found: Sequence[Evidence], known: Evidence, shown: Collection[str]
) -> tuple[Hit[Chunk], ...]:
    """Return what to read next, nothing where no passage is new.

    New passages come in the order of the searches that found them, in turns, and then those that
    the first retrieval found and no call has read. One that was read before comes back only where
    it is about a thing that a new passage names and the question does not: it could not be
    understood before.

    Args:
        question: The standalone question.
        found: What each search found.
        known: What was found before.
        shown: Ids of the passages that some call has read.
    """
    pool = Evidence.interleave([Evidence.interleave(found), known]).chunks
    new = _fitting((hit for hit in pool if hit.item.id not in shown), NEW_TOKENS)
    if not new:
        return ()
    named = token_key(" ".join(hit.item.text for hit in new))
    asked = token_key(question)
    before = (hit for hit in pool if hit.item.id in shown)
    relit = (hit for hit in before if _is_named(hit.item, named) and not _is_named(hit.item, asked))
    return (*new, *_fitting(relit, RELIT_TOKENS))


def _is_named(chunk: Chunk, key: str) -> bool:
    topic = name_key(topic_of(chunk.title))
    return bool(topic) and f" {topic} " in key


def _fitting(hits: Iterable[Hit[Chunk]], room: int) -> tuple[Hit[Chunk], ...]:
    """Return the passages that fit, in order; the first one in any case."""
    kept: list[Hit[Chunk]] = []
    for hit in hits:
        tokens = passage_tokens(hit.item)
        if tokens <= room or not kept:
            kept.append(hit)
            room -= tokens
    return tuple(kept)
