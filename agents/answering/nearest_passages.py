"""The passages that come nearest to a question: what a reader is shown where no answer is sure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.answer_types import AnswerType, focus_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import KnownNames, find_mentions
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.language.word_rarity import WordRarity
from hoptrail.core.text import name_key
from hoptrail.core.types import Evidence, NearestPassage

LIMIT = 3
_RANK_WEIGHT = 0.25
_TYPE_WEIGHT = 0.15
_BRIDGE_WEIGHT = 0.5
_TITLE_SHARE = 0.7
_NO_NAMES = KnownNames(())


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence, the word groups that it and its passage's title have, and that title's key.

    `rank` is its passage's, `fit` how well it fits the question whatever else is chosen.
    """

    sentence: Sentence
    groups: frozenset[str]
    title: str
    rank: int
    fit: float


def nearest_passages(
    question: str, evidence: Evidence, limit: int = LIMIT
) -> tuple[NearestPassage, ...]:
    """Return the passages whose best sentence fits the question best, the best one first.

    A sentence fits by the question's words that it has, rare ones counting more, by a date, number
    or name of the asked kind, and by the rank of its passage. After the first passage, a sentence
    about a name that the chosen ones bring in fits better where it has what they left open: the
    second hop of a question shares few words with it.

    Args:
        question: The standalone question.
        evidence: What was retrieved, best passage first.
        limit: Most passages to return.
    """
    index = EvidenceIndex(evidence)
    rarity = WordRarity([word_groups(one.text) for one in _sentences(index)], smoothing=1)
    left = word_groups(question)
    told = _told(question, index, rarity)
    asked_names = {name_key(name) for name in proper_names(question)}
    chosen: list[tuple[float, _Told]] = []
    bridges: frozenset[str] = frozenset()
    while told and len(chosen) < limit:
        rated = [(one.fit + _bridging(one, left, bridges, rarity), one) for one in told]
        best = max(
            rated, key=lambda pair: (round(pair[0], 5), -pair[1].rank, -pair[1].sentence.start)
        )
        chosen.append(best)
        left -= best[1].groups
        bridges |= _new_names(best[1].sentence, asked_names)
        told = [one for one in told if one.rank != best[1].rank]
    return tuple(_nearest(one, score) for score, one in chosen)


def _sentences(index: EvidenceIndex) -> Iterator[Sentence]:
    for chunk_id in index.chunks:
        yield from index.sentences[chunk_id]


def _told(question: str, index: EvidenceIndex, rarity: WordRarity) -> list[_Told]:
    """Return the sentences, each with the share of the question's words that it has."""
    wanted = word_groups(question)
    asked = focus_of(question).answer_type
    ranks = {chunk_id: rank for rank, chunk_id in enumerate(index.chunks)}
    told = []
    for sentence in _sentences(index):
        own, title = word_groups(sentence.text), word_groups(sentence.chunk.title)
        rank = ranks[sentence.chunk.id]
        fit = rarity.share(wanted, own) + _TITLE_SHARE * rarity.share(wanted, title - own)
        fit += _RANK_WEIGHT / math.sqrt(1 + rank) + _TYPE_WEIGHT * _has_kind(sentence, asked)
        told.append(_Told(sentence, own | title, f" {name_key(sentence.chunk.title)} ", rank, fit))
    return told


def _bridging(
    one: _Told, left: frozenset[str], bridges: frozenset[str], rarity: WordRarity
) -> float:
    """Return what a sentence gains by telling of a name that the chosen ones bring in."""
    if not _is_about(one, bridges):
        return 0.0
    return _BRIDGE_WEIGHT * (0.5 + rarity.share(left, one.groups))


def _is_about(one: _Told, bridges: frozenset[str]) -> bool:
    return any(f" {name} " in one.sentence.key or f" {name} " in one.title for name in bridges)


def _has_kind(sentence: Sentence, asked: AnswerType) -> bool:
    if asked not in {"date", "number"}:
        return False
    return any(mention.kind == asked for mention in find_mentions(sentence.text, _NO_NAMES))


def _new_names(sentence: Sentence, known: set[str]) -> frozenset[str]:
    keys = (name_key(name) for name in proper_names(sentence.text))
    return frozenset(key for key in keys if len(key) > 2 and key not in known)


def _nearest(one: _Told, score: float) -> NearestPassage:
    sentence, chunk = one.sentence, one.sentence.chunk
    start, end = chunk.start + sentence.start, chunk.start + sentence.end
    return NearestPassage(
        chunk.doc_id,
        chunk.id,
        chunk.title,
        start,
        end,
        sentence.text,
        round(score, 5),
        chunk.place_of(start, end),
    )
