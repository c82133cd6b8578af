"""Metrics of the retrieval: the ranking, the rendered evidence, the graph."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from functools import partial

from hoptrail.core.render import render
from hoptrail.core.types import Evidence, Hit
from hoptrail.eval.metrics import answer_scores as scoring
from hoptrail.eval.metrics import graph_scores as graph_scoring
from hoptrail.eval.metrics.metric import Metric
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.observation import Observation
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph
from hoptrail.stores.knowledge_base import KnowledgeBase

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


def _of_all_hops(score: _RankingScore, k: int, seen: Observation) -> float | None:
    return _score(score, k, seen.ranking, seen.gold)


def _of_last_hop(score: _RankingScore, k: int, seen: Observation) -> float | None:
    return _score(score, k, seen.ranking, seen.gold_of_last_hop)


def _score(
    score: _RankingScore, k: int, ranking: Sequence[str] | None, gold: Collection[str]
) -> float | None:
    return score(k, ranking, gold) if gold and ranking is not None else None


def _nodes(
    score: Callable[[RetrievedGraph, scoring.GoldSet], float], seen: Observation
) -> float | None:
    if seen.graph is None or not _asks_for_a_name(seen.question):
        return None
    return score(seen.graph, seen.question.answers)


def _exact_match(seen: Observation) -> float | None:
    recall = _nodes(graph_scoring.node_recall, seen)
    return None if recall is None else float(recall > 0)


def _soft_match(seen: Observation) -> float | None:
    exact = _exact_match(seen)
    if exact == 0 and seen.graph is not None and seen.graph.nodes:
        return None if seen.node_similarity is None else float(seen.node_similarity >= _SIMILAR)
    return exact


RANKING_METRICS = (
    *(
        Metric(f"recall@{k}", f"gold documents in the first {k} / gold documents", score)
        for k, score in ((k, partial(_of_all_hops, scoring.recall_at, k)) for k in (2, 5, 10))
    ),
    *(
        Metric(f"all_support@{k}", f"every gold document is in the first {k}", score)
        for k, score in ((k, partial(_of_all_hops, scoring.all_support_at, k)) for k in (5, 8, 10))
    ),
    *(
        Metric(
            f"recall_last_hop@{k}",
            f"gold documents of the last hop in the first {k} / gold documents of the last hop",
            partial(_of_last_hop, scoring.recall_at, k),
        )
        for k in (2, 5, 10)
    ),
    *(
        Metric(
            f"all_support_last_hop@{k}",
            f"every gold document of the last hop is in the first {k}",
            partial(_of_last_hop, scoring.all_support_at, k),
        )
        for k in (5, 8, 10)
    ),
)

COVERAGE_METRICS = (
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
)

GRAPH_METRICS = (
    Metric(
        "node_recall",
        "gold answers that are retrieved nodes / gold answers",
        partial(_nodes, graph_scoring.node_recall),
    ),
    Metric(
        "node_precision",
        "retrieved nodes that are gold answers / retrieved nodes",
        partial(_nodes, graph_scoring.node_precision),
    ),
    Metric(
        "node_f1", "harmonic mean of the two per question", partial(_nodes, graph_scoring.node_f1)
    ),
    Metric("exact_match_node", "a retrieved node is a gold answer", _exact_match),
    Metric(
        "soft_match_node",
        f"a retrieved node is a gold answer or within cosine {_SIMILAR} of one",
        _soft_match,
    ),
    Metric(
        "nodes_mean",
        "retrieved nodes",
        lambda seen: None if seen.graph is None else float(len(seen.graph.nodes)),
    ),
    Metric(
        "density",
        "2|E| / (|V| (|V| - 1)) of the retrieved graph",
        lambda seen: None if seen.graph is None else graph_scoring.density(seen.graph),
    ),
    Metric(
        "connectedness",
        "the retrieved graph is connected",
        lambda seen: None if seen.graph is None else graph_scoring.connectedness(seen.graph),
    ),
)


class RandomFloor:
    """Random passages of a knowledge base, the same for the same seed."""

    def __init__(self, knowledge_base: KnowledgeBase, budget: int, seed: int) -> None:
        self._kb = knowledge_base
        self._budget = budget
        self._seed = seed

    def context(self, draw: str) -> str | None:
        """Return passages drawn without replacement, rendered at the budget; None without any.

        Args:
            draw: Names the draw; one per question makes them independent and repeatable.
        """
        if not len(self._kb.index.chunk_ids):
            return None
        evidence = Evidence(
            chunks=tuple(Hit(chunk) for chunk in self._kb.store.chunks(self._draw_ids(draw)))
        )
        return render(evidence, self._budget).text

    def _draw_ids(self, draw: str) -> list[str]:
        index = self._kb.index
        rows = list(range(len(index.chunk_ids)))
        random.Random(f"{self._seed}/{draw}").shuffle(rows)
        drawn: list[str] = []
        tokens = 0
        for row in rows:
            if tokens >= self._budget:
                break
            drawn.append(str(index.chunk_ids[row]))
            tokens += int(index.chunk_tokens[row])
        return drawn
