"""Scores of a retrieved graph, as pure functions."""

from __future__ import annotations

from collections import defaultdict

from hoptrail.core.text import name_key
from hoptrail.eval.metrics.answer_scores import GoldSet
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph


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
