"""Small learned models that score what lies around a question: edges of a graph, and paths.

The first scores how likely an edge holds the answer, the second how well predicates fit a question.

Walks are not listed: there are too many. Like Viterbi's algorithm, each step keeps by node the
score of the best walk that leads there (float32, shape (n,)) and its last edge (int32). Edges are
taken in both directions, so arrays over edges have the shape (2 m,): along the arrows first, then
against them, and `number % m` is the edge again. Predicates are few, so they are scored once in a
table of shape (hops, 2, p), from which the steps of all edges are gathered.

Paths have different lengths, so each is a row of step numbers with -1 behind its end, shape (paths,
hops), which are looked up in such a table, one place of all paths at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.models.learned_weights import LearnedWeights

_NOWHERE = -1e4  # the score of what no walk reaches


@dataclass(frozen=True, slots=True)
class WalkedGraph:
    """A small graph as the scorer reads it; nodes and predicates are numbers from 0.

    Attributes:
        source: Node at the tail of each edge's arrow, shape (m,).
        target: Node at its head, shape (m,).
        predicate: Shape (m,).
        predicates: Unit vectors of the predicates' texts, shape (p, dim).
        nodes: Features of each node as an answer, shape (n, node features).
        topics: Distinct nodes where walks may start, shape (t,).
        topic_features: Features of each as what the question is about, shape (t, topic features).
    """

    source: IntArray
    target: IntArray
    predicate: IntArray
    predicates: FloatArray
    nodes: FloatArray
    topics: IntArray
    topic_features: FloatArray


@dataclass(frozen=True, slots=True)
class ScoredEdges:
    """Edges by the best walk that ends with them.

    Attributes:
        scores: Log odds up to a constant, shape (m,).
        steps: Place of the edge in its best walk, from 0, shape (m,).
        starts: Node that the edge leaves in that walk, shape (m,).
        before: Edge by which a walk of so many steps best comes to each node, -1 where none does,
            shape (hops, n); before[0] is all -1.
    """

    scores: FloatArray
    steps: IntArray
    starts: IntArray
    before: IntArray

    def walk_to(self, edge: int, source: IntArray, target: IntArray) -> list[int]:
        """Return the edges of the best walk that ends with this one, the first step first."""
        walk, node = [edge], int(self.starts[edge])
        for step in range(int(self.steps[edge]), 0, -1):
            edge = int(self.before[step][node])
            walk.append(edge)
            node = int(source[edge]) if int(target[edge]) == node else int(target[edge])
        return walk[::-1]


@dataclass(frozen=True, slots=True)
class EdgeScorer(LearnedWeights):
    """Scores an edge by the best walk from a topic of the question that ends with it.

    A walk counts by its topic, by each step's predicate, place and direction, as in `PathScorer`,
    by its length, and by the node where it ends. It may come back to its topic: a topic counts the
    more, the better its other relations fit the question too. All of that is seen through vectors
    of texts and a few features that have the same meaning in any graph.

    Attributes:
        question: Maps the question by place and direction, shape (hops, 2, rank, dim).
        predicate: Maps a predicate, shape (rank, dim).
        length: Maps the question to a score by length, shape (hops, dim).
        bias: By place and direction, shape (hops, 2).
        length_bias: By length, shape (hops,).
        similarity: Weight of the similarity of question and predicate, shape ().
        topic_hidden: First layer over topic features and a constant 1, shape (h, features + 1).
        topic_out: Second layer, shape (h,).
        node: Weights of the node features, shape (node features,).
        embedder: Name of the model whose vectors it was trained on, shape ().
    """

    shipped_as: ClassVar[str] = "edge_scorer.npz"

    question: NDArray[np.float16]
    predicate: NDArray[np.float16]
    length: NDArray[np.float16]
    bias: FloatArray
    length_bias: FloatArray
    similarity: FloatArray
    topic_hidden: FloatArray
    topic_out: FloatArray
    node: FloatArray
    embedder: NDArray[np.str_]

    @property
    def hops(self) -> int:
        """Steps of the longest walk that it follows."""
        return len(self.length)

    def step_scores(self, masked: FloatArray, predicates: FloatArray) -> FloatArray:
        """Return what each step adds to a walk, shape (hops, 2, p); the second axis is backwards.

        Args:
            masked: Unit vector of the question with its topics masked, shape (dim,).
            predicates: Unit vectors of the predicates' texts, shape (p, dim).
        """
        latent = predicates @ self.predicate.astype(np.float32).T
        table = (self.question.astype(np.float32) @ masked) @ latent.T + self.bias[:, :, None]
        table += float(self.similarity) * (predicates @ masked)
        return table.astype(np.float32)

    def edge_scores(self, masked: FloatArray, graph: WalkedGraph) -> ScoredEdges:
        """Return the edges of a graph with their scores.

        Args:
            masked: Unit vector of the question with its topics masked, shape (dim,).
            graph: The part of the graph that is looked at.
        """
        edges, nodes = len(graph.source), len(graph.nodes)
        leaves = np.concatenate([graph.source, graph.target])
        enters = np.concatenate([graph.target, graph.source])
        table = self.step_scores(masked, graph.predicates)
        lengths = self.length.astype(np.float32) @ masked + self.length_bias
        reached = np.full(nodes, _NOWHERE, dtype=np.float32)
        reached[graph.topics] = self.topic_scores(graph.topic_features)
        best = np.full(2 * edges, 2 * _NOWHERE, dtype=np.float32)
        steps = np.zeros(2 * edges, dtype=np.int32)
        before = np.full((self.hops, nodes), -1, dtype=np.int32)
        for step in range(self.hops):
            along = np.concatenate(
                [table[step, 0][graph.predicate], table[step, 1][graph.predicate]]
            )
            walks = reached[leaves] + along
            is_better = walks + lengths[step] > best
            best[is_better] = walks[is_better] + lengths[step]
            steps[is_better] = step
            if step + 1 < self.hops:
                reached = np.full(nodes, _NOWHERE, dtype=np.float32)
                np.maximum.at(reached, enters, walks)
                is_way = (walks == reached[enters]) & (walks > _NOWHERE / 2)
                before[step + 1][enters[is_way]] = np.flatnonzero(is_way) % max(edges, 1)
        best += (graph.nodes @ self.node)[enters]
        backwards = best[edges:] > best[:edges]
        chosen = np.arange(edges) + edges * backwards
        return ScoredEdges(best[chosen], steps[chosen], leaves[chosen], before)

    def topic_scores(self, features: FloatArray) -> FloatArray:
        """Return what walks from entities start with, shape (n,), for topic features (n, f)."""
        constant = np.ones((len(features), 1), dtype=np.float32)
        hidden = np.tanh(np.hstack([features, constant]) @ self.topic_hidden.T)
        scores: FloatArray = hidden @ self.topic_out
        return scores


@dataclass(frozen=True, slots=True)
class PathScorer(LearnedWeights):
    """Scores a path step by step, so that any number of paths costs one small product.

    A step counts by the question's vectors, the predicate's, its place in the path and its
    direction; a path also by its length. It sees vectors of texts alone and knows no graph. A
    question has two vectors: of the whole, and of the words around its topic.

    Attributes:
        question: Maps the question by place and direction, shape (hops, 2, rank, 2 * dim).
        predicate: Maps a predicate, shape (rank, dim).
        length: Maps the question to a score by length, shape (hops, 2 * dim).
        bias: By place and direction, shape (hops, 2).
        similarity: Weight of a predicate's similarity to either vector, by place, shape (hops, 2).
        embedder: Name of the model whose vectors it was trained on, shape ().
    """

    shipped_as: ClassVar[str] = "path_scorer.npz"

    question: NDArray[np.float16]
    predicate: NDArray[np.float16]
    length: NDArray[np.float16]
    bias: FloatArray
    similarity: FloatArray
    embedder: NDArray[np.str_]

    @property
    def hops(self) -> int:
        """Steps of the longest path that it can score."""
        return len(self.length)

    def scores(self, question: FloatArray, predicates: FloatArray, paths: IntArray) -> FloatArray:
        """Return a score per path, shape (paths,): log odds, up to a constant.

        Args:
            question: Unit vectors of the question with its topic masked and of the words around
                the mask, shape (2, dim).
            predicates: Unit vectors of the predicates' texts, shape (p, dim).
            paths: Steps of each path, shape (paths, hops or fewer): twice the row in `predicates`,
                plus 1 where it is followed backwards; -1 behind its end.
        """
        whole = question.reshape(-1)
        mapped = self.question.astype(np.float32) @ whole
        latent = predicates @ self.predicate.astype(np.float32).T
        table = mapped @ latent.T + self.bias[:, :, None]
        table += (self.similarity @ (question @ predicates.T))[:, None, :]
        lengths = self.length.astype(np.float32) @ whole
        found = np.zeros(len(paths))
        for place, steps in enumerate(paths.T):
            rows = np.flatnonzero(steps >= 0)
            taken = steps[rows]
            found[rows] += table[place, taken & 1, taken >> 1]
        scores: FloatArray = (found + lengths[lengths_of(paths) - 1]).astype(np.float32)
        return scores


def lengths_of(paths: IntArray) -> NDArray[np.intp]:
    """Return the number of steps of each path, shape (paths,)."""
    lengths: NDArray[np.intp] = np.count_nonzero(paths >= 0, axis=1)
    return lengths
