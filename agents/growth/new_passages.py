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
_TITLE_WEIGHT = 1.5
_WORDS_WEIGHT = 3.0
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
    and have its words. A passage that was read before comes back only where it names what a search
    starts from, or has a name that the question lacks and a new passage brings in: it could not be
    understood before. Of these, the ones with most words of question and searches come first.

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
    return (*new, *_relit(question, searches, before, new))


def _ranked(search: Search, hits: Sequence[Hit[Chunk]], question: str) -> Hits:
    """Return the passages by the names and words that they share with a search, and by rank."""
    groups = [word_groups(hit.item.embedded_text) for hit in hits]
    rarity = WordRarity(groups, smoothing=1)
    wanted, asked = word_groups(search.query), word_groups(question)

    def score(place: int) -> float:
        words = rarity.share(wanted, groups[place])
        words += _QUESTION_WEIGHT * rarity.share(asked, groups[place])
        return words + _naming(hits[place].item, search.names) + _RANK_WEIGHT / (1 + place)

    scores = [score(place) for place in range(len(hits))]
    return tuple(hits[place] for place in sorted(range(len(hits)), key=lambda at: -scores[at]))


def _naming(chunk: Chunk, names: Sequence[str]) -> float:
    """Return what a passage gains by naming one of these: most where its title does."""
    title, text = token_key(chunk.title), token_key(chunk.text)
    keys = [f" {name_key(name)} " for name in names if name_key(name)]
    if any(key in title for key in keys):
        return _TITLE_WEIGHT
    return _NAME_WEIGHT * any(key in text for key in keys)


def _relit(
    question: str, searches: Sequence[Search], before: Sequence[Hit[Chunk]], new: Hits
) -> Hits:
    """Return the passages read before that have a name which is new since, and fit best."""
    asked = token_key(question)
    started = [name for search in searches for name in search.names]
    told = _unasked((one for hit in new for one in proper_names(hit.item.embedded_text)), asked)
    groups = [word_groups(hit.item.embedded_text) for hit in before]
    rarity = WordRarity(groups, smoothing=1)
    wanted = word_groups(" ".join([question, *(search.query for search in searches)]))
    rated = []
    for place, (hit, has) in enumerate(zip(before, groups, strict=True)):
        named = max(_naming(hit.item, started), _QUESTION_WEIGHT * _naming(hit.item, told))
        if named:
            rated.append((-named - _WORDS_WEIGHT * rarity.share(wanted, has), place))
    return _fitting((before[place] for _, place in sorted(rated)), RELIT_TOKENS)


def _unasked(names: Iterable[str], asked: str) -> list[str]:
    return [name for name in dict.fromkeys(names) if f" {name_key(name)} " not in asked]


def _fitting(hits: Iterable[Hit[Chunk]], room: int) -> Hits:
    """Return the passages that fit, in order; the first one in any case."""
    kept: list[Hit[Chunk]] = []
    for hit in hits:
        tokens = passage_tokens(hit.item)
        if tokens <= room or not kept:
            kept.append(hit)
            room -= tokens
    return tuple(kept)
