"""Intervals and tests, checked against hand-computed cases and scipy."""

from __future__ import annotations

import numpy as np
import pytest

from hoptrail.eval.figures.statistics import McNemar, bootstrap_ci95, mcnemar, paired_difference


def test_the_interval_is_that_of_the_normal_approximation() -> None:
    low, high = bootstrap_ci95([0.0, 1.0] * 50) or (0.0, 0.0)
    assert low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.015)
    assert high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.015)


def test_the_interval_is_repeatable_and_absent_without_scores() -> None:
    scores = [0.0, 0.25, 1.0, 1.0]
    assert bootstrap_ci95(scores) == bootstrap_ci95(scores)
    assert bootstrap_ci95([]) is None


def test_the_interval_of_two_scores_is_their_range() -> None:
    # Of the four equally likely samples of two, one has the lower mean and one the higher.
    assert bootstrap_ci95([0.0, 1.0]) == (0.0, 1.0)


def test_one_score_is_its_own_interval() -> None:
    assert bootstrap_ci95([0.25]) == (0.25, 0.25)


def test_the_interval_is_that_of_resampled_questions() -> None:
    scores = np.random.default_rng(7).random(60)
    drawn = np.random.default_rng(42).integers(0, 60, (10_000, 60))
    expected = np.quantile(scores[drawn].mean(axis=1), [0.025, 0.975])
    assert bootstrap_ci95(list(scores)) == pytest.approx(tuple(expected))


def test_equal_runs_differ_by_nothing() -> None:
    found = paired_difference([0.0] * 20)
    assert (found.mean, found.ci95, found.p) == (0.0, (0.0, 0.0), 1.0)


def test_a_difference_on_every_question_is_beyond_chance() -> None:
    found = paired_difference([0.5] * 20)
    assert (found.mean, found.ci95) == (0.5, (0.5, 0.5))
    assert found.p == pytest.approx(2 / 10_001)


def test_the_p_value_is_that_of_the_normal_approximation() -> None:
    from scipy.stats import norm

    differences = list(np.random.default_rng(3).normal(0.12, 1.0, 400))
    z = np.mean(differences) / (np.std(differences) / np.sqrt(len(differences)))
    assert paired_difference(differences).p == pytest.approx(2 * norm.sf(z), abs=0.01)


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1, 0.15, 0.2, 0.3])
def test_p_is_small_where_the_interval_leaves_zero_out(shift: float) -> None:
    differences = list(np.random.default_rng(5).normal(shift, 1.0, 200))
    found = paired_difference(differences)
    assert (found.p < 0.05) == (found.ci95[0] > 0)


def test_the_sign_of_the_difference_does_not_change_p() -> None:
    differences = [1.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0]
    turned = [-difference for difference in differences]
    assert paired_difference(differences).p == pytest.approx(paired_difference(turned).p)


def test_thirds_that_cancel_are_no_difference() -> None:
    assert paired_difference([1 / 3, 1 / 3, -2 / 3] * 4).p == pytest.approx(1.0, abs=0.05)


def test_mcnemar_is_the_exact_binomial_test_of_the_pairs_that_disagree() -> None:
    # 5 against 1: two tails of (1 + 6) / 2 ** 6 each.
    found = mcnemar([1.0] * 5 + [-1.0] + [0.0] * 10)
    assert (found.gained, found.lost) == (5, 1)
    assert found.p == pytest.approx(14 / 64)


def test_mcnemar_without_disagreement_finds_nothing() -> None:
    assert mcnemar([0.0, 0.0]) == McNemar(0, 0, 1.0)
