"""Which question says something about which metric; graph scores as networkx has them."""

from __future__ import annotations

import random
from dataclasses import replace

import networkx  # type: ignore[import-untyped]
import pytest

from hoptrail.eval.metrics.registry import (
    ANSWER_METRICS,
    GRAPH_METRICS,
    METRICS,
    Observation,
    connectedness,
    density,
    is_unresolved,
    measure,
    node_f1,
    node_precision,
    node_recall,
)
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.system import Response, RetrievedGraph

QUESTION = Question("q", "Where?", (("Paris",),), line=1)
YES = Question("q", "Is it?", (("yes",),), line=1)
NULL = Question("q", "Where?", (("Insufficient information",),), line=1, type="Null")
PARIS = Response("Paris", ("Paris",))
SILENT = Response("I don't know: nothing bears on it.", (), abstained=True)

GOLD = (("Seine", "River Seine"), ("Tiber",))
EMPTY = RetrievedGraph({})


def test_every_metric_has_its_own_name() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_a_retriever_has_no_answer_scores() -> None:
    scores = measure(Observation(QUESTION, ("d1",), ("d2", "d1"), "in Paris"))
    assert (scores["recall@2"], scores["all_support@5"], scores["coverage"]) == (1, 1, 1)
    assert {scores[metric.name] for metric in ANSWER_METRICS} == {None}
    assert {scores[metric.name] for metric in GRAPH_METRICS} == {None}


def test_without_gold_documents_there_is_no_recall() -> None:
    assert measure(Observation(QUESTION, ranking=("d1",)))["recall@5"] is None


def test_yes_no_and_unanswerable_questions_have_no_coverage() -> None:
    assert measure(Observation(YES, context="yes"))["coverage"] is None
    assert measure(Observation(NULL, context="Insufficient information"))["coverage"] is None


def test_nothing_ranked_is_not_scored_and_an_empty_ranking_is() -> None:
    nothing = Observation(QUESTION, gold=("d1",), gold_of_last_hop=("d1",))
    names = ("recall@5", "all_support@5", "recall_last_hop@5", "all_support_last_hop@5")
    unranked = measure(replace(nothing, ranking=None))
    assert [unranked[name] for name in names] == [None] * 4
    assert [measure(nothing)[name] for name in names] == [0] * 4


def test_the_last_hop_has_figures_of_its_own() -> None:
    seen = Observation(
        QUESTION, ("d1", "d2", "d3"), ("d1", "d2", "x"), gold_of_last_hop=("d2", "d3")
    )
    scores = measure(seen)
    assert scores["recall_last_hop@2"] == 0.5
    assert scores["all_support_last_hop@5"] == 0
    assert measure(Observation(QUESTION, ("d1",), ("d1",)))["recall_last_hop@5"] is None


def test_an_answer_of_equal_value_counts_in_the_figures_by_value_alone() -> None:
    years = Question("q", "Which years?", (("1898 and 1959",),), line=1)
    scores = measure(Observation(years, response=Response("1898; 1959", ("1898", "1959"))))
    names = ("accuracy", "em", "accuracy_by_value", "em_by_value")
    assert [scores[name] for name in names] == [0, 0, 1, 1]


def test_a_right_answer_in_other_words_is_right_by_value_too() -> None:
    said = Response("It is Paris.", ("It is Paris.",))
    scores = measure(Observation(QUESTION, response=said))
    assert (scores["accuracy_by_value"], scores["em_by_value"]) == (1, 0)


def test_the_three_coverages_look_at_their_own_context() -> None:
    scores = measure(
        Observation(QUESTION, context="", context_retrieved="Paris", context_random="Rome")
    )
    names = ("coverage", "coverage_retrieved", "coverage_random")
    assert [scores[name] for name in names] == [0, 1, 0]


def test_a_right_answer_scores_everywhere() -> None:
    scores = measure(Observation(QUESTION, response=PARIS))
    names = ("accuracy", "f1", "em", "hits@1", "hit", "set_f1")
    assert [scores[name] for name in names] == [1] * 6
    assert scores["abstain_rate"] == 0


def test_an_unanswered_question_scores_zero_everywhere() -> None:
    scores = measure(Observation(QUESTION, response=SILENT))
    names = ("accuracy", "f1", "em", "hits@1", "hit", "set_f1")
    assert [scores[name] for name in names] == [0] * 6
    assert scores["abstain_rate"] == 1


def test_an_unanswerable_question_asks_for_an_abstention() -> None:
    assert measure(Observation(NULL, response=SILENT))["accuracy"] == 1
    assert measure(Observation(NULL, response=PARIS))["accuracy"] == 0
    assert measure(Observation(NULL, response=PARIS))["f1"] is None


def test_an_unanswerable_question_may_be_answered_by_saying_so() -> None:
    said = Response("Insufficient information", ("Insufficient information",))
    assert measure(Observation(NULL, response=said))["accuracy"] == 1


