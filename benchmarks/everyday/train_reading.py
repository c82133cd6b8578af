"""Trains the weights by which values are ranked as answers, and prints what they reach held out.

    HF_HUB_OFFLINE=1 python -m benchmarks.everyday.train_reading

Trained are they on the everyday questions that may be developed on: those with an odd number of
the sets "offices" and "trades", and all of "practice". Each organisation is reported with weights
trained on the others, then the even questions of "trades" with the weights of all, which are
printed last, for `agents/reading/reader.py`.

The model is a conditional logit: the probability of an answer is the softmax of its weighed
features, and no answer has a score of 0. Each question is seen a second time, at half the weight,
without the statements of its answer, so that the weights learn to withhold. A feature may only
speak for an answer, or only against it, as its name says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.everyday.generate import FIRST, PRACTICE, SECOND, questions, write
from hoptrail import Hoptrail
from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Surroundings
from hoptrail.agents.reading.features import FEATURES, FeatureReader
from hoptrail.agents.reading.query import read_query
from hoptrail.core.text import normalize_answer
from hoptrail.models.embedder import load_embedder
from hoptrail.retrievers.registry import make_retriever

Array = NDArray[np.float64]
AGAINST = frozenset({"denied", "past", "question", "superseded"})
EITHER = frozenset({"row"})
GUARDS = frozenset({"asked_told"})  # Read by rule alone, in `reader.py`.
LEAST = {"names": 0.3}
PENALTY = 3.0
LEAST_SPREAD = 0.12
WITHHELD = 0.5
THRESHOLDS = (0.25, 0.4, 0.6)


@dataclass(frozen=True)
class Example:
    """The candidates of a question; `groups` tells which of them are the same answer."""

    organisation: str
    features: Array
    is_right: NDArray[np.bool_]
    groups: tuple[str, ...]
    statements: tuple[str, ...]
    weight: float = 1.0

    def best(self, weights: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return features and truth of the best candidate of each answer."""
        scores = self.features @ weights
        best: dict[str, int] = {}
        for place, group in enumerate(self.groups):
            if group not in best or scores[place] > scores[best[group]]:
                best[group] = place
        places = list(best.values())
        return self.features[places], self.is_right[places]

    def withheld(self) -> Example:
        """Return the question without the statements that hold the answer."""
        stating = {one for one, right in zip(self.statements, self.is_right, strict=True) if right}
        kept = [place for place, one in enumerate(self.statements) if one not in stating]
        return Example(
            self.organisation,
            self.features[kept],
            self.is_right[kept],
            tuple(self.groups[place] for place in kept),
            tuple(self.statements[place] for place in kept),
            WITHHELD,
        )


def examples(of_set: str) -> Iterator[tuple[int, Example]]:
    """Yield the number and the candidates of each question of a set."""
    embed = load_embedder("all-MiniLM-L6-v2").embed
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder, of_set)
        with Hoptrail.open(folder / "kb", create=True, writable=True) as hoptrail:
            hoptrail.index([folder / "documents"], source="everyday", extractor="nlp")
            retriever = make_retriever("ket", hoptrail.knowledge_base)
            for key, organisation, question in questions(of_set):
                index = EvidenceIndex(retriever.retrieve(question.question))
                around = Surroundings(index, TextSimilarity(embed))
                query = read_query(question.question)
                found = list(around.candidates(query, around.relevance(query)))
                if not found:
                    continue
                reader = FeatureReader(query, around, found)
                groups = tuple(normalize_answer(one.value.text) for one in found)
                accepted = {normalize_answer(one) for one in (question.answer, *question.aliases)}
                yield (
                    int(key[-2:]),
                    Example(
                        organisation,
                        np.array([[*reader.read(one), 1.0] for one in found]),
                        np.array([group in accepted for group in groups]),
                        groups,
                        tuple(around.statements[one.at].text for one in found),
                    ),
                )


def train(chosen: Sequence[Example]) -> Array:
    """Return the weights, the last one being the bias."""
    seen = [*chosen, *(one.withheld() for one in chosen if one.is_right.any())]
    stacked = np.concatenate([one.features for one in chosen])[:, :-1]
    spread = np.append(np.maximum(stacked.std(axis=0), LEAST_SPREAD), 1.0)

    def loss(scaled: Array) -> tuple[float, Array]:
        weights = scaled / spread
        total, slope = 0.0, np.zeros_like(scaled)
        for one in seen:
            features, right = one.best(weights)
            scores = np.append(features @ weights, 0.0)
            truth = np.append(right, not right.any())
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            wanted = shares * truth / (shares * truth).sum()
            total -= one.weight * float(np.log((shares * truth).sum()))
            slope += one.weight * (features.T @ (shares - wanted)[:-1]) / spread
        penalised = np.append(scaled[:-1], 0.0)
        return total + PENALTY * float(penalised @ penalised) / 2, slope + PENALTY * penalised

    bounds = [*(_bounds(name) for name in FEATURES), (None, None)]
    start = np.array([low or 0.0 for low, _ in bounds])
    scaled = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return np.asarray(scaled / spread)


def _bounds(name: str) -> tuple[float | None, float | None]:
    if name in GUARDS:
        return 0.0, 0.0
    if name in AGAINST:
        return None, 0.0
    return (None if name in EITHER else LEAST.get(name, 0.0)), None


def report(title: str, tried: Sequence[tuple[Example, Array]]) -> None:
    """Print how often the likeliest answer is right, and what thresholds on it leave."""
    tops = []
    for one, weights in tried:
        features, right = one.best(weights)
        scores = features @ weights
        shares = np.exp(np.append(scores, 0.0))
        tops.append((float(shares[scores.argmax()] / shares.sum()), bool(right[scores.argmax()])))
    print(f"{title}: {sum(right for _, right in tops)} of {len(tops)} first answers right")
    for bound in THRESHOLDS:
        given = [right for share, right in tops if share >= bound]
        print(f"  at {bound}: {sum(given)} right, {len(given) - sum(given)} wrong")


def main() -> None:
    """Train, report and print the weights."""
    numbered = {name: list(examples(name)) for name in (FIRST, SECOND, PRACTICE)}
    chosen = [
        one for name, all_ in numbered.items() for number, one in all_ if _may_choose(name, number)
    ]
    names = sorted({one.organisation for one in chosen})
    others = {name: train([one for one in chosen if one.organisation != name]) for name in names}
    report("by organisation", [(one, others[one.organisation]) for one in chosen])
    weights = train(chosen)
    held = [one for number, one in numbered[SECOND] if not _may_choose(SECOND, number)]
    report("held out", [(one, weights) for one in held])
    for name, weight in zip((*FEATURES, "bias"), weights, strict=True):
        if abs(weight) >= 5e-4:
            print(f'    "{name}": {weight:.3f},')


def _may_choose(of_set: str, number: int) -> bool:
    return of_set == PRACTICE or number % 2 == 1


if __name__ == "__main__":
    main()
