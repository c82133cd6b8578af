"""Answer a question of one or two steps with what sentences, labelled lines and rows say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.features import FEATURES, FeatureReader
from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.scorer import probabilities
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft

# Chosen on the questions that the weights were learned on; see benchmarks/everyday/README.md.
GIVEN = 0.2
PLAIN = 0.55
_WELL_NAMED = 1.0
_BARELY_NAMED = 0.5
_LEAST_FIT = 0.3
_SHORTER = 2.0


@dataclass(frozen=True, slots=True)
class Reading:
    """A candidate with its features and how likely it is the answer, 0 to 1."""

    candidate: Candidate
    features: np.ndarray
    probability: float

    def feature(self, name: str) -> float:
        """Return one of the features by its name."""
        return float(self.features[FEATURES.index(name)])

    @property
    def is_likely(self) -> bool:
        """Whether the answer may be given at all."""
        return (
            self.probability >= GIVEN
            and self.feature("names_in_passage") > _BARELY_NAMED
            and self.feature("names") >= _BARELY_NAMED
            and self.feature("years") > 0
            and not self.feature("denied")
        )

    @property
    def reserve(self) -> str:
        """Why the answer is given with reserve, empty where nothing speaks against it."""
        if self.feature("names") < _WELL_NAMED:
            return "the passage does not have the whole name that the question asks about"
        if self.probability < PLAIN or self.feature("fit") < _LEAST_FIT:
            return "the passage words it in another way than the question"
        return ""


def read_answer(
    question: str, index: EvidenceIndex, similarity: TextSimilarity
) -> Draft | None:
    """Return the best answer that the evidence words for a question, None where none is likely.

    Args:
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
    """
    around = Surroundings(index, similarity)
    if not around.statements:
        return None
    found = readings(question, around)
    if not found or not found[0].is_likely:
        return None
    best = found[0]
    hops = claims_of(read_query(question), best.candidate, around)
    return Draft(
        "graph_search",
        answers=(best.candidate.value.text,),
        hops=hops,
        score=round(best.probability, 5),
        reserve=best.reserve,
    )


def readings(question: str, around: Surroundings) -> list[Reading]:
    """Return what may answer a question, the likeliest first, each answer once."""
    query = read_query(question)
    candidates = list(around.candidates(query, around.relevance(query)))
    if not candidates:
        return []
    reader = FeatureReader(query, around, candidates)
    features = np.array([reader.read(one) for one in candidates])
    return _best_first(candidates, features)


def _best_first(candidates: Sequence[Candidate], features: np.ndarray) -> list[Reading]:
    best: dict[str, Reading] = {}
    for one, row, probability in zip(candidates, features, probabilities(features), strict=True):
        reading = Reading(one, row, round(float(probability), 5))
        key = name_key(one.value.text)
        other = best.get(key)
        if other is None or _is_better(reading, other):
            best[key] = reading
    return sorted(best.values(), key=lambda one: (-one.probability, one.candidate.value.text))


def _is_better(reading: Reading, other: Reading) -> bool:
    """Return whether a reading is preferred to another of the same answer: one step to two."""
    handicap = {True: _SHORTER, False: 1.0}
    own, its = reading.candidate.lead is None, other.candidate.lead is None
    return reading.probability * handicap[own] > other.probability * handicap[its]
