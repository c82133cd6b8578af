"""Answer a question of one or two steps with what sentences, labelled lines and rows say."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.subordinate_clause import subordinate_clause
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.asked_cell import is_asked_cell
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.features import FEATURES, FeatureReader
from hoptrail.agents.reading.query import Query, read_query
from hoptrail.agents.reading.scorer import probabilities, scores_of
from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft

# Chosen on the questions that the weights were learned on; see benchmarks/everyday/README.md.
GIVEN = 0.35
GIVEN_ALONE = 0.14
PLAIN = 0.6
_FAR_AHEAD = 3.0
_AHEAD = 1.3
_TOLD = 0.25
_ALIKE = 0.5
_WELL_NAMED = 1.0
_BARELY_NAMED = 0.5
_LEAST_FIT = 0.3
_LEAST_TOLD = 0.1
_SHORTER = 0.5


@dataclass(frozen=True, slots=True)
class Reading:
    """A candidate with its features and how likely it is the answer, 0 to 1.

    `is_asked_cell` is whether the question names the very cell of a table by its row and column.
    """

    candidate: Candidate
    features: FloatArray
    probability: float
    is_asked_cell: bool = False

    def feature(self, name: str) -> float:
        """Return one of the features by its name."""
        return float(self.features[FEATURES.index(name)])

    def may_be_given(self, next_best: float) -> bool:
        """Return whether it may be given at all: it is likely, or far likelier than all others.

        Args:
            next_best: The probability of the next best answer. One that is nearly as likely leaves
                open which of the two is right.
        """
        if not self.feature("years") or self.feature("denied"):
            return False
        if self.probability >= _FAR_AHEAD * next_best and self._is_told_at_once:
            return True
        return (
            self.probability >= max(GIVEN, _AHEAD * next_best)
            and self.feature("names_in_passage") > _BARELY_NAMED
            and self.feature("names") >= _BARELY_NAMED
            and self.feature("asked_told") >= _LEAST_TOLD
        )

    @property
    def _is_told_at_once(self) -> bool:
        """Whether one statement of a passage that has the asked names tells what is asked.

        The statement itself has the whole names or none of them: "the Nivo" is no Nivo Mini.
        """
        is_about = (
            self.feature("asked_told") >= _TOLD or self.feature("clause_similarity") >= _ALIKE
        )
        return is_about and (
            self.candidate.lead is None
            and self.probability >= GIVEN_ALONE
            and self.feature("names_in_passage") >= _WELL_NAMED
            and self.feature("names") in {0.0, _WELL_NAMED}
        )

    @property
    def reserve(self) -> str:
        """Why the answer is given with reserve, empty where nothing speaks against it."""
        if self.feature("names") < _WELL_NAMED:
            return "the passage does not have the whole name that the question asks about"
        if self.probability < PLAIN or self.feature("fit") < _LEAST_FIT:
            return "the passage words it in another way than the question"
        return ""


def read_answer(question: str, index: EvidenceIndex, similarity: TextSimilarity) -> Draft | None:
    """Return the best answer that the evidence words for a question, None where none is likely.

    Args:
        question: The standalone question.
        index: The evidence.
        similarity: Compares texts by meaning.
    """
    around = Surroundings(index, similarity)
    if not around.statements:
        return None
    query = read_query(question)
    found = readings(question, around)
    if not found:
        return None
    asked = [one.candidate for one in found if one.is_asked_cell]
    if len(asked) == 1:
        hops = claims_of(query, asked[0], around)
        return Draft("graph_search", (asked[0].value.text,), hops=hops, reserve="")
    best, next_best = found[0], found[1].probability if len(found) > 1 else 0.0
    if not best.may_be_given(next_best):
        return None
    hops = claims_of(query, best.candidate, around)
    return Draft(
        "graph_search",
        answers=(best.candidate.value.text,),
        hops=hops,
        score=round(best.probability, 5),
        reserve=best.reserve
        or _of_another_section(question, best, around)
        or _in_passing(question, best, around)
        or _unasked(query, best, around),
    )


def _of_another_section(question: str, reading: Reading, around: Surroundings) -> str:
    """Return that a reading stands below the heading of a thing that is not asked about."""
    sentence = around.statements[reading.candidate.at].sentence
    if not sentence.heading or reading.candidate.lead is not None:
        return ""
    names = [f" {name_key(name)} " for name in read_query(question).spelled_names]
    told = f" {name_key(sentence.heading)} {sentence.key} "
    if not names or any(name in told for name in names):
        return ""
    return f'the passage says it of "{sentence.heading}"'


def _unasked(query: Query, reading: Reading, around: Surroundings) -> str:
    """Return that a statement has nothing of what is asked but names, be it in other words."""
    one = reading.candidate
    statement = around.statements[one.at]
    asked = query.wanted - everyday_groups(" ".join(query.spelled_names))
    place = everyday_groups(f"{statement.heading} {statement.caption}")
    is_alike = one.lead is None and reading.feature("asked_told") >= _ALIKE
    if not asked or is_alike or statement.is_row or asked & (statement.own | place):
        return ""
    return "the passage words it in another way than the question"


def _in_passing(question: str, reading: Reading, around: Surroundings) -> str:
    """Return that an answer stands in a clause of another event: "empty since Mr Gadd moved"."""
    value = reading.candidate.value
    clause = subordinate_clause(
        around.statements[reading.candidate.at].text, value.start, value.end
    )
    query = read_query(question)
    asked = query.wanted - everyday_groups(" ".join(query.spelled_names))
    if not clause or not asked or asked & everyday_groups(clause):
        return ""
    return "the passage names it in a clause about something else"


def readings(question: str, around: Surroundings) -> list[Reading]:
    """Return what may answer a question, the likeliest first, each answer once."""
    query = read_query(question)
    candidates = list(around.candidates(query, around.relevance(query)))
    if not candidates:
        return []
    reader = FeatureReader(query, around, candidates)
    features = np.array([reader.read(one) for one in candidates])
    asked = {
        place
        for place, one in enumerate(candidates)
        if _is_in_force(features[place]) and is_asked_cell(query, one, around)
    }
    return _best_first(candidates, features, asked)


def _is_in_force(features: FloatArray) -> bool:
    """Return whether a value is of no other year, and of no list that has a later edition."""
    of = dict(zip(FEATURES, features, strict=True))
    return bool(of["years"]) and not of["superseded"]


def _best_first(
    candidates: Sequence[Candidate], features: FloatArray, asked: AbstractSet[int]
) -> list[Reading]:
    """Return each answer once: by the cell that is asked for, else in one step rather than two."""
    scores = scores_of(features)
    worth = [
        (place in asked, float(score) - _SHORTER * (one.lead is not None))
        for place, (one, score) in enumerate(zip(candidates, scores, strict=True))
    ]
    best: dict[str, int] = {}
    for place, one in enumerate(candidates):
        known = best.setdefault(name_key(one.value.text), place)
        if worth[place] > worth[known]:
            best[name_key(one.value.text)] = place
    places = list(best.values())
    shares = probabilities(scores[places])
    found = [
        Reading(candidates[place], features[place], round(float(share), 5), place in asked)
        for place, share in zip(places, shares, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.probability, one.candidate.value.text))
