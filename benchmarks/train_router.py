"""Trains the question-type router, prints its held-out figures and writes its weights.

    HF_HUB_OFFLINE=1 python benchmarks/train_router.py [--write]

Questions of HotpotQA (train100, dev98) and 2WikiMultihopQA (dev) are split in two by the hash of
their id. The weights that ship are trained on one half, with all of MuSiQue as further bridge
questions and the explaining questions of GraphRAG-Bench as further inference questions, and
reported on the other. Gold types map as follows: compositional is a bridge, bridge_comparison a
comparison. Each question is also shown in lower case, unmasked, as it may be typed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data_sets import ROOT, data_folder
from numpy.typing import NDArray
from scipy.optimize import minimize

from hoptrail.agents.planning.question_form import mask_names, wording_cues
from hoptrail.agents.planning.router import CLASSIFIER, SURE, WORDING_CLASSIFIER, router_features
from hoptrail.core.embedding import FloatArray
from hoptrail.models.embedder import load_embedder
from hoptrail.models.learned_weights import LinearClassifier

WEIGHTS = ROOT / "src/hoptrail/models/weights"
EMBEDDER = "all-MiniLM-L6-v2"
CLASSES = ("bridge", "comparison", "inference")
TYPES = {
    "bridge": "bridge",
    "compositional": "bridge",
    "comparison": "comparison",
    "bridge_comparison": "comparison",
    "inference": "inference",
    "Complex Reasoning": "inference",
    "Contextual Summarize": "inference",
}
JUDGED = ("hotpotqa/train100", "hotpotqa/dev98", "2wiki/dev")
FURTHER = ("musique/train100", "musique/dev", "graphrag_bench/medical_questions")
PENALTY = 0.1
LOWER_CASE_WEIGHT = 0.3
FOLDS = 10
DECIMALS = 3


@dataclass(frozen=True)
class Example:
    """A question with its type; `judged` where it may be held out."""

    id: str
    question: str
    label: int
    judged: bool

    def part(self, parts: int, salt: str = "") -> int:
        """Return which of so many parts the id falls in."""
        return int(hashlib.sha256(f"{salt}{self.id}".encode()).hexdigest(), 16) % parts


@dataclass(frozen=True)
class Table:
    """Training examples: features as written and in lower case, labels, which ones are scored."""

    cased: FloatArray
    lowered: FloatArray
    labels: NDArray[np.int64]
    judged: NDArray[np.bool_]

    def fit(self, rows: NDArray[np.bool_], embedder: str) -> LinearClassifier:
        """Return the classifier of these rows, each in both forms."""
        features = np.vstack([self.cased[rows], self.lowered[rows]]).astype(np.float64)
        weights = np.repeat([1.0, LOWER_CASE_WEIGHT], rows.sum())
        return fit(features, np.tile(self.labels[rows], 2), weights, embedder)

    def hits(self, classifier: LinearClassifier, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of these rows are classified as they should be."""
        found = classifier.probabilities(self.cased[rows]).argmax(axis=1)
        return found == self.labels[rows]


def main() -> None:
    """Print the figures; with `--write`, replace the weights in the package."""
    parser = argparse.ArgumentParser(description="Train the question-type router.")
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    arguments = parser.parse_args()
    data = data_folder()
    examples = [
        *(example for name in JUDGED for example in read_examples(data, name, judged=True)),
        *(example for name in FURTHER for example in read_examples(data, name, judged=False)),
    ]
    for name, embedder in ((CLASSIFIER, EMBEDDER), (WORDING_CLASSIFIER, "")):
        classifier = report(name, make_table(examples, embedder), examples, embedder)
        if arguments.write:
            classifier.save(WEIGHTS / f"{name}.npz")


def read_examples(data: Path, name: str, *, judged: bool) -> list[Example]:
    """Return the questions of a file that have one of the types."""
    rows = [json.loads(line) for line in (data / f"{name}.jsonl").open(encoding="utf-8")]
    kinds = [row.get("type") or row.get("question_type") or "bridge" for row in rows]
    return [
        Example(row["id"], row["question"], CLASSES.index(TYPES[kind]), judged)
        for row, kind in zip(rows, kinds, strict=True)
        if kind in TYPES
    ]


def make_table(examples: list[Example], embedder: str) -> Table:
    """Return the features of all examples; the cues alone where no embedder is named."""
    questions = [example.question for example in examples]
    return Table(
        features_of(questions, embedder),
        features_of([question.lower() for question in questions], embedder),
        np.array([example.label for example in examples]),
        np.array([example.judged for example in examples]),
    )


def features_of(questions: list[str], embedder: str) -> FloatArray:
    """Return one row of features a question."""
    masked = [mask_names(question) for question in questions]
    if not embedder:
        return np.array([wording_cues(text) for text in masked])
    vectors = load_embedder(embedder).embed(masked)
    return np.array(
        [router_features(text, vector) for text, vector in zip(masked, vectors, strict=True)]
    )


def fit(
    features: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    embedder: str,
) -> LinearClassifier:
    """Return the L2-penalised logistic regression; a class weighs the root of its size."""
    n, d, k = len(features), features.shape[1], len(CLASSES)
    targets = np.eye(k)[labels]
    counts = np.maximum(targets.sum(axis=0), 1)
    weight = weights * np.sqrt(n / k / counts)[labels]

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        matrix, bias = parameters[: d * k].reshape(d, k), parameters[d * k :]
        scores = features @ matrix + bias
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        value = -(weight * logs[np.arange(n), labels]).sum() + PENALTY / 2 * (matrix**2).sum()
        slope = (np.exp(logs) - targets) * weight[:, None]
        gradient = [(features.T @ slope + PENALTY * matrix).ravel(), slope.sum(axis=0)]
        return float(value), np.concatenate(gradient)

    found = minimize(loss, np.zeros(d * k + k), jac=True, method="L-BFGS-B").x
    rounded = np.round(found, DECIMALS).astype(np.float32)
    return LinearClassifier(CLASSES, rounded[: d * k].reshape(d, k), rounded[d * k :], embedder)


def report(name: str, table: Table, examples: list[Example], embedder: str) -> LinearClassifier:
    """Print the figures of both halves and of cross-validation; return what is to be shipped."""
    half = np.array([example.part(2) for example in examples])
    classifiers = [table.fit(~table.judged | (half == side), embedder) for side in (0, 1)]
    print(name)
    for side, classifier in enumerate(classifiers):
        rows = table.judged & (half != side)
        hits = table.hits(classifier, rows)
        sure = classifier.probabilities(table.cased[rows]).max(axis=1) >= SURE
        print(
            f"  trained on half {side}, held-out accuracy {hits.mean():.3f} ({hits.sum()} of "
            f"{len(hits)}); in doubt {1 - sure.mean():.3f}, accuracy of the rest "
            f"{hits[sure].mean():.3f}"
        )
        lowered = table.lowered[rows]
        accuracy = (classifier.probabilities(lowered).argmax(1) == table.labels[rows]).mean()
        print(f"    in lower case {accuracy:.3f}")
    fold = np.array([example.part(FOLDS, "fold") for example in examples])
    hits = np.concatenate(
        [
            table.hits(table.fit(~table.judged | (fold != k), embedder), table.judged & (fold == k))
            for k in range(FOLDS)
        ]
    )
    print(f"  {FOLDS}-fold cross-validation {hits.mean():.3f} ({len(hits)} questions)")
    return classifiers[0]


if __name__ == "__main__":
    main()
