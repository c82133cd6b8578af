"""How likely an answer found without a model is right, where it is given with reserve.

Signs of the answer are weighed by a logistic regression, as the calibrator of Kamath, Jia and
Liang, "Selective Question Answering under Domain Shift" (ACL 2020, section 4), decides whether to
answer at all. `python -m benchmarks.train_likelihood` learns the weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from hoptrail.agents.language.reserves import is_of_silence
from hoptrail.agents.reading.near_passages import log_odds
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.language.detection import is_english
from hoptrail.core.types import Evidence
from hoptrail.core.types.draft import Draft
from hoptrail.models.passage_reader import PassageReader

BIAS = 0.42
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"rank": -0.15, "read": 0.1, "derived": 1.26, "uncompared": -0.82, "silent": 0.62}
)
"""By sign, as learned on the sets that benchmarks/NOTES.md names."""

LEAST = 1 / 3
"""Below it an answer is not given: it is more than twice as likely wrong as right."""


def likelihood_of(
    draft: Draft,
    verdict: Verification,
    question: str,
    evidence: Evidence,
    reader: PassageReader | None,
) -> float | None:
    """Return how likely an answer with reserve is right, 0 to 1.

    None is returned for plain answers, those of a model or a query over tables, questions in
    another language than English, and where there is no reader: nothing was learned of these.

    Args:
        draft: The answer.
        verdict: How it was checked.
        question: The standalone question.
        evidence: What it was found in, the best passages first.
        reader: Says how likely its words are the answer in the passages of its trail.
    """
    signs = signs_of(draft, verdict, question, evidence, reader)
    if signs is None:
        return None
    weighed = sum(WEIGHTS[name] * value for name, value in signs.items())
    return 1 / (1 + math.exp(-BIAS - weighed))


def may_be_weighed(draft: Draft, verdict: Verification, question: str) -> bool:
    """Return whether something was learned of such answers, given that there is a reader."""
    is_found = draft.strategy == "graph_search" and not draft.abstained
    return is_found and verdict.reserve is not None and is_english(question)


def is_unlikely(verdict: Verification) -> bool:
    """Return whether an answer is not to be given, for it is too likely wrong."""
    return verdict.likelihood is not None and verdict.likelihood < LEAST


def signs_of(
    draft: Draft,
    verdict: Verification,
    question: str,
    evidence: Evidence,
    reader: PassageReader | None,
) -> dict[str, float] | None:
    """Return the value of each sign of `WEIGHTS`, None where `likelihood_of` returns None.

    `rank` is the logarithm of the best place of its passages among all, from 0; `read` that of the
    reader's odds for its words, 0 where they stand in none of these passages; the others are 0 or
    1: whether the answer follows from its trail rather than standing in it, whether nothing has
    compared the question's wording with the trail's, and whether the passages lack a word of it.
    """
    if reader is None or not may_be_weighed(draft, verdict, question):
        return None
    cited = {hop.chunk_id for hop in verdict.trail.hops}
    passages = [hit.item for hit in evidence.chunks]
    places = [place for place, one in enumerate(passages) if one.id in cited]
    told = [(passages[place].title, passages[place].text) for place in places]
    likely = reader.likelihood(question, told, draft.text) if told else None
    return {
        "rank": math.log1p(places[0] if places else len(passages)),
        "read": 0.0 if likely is None else log_odds(likely),
        "derived": float(draft.derived),
        "uncompared": float(draft.reserve is None),
        "silent": float(is_of_silence(verdict.reserve or "")),
    }