def test_a_judge_settles_accuracy_and_nothing_else() -> None:
    capital = Response("the French capital", ("the French capital",))
    scores = measure(Observation(QUESTION, response=capital, judged=True))
    assert [scores[name] for name in ("accuracy", "em", "hits@1")] == [1, 0, 0]
    assert measure(Observation(QUESTION, response=capital, judged=False))["accuracy"] == 0


def test_only_wrong_looking_answers_to_answerable_questions_are_unresolved() -> None:
    rome = Response("Rome", ("Rome",))
    assert is_unresolved(rome, QUESTION)
    assert not any(is_unresolved(got, QUESTION) for got in (PARIS, SILENT, None))
    assert not is_unresolved(rome, NULL)


def test_covered_only_scores_leave_out_what_retrieval_missed() -> None:
    names = ("accuracy_covered", "f1_covered", "em_covered")
    covered = measure(Observation(QUESTION, context="in Paris", response=PARIS))
    assert [covered[name] for name in names] == [1, 1, 1]
    missed = measure(Observation(QUESTION, context="in Rome", response=PARIS))
    assert [missed[name] for name in names] == [None] * 3


def test_a_system_that_shows_no_evidence_has_no_coverage() -> None:
    scores = measure(Observation(QUESTION, context=None, response=PARIS))
    assert (scores["coverage"], scores["accuracy_covered"], scores["accuracy"]) == (None, None, 1)


def test_a_graph_is_scored_by_its_nodes_and_its_shape() -> None:
    graph = RetrievedGraph({"paris": "Paris", "rome": "Rome"}, frozenset({("paris", "rome")}))
    scores = measure(Observation(QUESTION, graph=graph))
    names = ("node_recall", "node_precision", "exact_match_node", "soft_match_node")
    assert [scores[name] for name in names] == [1, 0.5, 1, 1]
    assert (scores["nodes_mean"], scores["density"], scores["connectedness"]) == (2, 1, 1)


def test_a_near_node_is_a_soft_match_only() -> None:
    graph = RetrievedGraph({"paris france": "Paris, France"})
    near = measure(Observation(QUESTION, graph=graph, node_similarity=0.9))
    assert (near["exact_match_node"], near["soft_match_node"]) == (0, 1)
    far = measure(Observation(QUESTION, graph=graph, node_similarity=0.89))
    assert far["soft_match_node"] == 0


def test_a_graph_without_nodes_misses_the_answer() -> None:
    scores = measure(Observation(QUESTION, graph=RetrievedGraph({})))
    assert (scores["node_f1"], scores["soft_match_node"], scores["density"]) == (0, 0, None)


def test_nodes_are_not_compared_with_answers_that_are_no_names() -> None:
    scores = measure(Observation(YES, graph=RetrievedGraph({"yes": "yes"})))
    assert (scores["node_recall"], scores["soft_match_node"]) == (None, None)
    assert scores["nodes_mean"] == 1


def make_graph(nodes: str, *edges: tuple[str, str]) -> RetrievedGraph:
    return RetrievedGraph({name: name for name in nodes.split()}, frozenset(edges))


def test_recall_counts_gold_answers_and_precision_nodes() -> None:
    graph = make_graph("seine paris rome ostia")
    assert node_recall(graph, GOLD) == 0.5
    assert node_precision(graph, GOLD) == 0.25
    assert node_f1(graph, GOLD) == pytest.approx(1 / 3)


def test_an_answer_is_found_under_any_of_its_forms() -> None:
    graph = RetrievedGraph({"river seine": "River Seine", "tiber": "TIBER"})
    assert node_recall(graph, GOLD) == 1


def test_nothing_retrieved_scores_zero_and_has_no_shape() -> None:
    assert [score(EMPTY, GOLD) for score in (node_recall, node_precision, node_f1)] == [0, 0, 0]
    assert density(EMPTY) is None
    assert connectedness(EMPTY) is None


def test_a_single_node_is_connected_and_has_no_density() -> None:
    assert connectedness(make_graph("a")) == 1
    assert density(make_graph("a")) is None


def test_a_node_apart_disconnects_a_graph() -> None:
    assert connectedness(make_graph("a b c", ("a", "b"))) == 0
    assert connectedness(make_graph("a b c", ("a", "b"), ("b", "c"))) == 1


@pytest.mark.parametrize("seed", range(20))
def test_density_and_connectedness_are_those_of_networkx(seed: int) -> None:
    draw = random.Random(seed)
    names = "abcdefgh"[: draw.randint(2, 8)]
    pairs = {(x, y) for x in names for y in names if x < y and draw.random() < 0.3}
    reference = networkx.Graph(pairs)
    reference.add_nodes_from(names)
    graph = make_graph(" ".join(names), *pairs)
    assert density(graph) == pytest.approx(networkx.density(reference))
    assert connectedness(graph) == networkx.is_connected(reference)
