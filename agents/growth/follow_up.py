"""Follow up what is open: the next searches, and the passages of theirs that a call reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import token_key
from hoptrail.agents.growth.progress import Progress
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.text_similarity import WordRarity
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.render import passage_tokens
from hoptrail.core.text import content_words, name_key
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Pattern

_PLAIN_VARIABLE = re.compile(r"\?(?:[a-z]\d*|answer|result|value|var\w*|unknown)$", re.IGNORECASE)

_MOST_SEARCHES = 2

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


def query_for(missing: Pattern, question: str) -> str:
    """Return the pattern in words, its variables by what their names tell.

    Where no known name is left in it, the question's content words stand in.
    """
    words = _worded(missing)
    if len(missing.variables) == 2 or not words:
        words = " ".join(dict.fromkeys([*words.split(), *content_words(question)]))
    return words


def _worded(pattern: Pattern) -> str:
    """Return a pattern in words, its variables by what their names tell."""
    terms = (pattern.subject, pattern.predicate, pattern.object)
    return " ".join(filter(None, map(_term_words, terms)))


def _term_words(term: str) -> str:
    if not term.startswith("?"):
        return term
    if _PLAIN_VARIABLE.match(term):
        return ""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_|\d+$", " ", term[1:])
    return " ".join(spaced.lower().split())


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
    words = [*map(_worded, progress.still_open), *dict.fromkeys(beside)]
    return Search(" ".join(words), names)


def _names(pattern: Pattern) -> tuple[str, ...]:
    """Return the known ends of a pattern, and the names in them ("under Trajan")."""
    ends = [end for end in (pattern.subject, pattern.object) if end and not end.startswith("?")]
    return tuple(dict.fromkeys([*ends, *(name for end in ends for name in proper_names(end))]))


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
