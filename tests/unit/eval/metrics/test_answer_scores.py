"""Scores against values worked out by hand."""

from __future__ import annotations

import pytest

from hoptrail.eval.metrics.answer_scores import (
    all_support_at,
    covers,
    exact_match,
    heuristic_match,
    hit_at,
    recall_at,
    set_f1,
    token_f1,
)

RANKING = ["d4", "d1", "d9", "d2"]


@pytest.mark.parametrize(("k", "recall", "all_support"), [(1, 0, 0), (2, 0.5, 0), (4, 1, 1)])
def test_ranking_scores(k: int, recall: float, all_support: float) -> None:
    assert recall_at(k, RANKING, ["d1", "d2"]) == recall
    assert all_support_at(k, RANKING, ["d1", "d2"]) == all_support


def test_a_short_or_empty_ranking_finds_less() -> None:
    assert recall_at(10, [], ["d1"]) == 0
    assert all_support_at(10, ["d1"], ["d1", "d2"]) == 0


def test_coverage_needs_one_accepted_form_as_whole_tokens() -> None:
    assert covers("She moved to New York City.", ["NYC", "new york"]) == 1
    assert covers("She moved to Newark.", ["New", "York"]) == 0


def test_exact_match_is_squad_normalised() -> None:
    assert exact_match("The Beatles.", ["beatles"]) == 1
    assert exact_match("Beatles band", ["beatles"]) == 0


@pytest.mark.parametrize(
    ("answer", "accepted", "f1"),
    [
        ("G. Stanley Hall", ["Stanley Hall"], 0.8),  # 2 common, 3 + 2 tokens
        ("the the cat", ["cat"], 1.0),
        ("red red fish", ["red fish fish"], 2 * 2 / 6),
        ("nothing", ["else"], 0.0),
        ("", ["x"], 0.0),
        ("Hall", ["Stanley", "Hall"], 1.0),
    ],
)
def test_token_f1(answer: str, accepted: list[str], f1: float) -> None:
    assert token_f1(answer, accepted) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "gold", "right"),
    [
        ("Paris", "paris", True),
        ("It is Paris, in France", "Paris", True),
        ("Lovelace", "Ada Lovelace", True),
        ("J. Smith", "John Smith", True),
        ("London", "Paris", False),
        ("12 May 1999", "3 June 1999", False),
        ("Yes, both are", "yes", True),
        ("There is no doubt: yes", "no", False),
        ("", "Paris", False),
        ("...", "Paris", False),
        ("Paris", "?", False),
    ],
)
def test_heuristic_match(answer: str, gold: str, right: bool) -> None:
    assert heuristic_match(answer, [gold]) is right


GOLD_SET = [["Rhine"], ["Main", "Main River"], ["Neckar"]]


@pytest.mark.parametrize(
    ("answers", "hits_at_1", "hit", "f1"),
    [
        (["main river", "Rhine"], 1, 1, 2 * 1 * (2 / 3) / (1 + 2 / 3)),
        (["Seine", "the Rhine"], 0, 1, 2 * 0.5 * (1 / 3) / (0.5 + 1 / 3)),
        (["Rhine", "rhine", "The Rhine"], 1, 1, 2 * 1 * (1 / 3) / (1 + 1 / 3)),
        (["Seine"], 0, 0, 0),
        ([], 0, 0, 0),
    ],
)
def test_set_scores(answers: list[str], hits_at_1: float, hit: float, f1: float) -> None:
    assert hit_at(1, answers, GOLD_SET) == hits_at_1
    assert hit_at(len(answers), answers, GOLD_SET) == hit
    assert set_f1(answers, GOLD_SET) == pytest.approx(f1)
