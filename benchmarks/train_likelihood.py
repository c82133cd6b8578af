"""Learns how likely an answer without a model is right, where it is given with reserve.

    python -m benchmarks.train_likelihood --kbs DIR [--sets offices ...] [--kept ROWS.jsonl]

asks the questions of the sets of `ablation.py` with the preset `offline` (what is searched for them
is kept in DIR), and weighs the signs of `hoptrail.agents.verification.likelihood` by a logistic
regression. Each set is judged by weights learned on the others: the table tells how many right and
wrong answers each least likelihood withholds. Then the weights learned on all sets are printed. A
set of many questions counts as one of sixty.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

sys.path.insert(0, str(Path(__file__).parent))

from asked_again import (  # noqa: E402
    PLANTED,
    SETS,
    Answers,
    RememberedReadings,
    RememberedVectors,
    recorded,
)

from benchmarks.local_model import verdict  # noqa: E402
from benchmarks.rows import kept_rows  # noqa: E402
from hoptrail.agents.verification.likelihood import LEAST, WEIGHTS, signs_of  # noqa: E402
from hoptrail.core.embedding import FloatArray  # noqa: E402
from hoptrail.core.types import Answer, JsonDict  # noqa: E402

_SIGNS = tuple(WEIGHTS)
_BOUNDS = (0.2, 0.25, 0.3, LEAST, 0.4, 0.5)
_MOST_OF_A_SET = 60
_PENALTY = 4.0  # of squared weights, of signs that vary by 1


class Regression(NamedTuple):
    """The weights of a logistic regression.

    Attributes:
        bias: What is added.
        weights: Shape (signs,).
    """

    bias: float
    weights: FloatArray

    def likely(self, signs: FloatArray) -> FloatArray:
        """Return how likely each row is right, shape (rows,)."""
        found: FloatArray = expit(signs @ self.weights + self.bias)
        return found


def main() -> None:
    """Learn, and print the table and the weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbs", type=Path, required=True, help="folder of the knowledge bases")
    parser.add_argument("--sets", nargs="+", default=[one for one in SETS if one != PLANTED])
    parser.add_argument("--kept", type=Path, help="rows of signs, read if there, else written")
    parsed = parser.parse_args()
    rows = kept_rows(parsed.kept, _rows(parsed.sets, parsed.kbs))
    report(rows)


def _rows(names: Sequence[str], folder: Path) -> Iterator[JsonDict]:
    """Yield the signs of each answer with reserve, its set, and whether it is right."""
    vectors = RememberedVectors(folder)
    answers = Answers(vectors, RememberedReadings())
    for name in names:
        for asked in recorded(name, folder):
            found = answers.searched(asked)
            if found is None:
                continue
            signs = signs_of(
                found.draft, found.verdict, found.question, found.evidence, answers.reader
            )
            if signs is not None:
                given = Answer(found.question, found.draft.text, perhaps=True)
                is_right = verdict(asked.question, given).startswith("right")
                yield {"set": name, "is_right": is_right, **signs}
        vectors.keep()


def report(rows: Sequence[JsonDict]) -> None:
    """Print what weights learned on the other sets do to each set, then those learned on all."""
    signs = np.array([[row[name] for name in _SIGNS] for row in rows], dtype=float)
    is_right = np.array([row["is_right"] for row in rows], dtype=float)
    sets = np.array([row["set"] for row in rows])
    likely = np.zeros(len(rows))
    for name in np.unique(sets):
        others = sets != name
        likely[~others] = learned(signs[others], is_right[others], sets[others]).likely(
            signs[~others]
        )
    print(f"{len(rows)} answers with reserve, {is_right.sum():.0f} right; withheld right, wrong:")
    for bound in _BOUNDS:
        withheld = likely < bound
        by_set = {
            str(name): _counts(is_right, withheld & (sets == name)) for name in np.unique(sets)
        }
        print(f"below {bound:.2f}: {_counts(is_right, withheld)} {by_set}")
    regression = learned(signs, is_right, sets)
    by_sign = zip(_SIGNS, regression.weights.round(2).tolist(), strict=True)
    print(f"bias {regression.bias:.2f}, {dict(by_sign)}")


def learned(
    signs: FloatArray,
    is_right: FloatArray,
    sets: FloatArray,
    most: int = _MOST_OF_A_SET,
) -> Regression:
    """Return the regression of the rows; no set counts for more than so many of them."""
    names, sizes = np.unique(sets, return_counts=True)
    share = dict(zip(names, np.minimum(1.0, most / sizes), strict=True))
    counts = np.array([share[name] for name in sets])
    mean, spread = signs.mean(axis=0), signs.std(axis=0) + 1e-6
    scaled = (signs - mean) / spread

    def loss(given: FloatArray) -> tuple[float, FloatArray]:
        weighed = scaled @ given[1:] + given[0]
        wrong = counts * (expit(weighed) - is_right)
        value = counts @ (np.logaddexp(0, weighed) - is_right * weighed)
        slope = np.r_[wrong.sum(), scaled.T @ wrong + _PENALTY * given[1:]]
        return float(value + _PENALTY * given[1:] @ given[1:] / 2), slope

    found = minimize(loss, np.zeros(signs.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = found[1:] / spread
    return Regression(float(found[0] - weights @ mean), weights)


def _counts(is_right: FloatArray, chosen: NDArray[np.bool_]) -> tuple[int, int]:
    right = int(is_right[chosen].sum())
    return right, int(chosen.sum()) - right


if __name__ == "__main__":
    main()
