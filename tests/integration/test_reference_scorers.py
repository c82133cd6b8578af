"""Scores against public reference scorers: trec_eval, torchmetrics' SQuAD and scikit-learn."""

from __future__ import annotations

import random
import string

import pytest

from hoptrail.eval.metrics.answer_scores import (
    all_support_at,
    exact_match,
    recall_at,
    set_f1,
    token_f1,
)

pytestmark = pytest.mark.slow

WORDS = ["the", "Seine", "river", "a", "Paris,", "1889", "Tiber.", "an", "U.S.", "north-east", "'s"]
DOCUMENTS = list(string.ascii_lowercase)


def draw_text(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(1, 5)))


def test_recall_is_that_of_trec_eval() -> None:
    import pytrec_eval

    draw = random.Random(7)
    gold = {f"q{i}": draw.sample(DOCUMENTS, draw.randint(1, 4)) for i in range(50)}
    rankings = {name: draw.sample(DOCUMENTS, 15) for name in gold}
    judged = {name: dict.fromkeys(documents, 1) for name, documents in gold.items()}
    scored = {
        name: {document: -float(rank) for rank, document in enumerate(ranking)}
        for name, ranking in rankings.items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"recall.2,5,10"})
    for name, expected in evaluator.evaluate(scored).items():
        for k in (2, 5, 10):
            assert recall_at(k, rankings[name], gold[name]) == pytest.approx(
                expected[f"recall_{k}"]
            )
            every = all_support_at(k, rankings[name], gold[name])
            assert every == (expected[f"recall_{k}"] == 1)


def test_f1_and_em_are_those_of_squad() -> None:
    from torchmetrics.functional.text import squad

    draw = random.Random(7)
    for _ in range(100):
        answer, accepted = draw_text(draw), [draw_text(draw) for _ in range(draw.randint(1, 3))]
        expected = squad(
            [{"prediction_text": answer, "id": "q"}],
            [{"answers": {"answer_start": [0] * len(accepted), "text": accepted}, "id": "q"}],
        )
        assert 100 * token_f1(answer, accepted) == pytest.approx(float(expected["f1"]), abs=1e-4)
        assert 100 * exact_match(answer, accepted) == float(expected["exact_match"])


def test_set_f1_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import f1_score  # type: ignore[import-untyped]

    draw = random.Random(7)
    names = ["Seine", "Tiber", "Danube", "Rhine", "Elbe"]
    for _ in range(50):
        gold, answers = (draw.sample(names, draw.randint(1, 4)) for _ in range(2))
        expected = f1_score(
            [name in gold for name in names],
            [name in answers for name in names],
            zero_division=0.0,
        )
        assert set_f1(answers, [(name,) for name in gold]) == pytest.approx(expected)
