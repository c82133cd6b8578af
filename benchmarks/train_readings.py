"""Learns how likely words that the passage reader finds are the answer to a question.

    python -m benchmarks.train_readings --kbs DIR [--sets practice ...] [--kept ROWS.jsonl]

asks the questions of the sets of `ablation.py` with the preset `offline` (what is searched for them
is kept in DIR), reads the passages nearest to each, and weighs the signs of
`hoptrail.agents.reading.near_passages` by a logistic regression over the sets that are learned from
(`--learned`). Each set is judged by weights learned on the others: the table tells how many of the
likeliest words of a question are right beside so many wrong ones, by the reader alone and by all
signs. Then the weights learned on all of them are printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

from asked_again import PLANTED, SETS, RememberedVectors, recorded  # noqa: E402
from train_likelihood import Regression, learned  # noqa: E402

from benchmarks.local_model import verdict  # noqa: E402
from benchmarks.rows import kept_rows  # noqa: E402
from hoptrail.agents.evidence.evidence_index import EvidenceIndex  # noqa: E402
from hoptrail.agents.language.answer_types import focus_of  # noqa: E402
from hoptrail.agents.language.text_similarity import TextSimilarity  # noqa: E402
from hoptrail.agents.reading.near_passages import WEIGHTS, NearPassages  # noqa: E402
from hoptrail.core.embedding import FloatArray  # noqa: E402
from hoptrail.core.language.detection import is_english  # noqa: E402
from hoptrail.core.types import Answer, JsonDict  # noqa: E402
from hoptrail.models.passage_reader import PassageReader  # noqa: E402

LEARNED = ("practice", "trades", "reading")
"""The sets that the packaged weights were learned on."""
_WRONG = (20, 40, 80, 120, 160)
_OF_READER = ("stated", "likely")


def main() -> None:
    """Learn, and print the table and the weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbs", type=Path, required=True, help="folder of the knowledge bases")
    parser.add_argument("--sets", nargs="+", default=[one for one in SETS if one != PLANTED])
    parser.add_argument("--learned", nargs="+", default=LEARNED, help="those to learn from")
    parser.add_argument("--kept", type=Path, help="rows of signs, read if there, else written")
    parsed = parser.parse_args()
    rows = kept_rows(parsed.kept, _rows(parsed.sets, parsed.kbs))
    report(rows, parsed.learned)


def _rows(names: Sequence[str], folder: Path) -> Iterator[JsonDict]:
    """Yield the signs of the words of each passage, its set and question, and whether it is right.

    Raises:
        SystemExit: Without the packaged reader.
    """
    reader = PassageReader.shipped()
    if reader is None:
        raise SystemExit('this needs pip install "hoptrail[embed]"')
    vectors = RememberedVectors(folder)
    for name in names:
        for number, asked in enumerate(recorded(name, folder)):
            if not asked.searches or not is_english(asked.question.text):
                continue
            question, _, evidence, _ = asked.searches[0]
            if focus_of(question).answer_type == "yes_no":
                continue
            similarity = TextSimilarity(vectors.embed, vectors.embed_roughly)
            near = NearPassages(question, EvidenceIndex(evidence), similarity)
            for words in near.words(reader):
                given = Answer(question, words.value.text, perhaps=True)
                is_right = verdict(asked.question, given).startswith("right")
                yield {
                    "set": name,
                    "question": number,
                    "is_right": is_right,
                    **dict(zip(WEIGHTS, words.signs, strict=True)),
                }
        vectors.keep()


def report(rows: Sequence[JsonDict], names: Sequence[str]) -> None:
    """Print what weights learned on the other sets do to each set, then those learned on all."""
    by_all, by_reader = np.zeros(len(rows)), np.zeros(len(rows))
    sets = np.array([row["set"] for row in rows])
    for signs, likely in ((tuple(WEIGHTS), by_all), (_OF_READER, by_reader)):
        for name in np.unique(sets):
            own = sets == name
            known = np.isin(sets, names) & ~own
            likely[own] = _learned(rows, known, signs).likely(_signs(rows, signs)[own])
    for told, likely in (("the reader alone", by_reader), ("all signs", by_all)):
        best = _best(rows, likely)
        print(f"{told}: {_right_beside(best)}")
    regression = _learned(rows, np.isin(sets, names), tuple(WEIGHTS))
    by_sign = zip(WEIGHTS, regression.weights.round(2).tolist(), strict=True)
    print(f"bias {regression.bias:.2f}, {dict(by_sign)}")


def _signs(rows: Sequence[JsonDict], names: Sequence[str]) -> FloatArray:
    return np.array([[row[name] for name in names] for row in rows], dtype=float)


def _learned(
    rows: Sequence[JsonDict], chosen: NDArray[np.bool_], names: Sequence[str]
) -> Regression:
    is_right = np.array([row["is_right"] for row in rows], dtype=float)
    sets = np.array([row["set"] for row in rows])
    # Each word counts alike: a large set is one of many passages, with a question or two on each.
    return learned(_signs(rows, names)[chosen], is_right[chosen], sets[chosen], len(rows))


def _best(rows: Sequence[JsonDict], likely: FloatArray) -> list[tuple[float, bool]]:
    """Return how likely the likeliest words of each question are, and whether they are right."""
    told = zip(rows, likely.tolist(), strict=True)
    grouped = groupby(told, key=lambda one: (one[0]["set"], one[0]["question"]))
    best = (max(own, key=lambda one: one[1]) for _, own in grouped)
    return sorted(((value, bool(row["is_right"])) for row, value in best), reverse=True)


def _right_beside(best: Sequence[tuple[float, bool]]) -> str:
    """Return how many are right of those as likely as the so manieth wrong one, and how likely."""
    right = wrong = 0
    parts = []
    for value, is_right in best:
        right, wrong = right + is_right, wrong + (not is_right)
        if not is_right and wrong in _WRONG:
            parts.append(f"{right} right beside {wrong} wrong (from {value:.2f})")
    return ", ".join([*parts, f"{right} beside {wrong} in all"])


if __name__ == "__main__":
    main()
