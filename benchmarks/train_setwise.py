"""Trains the weights by which `setwise` chooses passages, and prints what they reach held out.

    HF_HUB_OFFLINE=1 python benchmarks/train_setwise.py --kb musique/train100=KB --kb 2wiki/dev=KB

Each `--kb` names a question file in the data sets' folder and the knowledge base of its corpus.
Every set is reported with weights that were trained on the other sets alone, and with weights that
were trained on four fifths of all sets' questions, each question with those that did not see it;
weights of all of them are printed last, for `retrievers/setwise.py`.

The model is a conditional logit: at each step the probability of a passage is the softmax of its
weighed signs, and the probability of a gold one is to be high. Steps are those that the weights
of the round before took, so that they learn to go on from their own mistakes (DAgger).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data_sets import data_folder
from numpy.typing import NDArray
from scipy.optimize import minimize

from hoptrail import Hoptrail
from hoptrail.core.types import Plan
from hoptrail.eval.metrics.answer_scores import all_support_at, recall_at
from hoptrail.eval.questions.question import GoldResolver
from hoptrail.eval.questions.reader import load_questions
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.setwise import LocalSearch, Selection
from hoptrail.retrievers.setwise_candidates import Candidates, Sign
from hoptrail.stores.knowledge_source import Focus

Array = NDArray[np.float64]
STEPS = 7
ROUNDS = 3
PENALTY = 0.01  # of the squared weights
FOLDS = 5  # a question's is its place in its file modulo this
CHOSEN = 10
METRICS = (
    *(("recall", recall_at, k) for k in (2, 5, 10)),
    *(("all support", all_support_at, k) for k in (5, 8, 10)),
)


@dataclass(frozen=True, slots=True)
class Example:
    """A question's candidates, the document of each, and its gold documents."""

    candidates: Candidates
    documents: tuple[str, ...]
    gold: tuple[str, ...]

    def is_gold(self) -> NDArray[np.bool_]:
        """Return which candidates are of a gold document, shape (n,)."""
        return np.array([document in self.gold for document in self.documents], dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Step:
    """The features of the passages that could be chosen, and which of them are gold."""

    features: Array
    is_gold: NDArray[np.bool_]


def main() -> None:
    """Train, report and print the weights."""
    parser = argparse.ArgumentParser(description="Train the weights of the retriever setwise.")
    parser.add_argument("--kb", action="append", required=True, metavar="QUESTIONS=FOLDER")
    parser.add_argument("--only-report", action="append", default=[], metavar="QUESTIONS")
    arguments = parser.parse_args()
    sets: dict[str, list[Example]] = {}
    for pair in arguments.kb:
        name, _, folder = pair.partition("=")
        sets[name] = examples(data_folder(f"{name}.jsonl") / f"{name}.jsonl", Path(folder))
    learnt = [name for name in sets if name not in arguments.only_report]
    for name in sets:
        others = [example for other in learnt if other != name for example in sets[other]]
        if others:
            print(f"{name}, trained on the other sets: {report(sets[name], train(others))}")
    of_folds = [train([e for name in learnt for e in outside(sets[name], f)]) for f in range(FOLDS)]
    for name in learnt:
        print(f"{name}, in {FOLDS} folds of all sets: {report(sets[name], *of_folds)}")
    weights = train([example for name in learnt for example in sets[name]])
    for name in sets:
        print(f"{name}, trained on {', '.join(learnt)}: {report(sets[name], weights)}")
    for sign, weight in zip(Sign, weights, strict=True):
        print(f"        Sign.{sign.name}: {weight:.4f},")


def examples(questions: Path, kb: Path) -> list[Example]:
    """Return the questions that have gold documents, with their candidates."""
    found: list[Example] = []
    with Hoptrail.open(kb) as hoptrail:
        base = hoptrail.retriever("setwise").kb
        with base.view(Focus()) as view:
            documents = [str(id_) for id_ in view.index.doc_ids]
            resolver = GoldResolver(view.store.documents(documents))
            for question in load_questions(questions):
                gold = resolver.resolve(question).documents
                query = Query(question.text, base.embed_query(question.text), Plan())
                candidates = LocalSearch.around(query, view).candidates
                rows = view.index.chunk_doc[candidates.rows]
                if gold:
                    of_each = tuple(documents[row] for row in rows.tolist())
                    found.append(Example(candidates, of_each, tuple(gold)))
    return found


def train(examples: Sequence[Example]) -> Array:
    """Return the weight of each sign."""
    weights = np.zeros(len(Sign))
    weights[Sign.PAGERANK] = 1.0
    first = steps(examples, weights)
    scale = np.concatenate([step.features for step in first]).std(axis=0) + 1e-6
    data, own = first, first
    scaled = np.zeros(len(Sign))
    for _ in range(ROUNDS):
        scaled = fit(data, scale, scaled)
        data, own = own + (latest := steps(examples, scaled / scale)), latest
    result: Array = scaled / scale
    return result


def steps(examples: Sequence[Example], weights: Array) -> list[Step]:
    """Return the steps that these weights take, as long as gold passages are left."""
    taken: list[Step] = []
    for example in examples:
        selection, is_gold = Selection(example.candidates), example.is_gold()
        for _ in range(STEPS):
            left = selection.left()
            if not (is_gold & left).any():
                break
            features = selection.features().astype(np.float64)
            taken.append(Step(features[left], is_gold[left]))
            selection.add(int(np.argmax(np.where(left, features @ weights, -np.inf))))
    return taken


def fit(data: Sequence[Step], scale: Array, start: Array) -> Array:
    """Return the weights of scaled features that make gold passages most probable."""
    sizes = [len(step.is_gold) for step in data]
    features = np.concatenate([step.features for step in data]) / scale
    is_gold = np.concatenate([step.is_gold for step in data]).astype(np.float64)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    step_of = np.repeat(np.arange(len(data)), sizes)

    def loss(weights: Array) -> tuple[float, Array]:
        scores = features @ weights
        shares = np.exp(scores - np.maximum.reduceat(scores, first)[step_of])
        shares /= np.add.reduceat(shares, first)[step_of]
        of_gold = np.maximum(np.add.reduceat(shares * is_gold, first), 1e-12)
        slope = (shares - shares * is_gold / of_gold[step_of]) / len(data)
        value = float(-np.log(of_gold).mean() + PENALTY * (weights @ weights))
        return value, features.T @ slope + 2 * PENALTY * weights

    fitted: Array = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return fitted


def outside(examples: Sequence[Example], fold: int) -> list[Example]:
    """Return the questions that are not of a fold."""
    return [example for place, example in enumerate(examples) if place % FOLDS != fold]


def report(examples: Sequence[Example], *weights: Array) -> str:
    """Return the means of the metrics over the questions, as one line.

    Args:
        examples: The questions of a set.
        weights: Weights for all of them, or those of each fold.
    """
    rankings = [
        ranking(example, weights[place % len(weights)]) for place, example in enumerate(examples)
    ]
    return ", ".join(
        f"{name}@{k} "
        + f"{np.mean([m(k, r, e.gold) for r, e in zip(rankings, examples, strict=True)]):.4f}"
        for name, m, k in METRICS
    )


def ranking(example: Example, weights: Array) -> list[str]:
    """Return the documents of the passages chosen, each once, in order."""
    selection = Selection(example.candidates)
    while selection.left().any() and len(selection.places) < 2 * CHOSEN:
        scores = np.where(selection.left(), selection.features() @ weights, -np.inf)
        selection.add(int(np.argmax(scores)))
    return list(dict.fromkeys(example.documents[place] for place in selection.places))


if __name__ == "__main__":
    main()
