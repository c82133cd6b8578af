"""Answer a question of one or two steps with what sentences, labelled lines and rows say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.clauses import subordinate_clause
from hoptrail.agents.language.reserves import ASKED, other_thing, silent, unstated
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.features import FEATURES, FeatureReader
from hoptrail.agents.reading.query import WORD, Query, name_words, read_query
from hoptrail.agents.reading.values import Value
from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft, HopClaim

# Chosen on the questions that the weights were learned on; see benchmarks/everyday/README.md.
GIVEN = 0.35
GIVEN_ALONE = 0.14
PLAIN = 0.6

WEIGHTS: dict[str, float] = {
    "fit": 1.998,
    "told": 2.005,
    "told_with_lead": 3.010,
    "before": 3.689,
    "like_told": 0.841,
    "like_told_with_lead": 1.380,
    "similarity": 0.651,
    "similarity_with_lead": 2.366,
    "clause_similarity": 3.650,
    "near": 0.302,
    "names": 0.695,
    "names_in_passage": 0.197,
    "years": 3.292,
    "denied": -2.360,
    "past": -0.526,
    "row": -0.602,
    "question": -2.057,
    "superseded": -1.254,
    "noun_told": 0.074,
    "rank": 1.436,
    "single": 0.076,
}
BIAS = -11.443
_VECTOR = np.array([WEIGHTS.get(name, 0.0) for name in FEATURES], dtype=np.float32)

_FAR_AHEAD = 3.0
_AHEAD = 1.3

_MOST_EXACT = 16
_TOLD = 0.25
_ALIKE = 0.5
_WELL_NAMED = 1.0
_BARELY_NAMED = 0.5
_LEAST_FIT = 0.3
_LEAST_TOLD = 0.1
_SHORTER = 0.5
_TOLD_BY_AMOUNT = everyday_groups("price pay mail address phone number weigh last long")
# "Is a novel by": who made a work is told by no verb.
_WORK_BY = re.compile(
    r"\b(?:an?|the|his|her)\s(?:[\w-]{1,30}\s){0,3}?[a-z]{3,30}(?<!ed)(?<!en)\sby\s$"
)
_UNLIKE = 0.45


@dataclass(frozen=True, slots=True)
class Reading:
    """A candidate with its features and how likely it is the answer, 0 to 1."""

    candidate: Candidate
    features: FloatArray
    probability: float

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
        """Why its likelihood gives it with reserve, empty where that speaks for it."""
        if self.probability < PLAIN or self.feature("fit") < _LEAST_FIT:
            return unstated(ASKED)
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
    best, next_best = found[0], found[1].probability if len(found) > 1 else 0.0
    if not best.may_be_given(next_best):
        return None
    hops = claims_of(query, best.candidate, around)
    return Draft(
        "graph_search",
        answers=(_told_value(query, best.candidate.value, hops[-1]),),
        hops=hops,
        score=round(best.probability, 5),
        reserve=_of_like_name(query, best, around)
        or best.reserve
        or _of_another_section(query, best, around)
        or _in_passing(query, best, around)
        or _unasked(query, best, around)
        or _unsaid(query, best, around),
    )


def _of_like_name(query: Query, reading: Reading, around: Surroundings) -> str:
    """Return that a reading may be about another thing of a like name, and which: "the Nivo"."""
    if reading.feature("names") >= _WELL_NAMED:
        return ""
    one = reading.candidate
    places = [place for place in (one.at, one.lead) if place is not None]
    told = [
        value.text for place in places for value in around.values_of(place) if value.kind == "name"
    ]
    told += [around.statements[place].sentence.topic_title for place in places]
    for name in query.spelled_names:
        words = name_words(name)
        alike = (other for other in told if words & name_words(other))
        other = next((one for one in alike if not words <= name_words(one)), "")
        if other:
            return other_thing(f'"{other}"', f'"{name}"')
    spelled = [around.words[place] | around.place_words[place] for place in places]
    near = frozenset[str]().union(*spelled)
    lacking = (name for name in query.spelled_names if not name_words(name) <= near)
    return other_thing("another thing", f'"{next(lacking, query.spelled_names[0])}"')


def _of_another_section(query: Query, reading: Reading, around: Surroundings) -> str:
    """Return that a reading is about another thing than is asked about, named before or above."""
    sentence = around.statements[reading.candidate.at].sentence
    near = sentence.near_topic
    if not near or reading.candidate.lead is not None:
        return ""
    names = [f" {name_key(name)} " for name in query.spelled_names]
    told = f" {name_key(near)} {sentence.key} "
    if names:
        is_asked = any(name in told for name in names)
        is_asked = is_asked or any(name <= name_words(near) for name in query.names)
    else:  # "Who paid for the kitchen?" is not answered by who paid for its cooker.
        rest = query.wanted - around.statements[reading.candidate.at].own
        is_asked = not (sentence.other and rest) or bool(rest & everyday_groups(near))
    return "" if is_asked else other_thing(f'"{near}"')


def _unasked(query: Query, reading: Reading, around: Surroundings) -> str:
    """Return that a statement has nothing of what is asked but names, be it in other words."""
    one = reading.candidate
    statement = around.statements[one.at]
    asked = query.wanted - everyday_groups(" ".join(query.spelled_names))
    place = everyday_groups(f"{statement.heading} {statement.caption} {statement.sentence.other}")
    is_alike = one.lead is None and reading.feature("asked_told") >= _ALIKE
    is_work_of = _WORK_BY.search(statement.text[: one.value.start]) is not None
    if not asked or is_alike or is_work_of or statement.is_row or asked & (statement.own | place):
        return ""
    return unstated(ASKED)


def _in_passing(query: Query, reading: Reading, around: Surroundings) -> str:
    """Return that an answer stands in a clause of another event: "empty since Mr Gadd moved"."""
    value = reading.candidate.value
    clause = subordinate_clause(
        around.statements[reading.candidate.at].text, value.start, value.end
    )
    asked = query.wanted - everyday_groups(" ".join(query.spelled_names))
    if not clause or not asked or asked & everyday_groups(clause):
        return ""
    return other_thing("something else")


def _unsaid(query: Query, reading: Reading, around: Surroundings) -> str:
    """Return that a word of the question is neither told nor like a word that is."""
    one = reading.candidate
    texts = [around.statements[place] for place in (one.at, one.lead) if place is not None]
    told = frozenset[str]().union(*(text.own | text.place for text in texts))
    spelled = [match.group().lower() for text in texts for match in WORD.finditer(text.text)]
    kind = everyday_groups(query.asked.noun) if query.asked.is_told_by_value else frozenset()
    if query.asked.measures or query.asked.is_mail:  # An amount tells that it costs or is paid.
        kind |= _TOLD_BY_AMOUNT
    for word, group in query.worded:
        if group in told | kind or any(word in name for name in query.names):
            continue
        if max(around.similarity.to(word, spelled), default=0.0) < _UNLIKE:
            return silent(word)
    return ""


def _told_value(query: Query, value: Value, claim: HopClaim) -> str:
    """Return the answer: what a claim labels as the question does, else the value that was read.

    "Ford Transit, registration YD19 KPF" tells the registration of the van, which is no Ford.
    """
    noun = everyday_groups(query.asked.noun)
    is_label = bool(noun) and everyday_groups(claim.predicate) == noun
    is_value = any(one.isdigit() or one.isupper() for one in claim.object[:1])
    if is_label and is_value and claim.subject == value.text and query.asked.answer_type == "other":
        return claim.object
    return value.text


def readings(question: str, around: Surroundings) -> list[Reading]:
    """Return what may answer a question, the likeliest first, each answer once."""
    query = read_query(question)
    candidates = list(around.candidates(query, around.relevance(query)))
    if not candidates:
        return []
    rough = around.similarity.rough()
    reader = FeatureReader(query, around, candidates, rough)
    features = np.array([reader.read(one) for one in candidates])
    if rough is not around.similarity:  # the exact vectors are for what may come first
        first = np.argsort(-scores_of(features), kind="stable")[:_MOST_EXACT].tolist()
        reader = FeatureReader(query, around, [candidates[place] for place in first])
        features[first] = [reader.read(candidates[place]) for place in first]
    return _best_first(candidates, features)


def _best_first(candidates: Sequence[Candidate], features: FloatArray) -> list[Reading]:
    """Return each answer once: in one step rather than two."""
    scores = scores_of(features)
    worth = [
        float(score) - _SHORTER * (one.lead is not None)
        for one, score in zip(candidates, scores, strict=True)
    ]
    best: dict[str, int] = {}
    for place, one in enumerate(candidates):
        known = best.setdefault(name_key(one.value.text), place)
        if worth[place] > worth[known]:
            best[name_key(one.value.text)] = place
    places = list(best.values())
    shares = probabilities(scores[places])
    found = [
        Reading(candidates[place], features[place], round(float(share), 5))
        for place, share in zip(places, shares, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.probability, one.candidate.value.text))


def scores_of(features: FloatArray) -> FloatArray:
    """Return how well candidates answer a question, shape (n,); 0 is as well as no answer.

    Args:
        features: Those of all candidates of a question, shape (n, len(FEATURES)).
    """
    scores: FloatArray = features @ _VECTOR + np.float32(BIAS)
    return scores


def probabilities(scores: FloatArray) -> FloatArray:
    """Return how likely each answer is the right one, shape (n,); the rest is that none is.

    Args:
        scores: Of the best candidate of each answer, shape (n,).
    """
    shares = np.exp(np.append(scores, np.float32(0)) - max(0.0, float(scores.max())))
    likely: FloatArray = (shares / shares.sum())[:-1].astype(np.float32)
    return likely
