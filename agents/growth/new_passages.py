"""Choose the passages of a further call: new ones, and a few that were read before."""

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
NAMELESS_TOKENS = 300
AHEAD_TOKENS = 500
BACK_TOKENS = 500
_NAME_WEIGHT = 1.0
_TITLE_WEIGHT = 1.5
_WORDS_WEIGHT = 3.0
_QUESTION_WEIGHT = 0.5
_RANK_WEIGHT = 0.5

Hits = tuple[Hit[Chunk], ...]
_NOTHING = Evidence()


def choose_passages(
    question: str,
    searches: Sequence[Search],
    found: Sequence[Evidence],
    known: Evidence,
    shown: Collection[str],
    told: Collection[str] = (),
    ahead: Evidence = _NOTHING,
) -> Hits:
    """Return what to read next, best first; nothing where no passage is new.

    New passages come in turns over the searches, for each those first that name what it starts from
    and have its words. Behind them stand those that a look ahead found first. Of the passages that
    were read before a few come back, for a reply tells only what it could make use of.

    Args:
        question: The standalone question.
        searches: What was looked for.
        found: What each search found, in the same order.
        known: What was found before.
        shown: Ids of the passages that some call has read.
        told: Ids of those that replies have named.
        ahead: What a search for all that is open found.
    """
    ranked = [
        _ranked(search, Evidence.interleave([one, known]).chunks, question)
        for search, one in zip(searches, found, strict=True)
    ]
    pool = Evidence.interleave([Evidence(chunks=chunks) for chunks in ranked]).chunks
    new = _new([hit for hit in pool if hit.item.id not in shown], _starts(searches))
    read = {*shown, *(hit.item.id for hit in new)}
    beyond = _fitting(
        (hit for hit in ahead.chunks if hit.item.id not in read), AHEAD_TOKENS, at_least=0
    )
    if not (new or beyond):
        return ()
    before = [hit for hit in pool if hit.item.id in shown]
    back = _coming_back(question, searches, before, told)
    chosen = {hit.item.id for hit in (*new, *back)}
    return (*(hit for hit in pool if hit.item.id in chosen), *beyond)


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


def _new(hits: Sequence[Hit[Chunk]], starts: Sequence[str]) -> Hits:
    """Return the new passages that fit: a third of the room, at most, for those that name no start.

    Where the searches start from mere words ("the state where he died"), all of it is theirs.
    """
    naming = [hit for hit in hits if _naming(hit.item, starts)]
    kept = _fitting(naming, NEW_TOKENS)
    room = NEW_TOKENS - sum(passage_tokens(hit.item) for hit in kept)
    if any(map(proper_names, starts)):
        room = min(room, NAMELESS_TOKENS)
    others = (hit for hit in hits if hit not in naming)
    return (*kept, *_fitting(others, room, at_least=not kept))


def _starts(searches: Sequence[Search]) -> list[str]:
    return [name for search in searches for name in search.names]


def _coming_back(
    question: str,
    searches: Sequence[Search],
    before: Sequence[Hit[Chunk]],
    told: Collection[str],
) -> Hits:
    """Return the passages read before that fit question and searches best, by names and words.

    Of those that replies have named, what they said is known: there a search must start from a name
    that they have.
    """
    starts, asked = _starts(searches), proper_names(question)
    groups = [word_groups(hit.item.embedded_text) for hit in before]
    rarity = WordRarity(groups, smoothing=1)
    wanted = word_groups(" ".join([question, *(search.query for search in searches)]))
    rated = []
    for place, (hit, has) in enumerate(zip(before, groups, strict=True)):
        is_told = hit.item.id in told
        named = _naming(hit.item, starts if is_told else [*starts, *asked])
        if named or not is_told:
            rated.append((-named - _WORDS_WEIGHT * rarity.share(wanted, has), place))
    return _fitting((before[place] for _, place in sorted(rated)), BACK_TOKENS)


def _fitting(hits: Iterable[Hit[Chunk]], room: int, *, at_least: int = 1) -> Hits:
    """Return the passages that fit, in order; the first ones in any case, `at_least` of them."""
    kept: list[Hit[Chunk]] = []
    for hit in hits:
        tokens = passage_tokens(hit.item)
        if tokens <= room or len(kept) < at_least:
            kept.append(hit)
            room -= tokens
    return tuple(kept)
