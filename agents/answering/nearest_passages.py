"""The passages that come nearest to a question: what a reader is shown where no answer is sure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.answer_types import AnswerType, focus_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import KnownNames, find_mentions
from hoptrail.agents.language.word_groups import word_groups
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
    """A sentence with the word groups that it and its passage's title have."""

    sentence: Sentence
    own: frozenset[str]
    title: frozenset[str]
    rank: int


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
    told = _told(EvidenceIndex(evidence))
    if not told:
        return ()
    rarity = _Rarity(told)
    wanted = word_groups(question)
    asked_names = {name_key(name) for name in proper_names(question)}
    asked = focus_of(question).answer_type
    chosen: list[tuple[float, _Told]] = []
    bridges: frozenset[str] = frozenset()
    left = wanted
    while len(chosen) < limit:
        taken = {one.sentence.chunk.id for _, one in chosen}
        rated = [
            (_fit(one, wanted, left, bridges, asked, rarity), one)
            for one in told
            if one.sentence.chunk.id not in taken
        ]
        if not rated:
            break
        best = max(
            rated, key=lambda pair: (round(pair[0], 5), -pair[1].rank, -pair[1].sentence.start)
        )
        chosen.append(best)
        left -= best[1].own | best[1].title
        bridges |= _new_names(best[1].sentence, asked_names)
    return tuple(_nearest(one, score) for score, one in chosen)


class _Rarity:
    """How much each word group tells: rare ones more."""

    def __init__(self, told: Sequence[_Told]) -> None:
        counts = Counter(group for one in told for group in one.own)
        self._total = len(told) + 1
        self._counts = counts

    def of(self, groups: Iterable[str]) -> float:
        """Return the summed rarity of some groups."""
        return sum(math.log(1 + self._total / (1 + self._counts[group])) for group in groups)


def _told(index: EvidenceIndex) -> list[_Told]:
    return [
        _Told(sentence, word_groups(sentence.text), word_groups(chunk.title), rank)
        for rank, (chunk_id, chunk) in enumerate(index.chunks.items())
        for sentence in index.sentences[chunk_id]
    ]


def _fit(
    one: _Told,
    wanted: frozenset[str],
    left: frozenset[str],
    bridges: frozenset[str],
    asked: AnswerType,
    rarity: _Rarity,
) -> float:
    whole = rarity.of(wanted) or 1.0
    said = rarity.of(wanted & one.own) + _TITLE_SHARE * rarity.of((wanted - one.own) & one.title)
    fit = said / whole + _RANK_WEIGHT / math.sqrt(1 + one.rank)
    if bridges and _is_about(one, bridges):
        open_share = rarity.of(left & (one.own | one.title)) / (rarity.of(left) or 1.0)
        fit += _BRIDGE_WEIGHT * (0.5 + open_share)
    return fit + _TYPE_WEIGHT * _has_kind(one.sentence, asked)


def _is_about(one: _Told, bridges: frozenset[str]) -> bool:
    title = f" {name_key(one.sentence.chunk.title)} "
    return any(f" {name} " in one.sentence.key or f" {name} " in title for name in bridges)


def _has_kind(sentence: Sentence, asked: AnswerType) -> bool:
    if asked not in {"date", "number"}:
        return False
    return any(mention.kind == asked for mention in find_mentions(sentence.text, _NO_NAMES))


def _new_names(sentence: Sentence, known: set[str]) -> frozenset[str]:
    keys = (name_key(name) for name in proper_names(sentence.text))
    return frozenset(key for key in keys if len(key) > 2 and key not in known)


def _nearest(one: _Told, score: float) -> NearestPassage:
    sentence, chunk = one.sentence, one.sentence.chunk
    return NearestPassage(
        chunk.doc_id,
        chunk.id,
        chunk.title,
        chunk.start + sentence.start,
        chunk.start + sentence.end,
        sentence.text,
        round(score, 5),
    )
