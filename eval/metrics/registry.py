"""The table of metrics: each one value per question (docs/evaluation.md, "Figures")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from hoptrail.core.text import name_key
from hoptrail.eval.metrics import answer_scores as scoring
from hoptrail.eval.metrics.answer_scores import GoldSet
from hoptrail.eval.metrics.same_value import same_value
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.system import Response, RetrievedGraph


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that the metrics see of one question.

    Attributes:
        question: Text and gold answers.
        gold: Gold documents, empty where the data has none.
        ranking: Retrieved documents, distinct, best first; None where a system ranks none.
        context: The rendered evidence at the budget; None where a system shows none.
        context_retrieved: The same before compression.
        context_random: The chance floor, the budget filled by random passages.
        response: None where only retrieval is measured.
        judged: What a judge said of an answer that its words did not settle; None where not asked.
        graph: The retrieved nodes and edges; None where a system retrieves text only.
        node_similarity: Highest cosine of a retrieved node and a gold answer, where known.
        gold_of_last_hop: Gold documents of the last step, empty where the data does not tell steps.
    """

    question: Question
    gold: tuple[str, ...] = ()
    ranking: tuple[str, ...] | None = ()
    context: str | None = ""
    context_retrieved: str | None = None
    context_random: str | None = None
    response: Response | None = None
    judged: bool | None = None
    graph: RetrievedGraph | None = None
    node_similarity: float | None = None
    gold_of_last_hop: tuple[str, ...] = ()


Score = Callable[[Observation], float | None]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure per question; `score` gives None where the question says nothing about it."""

    name: str
    description: str
    score: Score


def node_recall(graph: RetrievedGraph, gold: GoldSet) -> float:
    """Return the share of the gold answers that are retrieved nodes, compared by `name_key`."""
    return sum(any(name_key(form) in graph.nodes for form in forms) for forms in gold) / len(gold)


def node_precision(graph: RetrievedGraph, gold: GoldSet) -> float:
    """Return the share of the retrieved nodes that are gold answers; 0 without nodes."""
    if not graph.nodes:
        return 0.0
    accepted = {name_key(form) for forms in gold for form in forms}
    return len(accepted & graph.nodes.keys()) / len(graph.nodes)


def node_f1(graph: RetrievedGraph, gold: GoldSet) -> float:
    """Return the harmonic mean of node precision and node recall."""
    recall, precision = node_recall(graph, gold), node_precision(graph, gold)
    return 2 * precision * recall / (precision + recall) if recall else 0.0


def density(graph: RetrievedGraph) -> float | None:
    """Return 2|E| / (|V| (|V| - 1)), None with fewer than two nodes (DAGR, appendix A)."""
    count = len(graph.nodes)
    return 2 * len(graph.edges) / (count * (count - 1)) if count > 1 else None


def connectedness(graph: RetrievedGraph) -> float | None:
    """Return 1 if all nodes hang together, else 0; None without nodes (DAGR, appendix A)."""
    if not graph.nodes:
        return None
    neighbors: dict[str, set[str]] = defaultdict(set)
    for source, target in graph.edges:
        neighbors[source].add(target)
        neighbors[target].add(source)
    reached = {next(iter(graph.nodes))}
    frontier = set(reached)
    while frontier:
        frontier = {key for node in frontier for key in neighbors[node]} - reached
        reached |= frontier
    return float(len(reached) == len(graph.nodes))


_SIMILAR = 0.9


def is_covered(seen: Observation) -> float | None:
    """Return whether an accepted answer stands in the evidence that an answerer is sent.

    None for yes/no and unanswerable questions, and where a system shows no evidence.
    """
    return _covered(seen.context, seen.question)


def _covered(context: str | None, question: Question) -> float | None:
    if context is None or not _asks_for_a_name(question):
        return None
    return scoring.covers(context, question.accepted)


def _asks_for_a_name(question: Question) -> bool:
    return not (question.is_yes_no or question.is_unanswerable or question.is_open)


_RankingScore = Callable[[int, Sequence[str], Collection[str]], float]


def _of_ranking(score: _RankingScore, k: int, of_last_hop: bool, seen: Observation) -> float | None:
    gold = seen.gold_of_last_hop if of_last_hop else seen.gold
    return score(k, seen.ranking, gold) if gold and seen.ranking is not None else None


def _nodes(
    score: Callable[[RetrievedGraph, scoring.GoldSet], float], seen: Observation
) -> float | None:
    if seen.graph is None or not _asks_for_a_name(seen.question):
        return None
    return score(seen.graph, seen.question.answers)


def _of_graph(score: Callable[[RetrievedGraph], float | None], seen: Observation) -> float | None:
    return None if seen.graph is None else score(seen.graph)


def _exact_match(seen: Observation) -> float | None:
    recall = _nodes(node_recall, seen)
    return None if recall is None else float(recall > 0)


def _soft_match(seen: Observation) -> float | None:
    exact = _exact_match(seen)
    if exact == 0 and seen.graph is not None and seen.graph.nodes:
        return None if seen.node_similarity is None else float(seen.node_similarity >= _SIMILAR)
    return exact


GRAPH_METRICS = (
    Metric(
        "node_recall",
        "gold answers that are retrieved nodes / gold answers",
        partial(_nodes, node_recall),
    ),
    Metric(
        "node_precision",
        "retrieved nodes that are gold answers / retrieved nodes",
        partial(_nodes, node_precision),
    ),
    Metric("node_f1", "harmonic mean of the two per question", partial(_nodes, node_f1)),
    Metric("exact_match_node", "a retrieved node is a gold answer", _exact_match),
    Metric(
        "soft_match_node",
        f"a retrieved node is a gold answer or within cosine {_SIMILAR} of one",
        _soft_match,
    ),
    Metric(
        "nodes_mean", "retrieved nodes", partial(_of_graph, lambda graph: float(len(graph.nodes)))
    ),
    Metric("density", "2|E| / (|V| (|V| - 1)) of the retrieved graph", partial(_of_graph, density)),
    Metric("connectedness", "the retrieved graph is connected", partial(_of_graph, connectedness)),
)


def is_unresolved(response: Response | None, question: Question) -> bool:
    """Return whether an answer's words do not settle that it is right, so that a judge may."""
    if response is None or response.abstained or question.is_unanswerable or question.is_open:
        return False
    return not scoring.heuristic_match(response.answer, question.accepted)


