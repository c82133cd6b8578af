"""Choose the passages of a further call: new ones, and those that they throw new light on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hoptrail.agents.evidence.evidence_index import token_key
from hoptrail.agents.growth.follow_up import Search
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.language.word_rarity import WordRarity
from hoptrail.core.render import passage_tokens
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Evidence, Hit

NEW_TOKENS = 1_000
RELIT_TOKENS = 500
_NAME_WEIGHT = 1.0
_QUESTION_WEIGHT = 0.5
_RANK_WEIGHT = 0.5

Hits = tuple[Hit[Chunk], ...]


def choose_passages(
    question: str,
    searches: Sequence[Search],
    found: Sequence[Evidence],
    known: Evidence,
    shown: Collection[str],
) -> Hits:
    """Return what to read next, nothing where no passage is new.

    New passages come in turns over the searches, for each those first that name what it starts from
    and have its words. A passage that was read before comes back only where it has a name that the
    question lacks and a new passage or a search brings in: it could not be understood before. Of
    these, the ones with most words of the question come first.

    Args:
        question: The standalone question.
        searches: What was looked for.
        found: What each search found, in the same order.
        known: What was found before.
        shown: Ids of the passages that some call has read.
    """
    ranked = [
        _ranked(search, Evidence.interleave([one, known]).chunks, question)
        for search, one in zip(searches, found, strict=True)
    ]
    pool = Evidence.interleave([Evidence(chunks=chunks) for chunks in ranked]).chunks
    new = _fitting((hit for hit in pool if hit.item.id not in shown), NEW_TOKENS)
    if not new:
        return ()
    before = [hit for hit in pool if hit.item.id in shown]
    started = [name for search in searches for name in search.names]
    return (*new, *_relit(question, before, new, started))


def _ranked(search: Search, hits: Sequence[Hit[Chunk]], question: str) -> Hits:
    """Return the passages by the names and words that they share with a search, and by rank."""
    groups = [word_groups(hit.item.embedded_text) for hit in hits]
    rarity = WordRarity(groups, smoothing=1)
    wanted, asked = word_groups(search.query), word_groups(question)

    def score(place: int) -> float:
        key = token_key(hits[place].item.embedded_text)
        names = any(f" {name_key(name)} " in key for name in search.names)
        words = rarity.share(wanted, groups[place])
        words += _QUESTION_WEIGHT * rarity.share(asked, groups[place])
        return words + _NAME_WEIGHT * names + _RANK_WEIGHT / (1 + place)

    scores = [score(place) for place in range(len(hits))]
    return tuple(hits[place] for place in sorted(range(len(hits)), key=lambda at: -scores[at]))


def _relit(question: str, before: Sequence[Hit[Chunk]], new: Hits, started: Sequence[str]) -> Hits:
    asked = token_key(question)
    told = [*started, *(name for hit in new for name in proper_names(hit.item.embedded_text))]
    keys = {f" {key} " for name in told if (key := name_key(name)) and f" {key} " not in asked}
    groups = [word_groups(hit.item.embedded_text) for hit in before]
    rarity = WordRarity(groups, smoothing=1)
    wanted = word_groups(question)
    rated = [
        (rarity.share(wanted, has), place)
        for place, (hit, has) in enumerate(zip(before, groups, strict=True))
        if any(key in token_key(hit.item.embedded_text) for key in keys)
    ]
    order = (before[place] for _, place in sorted(rated, key=lambda one: (-one[0], one[1])))
    return _fitting(order, RELIT_TOKENS)


def _fitting(hits: Iterable[Hit[Chunk]], room: int) -> Hits:
    """Return the passages that fit, in order; the first one in any case."""
    kept: list[Hit[Chunk]] = []
    for hit in hits:
        tokens = passage_tokens(hit.item)
        if tokens <= room or not kept:
            kept.append(hit)
            room -= tokens
    return tuple(kept)