def _accuracy(seen: Observation) -> float | None:
    if seen.response is None or seen.question.is_open:
        return None
    if seen.response.abstained:
        return float(seen.question.is_unanswerable)
    matches = scoring.heuristic_match(seen.response.answer, seen.question.accepted)
    return float(matches or bool(seen.judged))


def _answered(score: Callable[[Response, Question], float], seen: Observation) -> float | None:
    if seen.response is None or seen.question.is_unanswerable or seen.question.is_open:
        return None
    return 0.0 if seen.response.abstained else score(seen.response, seen.question)


def _accuracy_by_value(seen: Observation) -> float | None:
    accuracy = _accuracy(seen)
    return accuracy if accuracy is None or accuracy == 1 else max(accuracy, _by_value(seen) or 0.0)


def _where_covered(score: Score, seen: Observation) -> float | None:
    return score(seen) if is_covered(seen) else None


_f1 = partial(_answered, lambda got, question: scoring.token_f1(got.answer, question.accepted))
_em = partial(_answered, lambda got, question: scoring.exact_match(got.answer, question.accepted))
_by_value = partial(
    _answered,
    lambda got, question: float(same_value(got.answer, question.answers, question.text)),
)

ANSWER_METRICS = (
    Metric(
        "accuracy",
        "the answer matches by its words, else by a judge; an unanswerable question asks for an "
        "abstention",
        _accuracy,
    ),
    Metric(
        "accuracy_by_value",
        "accuracy, and where that is 0 the answer has the gold answers' value",
        _accuracy_by_value,
    ),
    Metric("f1", "SQuAD F1", _f1),
    Metric("em", "SQuAD EM", _em),
    Metric(
        "em_by_value",
        "the answer has the gold answers' value: numbers and dates however written, lists in any "
        "order",
        _by_value,
    ),
    Metric("accuracy_covered", "accuracy where coverage is 1", partial(_where_covered, _accuracy)),
    Metric("f1_covered", "SQuAD F1 where coverage is 1", partial(_where_covered, _f1)),
    Metric("em_covered", "SQuAD EM where coverage is 1", partial(_where_covered, _em)),
    Metric(
        "hits@1",
        "the first answer is in the gold set",
        partial(_answered, lambda got, question: scoring.hit_at(1, got.answers, question.answers)),
    ),
    Metric(
        "hit",
        "any answer is in the gold set",
        partial(
            _answered,
            lambda got, question: scoring.hit_at(len(got.answers), got.answers, question.answers),
        ),
    ),
    Metric(
        "set_f1",
        "F1 of the set of answers and the gold set",
        partial(_answered, lambda got, question: scoring.set_f1(got.answers, question.answers)),
    ),
    Metric(
        "abstain_rate",
        "the system did not answer",
        lambda seen: None if seen.response is None else float(seen.response.abstained),
    ),
)

METRICS: tuple[Metric, ...] = (
    *(
        Metric(f"{name}@{k}", told.format(k=k), partial(_of_ranking, score, k, of_last_hop))
        for name, score, depths, of_last_hop, told in (
            (
                "recall",
                scoring.recall_at,
                (2, 5, 10),
                False,
                "gold documents in the first {k} / gold documents",
            ),
            (
                "all_support",
                scoring.all_support_at,
                (5, 8, 10),
                False,
                "every gold document is in the first {k}",
            ),
            (
                "recall_last_hop",
                scoring.recall_at,
                (2, 5, 10),
                True,
                "gold documents of the last hop in the first {k} / gold documents of the last hop",
            ),
            (
                "all_support_last_hop",
                scoring.all_support_at,
                (5, 8, 10),
                True,
                "every gold document of the last hop is in the first {k}",
            ),
        )
        for k in depths
    ),
    Metric(
        "coverage",
        "an accepted answer stands in the rendered evidence that an answerer is sent",
        is_covered,
    ),
    Metric(
        "coverage_retrieved",
        "the same before compression",
        lambda seen: _covered(seen.context_retrieved, seen.question),
    ),
    Metric(
        "coverage_random",
        "the same with the budget filled by random passages",
        lambda seen: _covered(seen.context_random, seen.question),
    ),
    *ANSWER_METRICS,
    *GRAPH_METRICS,
)


def measure(observation: Observation) -> dict[str, float | None]:
    """Return every metric's score of one question, by metric name."""
    return {metric.name: metric.score(observation) for metric in METRICS}
