"""Trains the edge scorer, prints its held-out figures and writes its weights.

    HF_HUB_OFFLINE=1 python benchmarks/train_edges.py [--vectors FILE] [--write]

It is trained on WebQSP's train800, each question with its own graph, so that the edges at an answer
get most probability. Every choice was made on a quarter of train800 held out, which is printed
first; the weights that ship are trained on all of it and reported on the validation questions: the
share of questions that have an answer at an end of one of so many best edges. Topics are found by
the system, never given.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from data_sets import ROOT, data_folder
from edge_examples import Example, HalfArray, edge_examples
from torch import Tensor, nn

from hoptrail.models.embedder import load_embedder
from hoptrail.models.graph_scorers import EdgeScorer
from hoptrail.stores.records.stored_embedders import SharedEmbeddings

WEIGHTS = ROOT / "src/hoptrail/models/weights/edge_scorer.npz"
EMBEDDER = "all-MiniLM-L6-v2"
HOPS = 3
RANK = 32
HIDDEN = 8
TOPIC_FEATURES = 9
NODE_FEATURES = 4
EPOCHS = 9
BATCH = 20
RATE = 3e-3
DECAY = 0.1
DROPOUT = 0.15
SEED = 42
HELD_OUT = 4
NOWHERE = -1e4
SMALLEST = 1e-9
SIZES = (10, 30, 60, 100)


class Model(nn.Module):
    """`EdgeScorer` with gradients."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.question = nn.Parameter(torch.randn(HOPS, 2, RANK, dim) * 0.05)
        self.predicate = nn.Parameter(torch.randn(RANK, dim) * 0.05)
        self.length = nn.Parameter(torch.zeros(HOPS, dim))
        self.bias = nn.Parameter(torch.zeros(HOPS, 2))
        self.length_bias = nn.Parameter(torch.zeros(HOPS))
        self.similarity = nn.Parameter(torch.full((), 3.0))
        self.topic_hidden = nn.Linear(TOPIC_FEATURES, HIDDEN)
        self.topic_out = nn.Parameter(torch.randn(HIDDEN) * 0.3)
        self.node = nn.Parameter(torch.zeros(NODE_FEATURES))

    def forward(self, batch: Batch, drop: nn.Module) -> Tensor:
        """Return the scores of the batch's edges, as `EdgeScorer.edge_scores` does."""
        masked = drop(batch.masked)
        latent = batch.predicates @ self.predicate.T
        table = torch.einsum("hdrk,qk->qhdr", self.question, masked) @ latent.T
        table = table + self.bias[None, :, :, None]
        table = table + self.similarity * (masked @ batch.predicates.T)[:, None, None, :]
        lengths = masked @ self.length.T + self.length_bias
        topics = torch.tanh(self.topic_hidden(batch.topic_features)) @ self.topic_out
        reached = torch.full((len(batch.nodes),), NOWHERE).scatter(0, batch.topics, topics)
        leaves = torch.cat([batch.source, batch.target])
        enters = torch.cat([batch.target, batch.source])
        owner, predicate = batch.owner.repeat(2), batch.predicate.repeat(2)
        backwards = torch.arange(2).repeat_interleave(len(batch.source))
        best = torch.full((len(leaves),), 2 * NOWHERE)
        for step in range(HOPS):
            walks = reached[leaves] + table[owner, step, backwards, predicate]
            best = torch.maximum(best, walks + lengths[owner, step])
            nowhere = torch.full((len(batch.nodes),), NOWHERE)
            reached = nowhere.scatter_reduce(0, enters, walks, "amax")
        return (best + (batch.nodes @ self.node)[enters]).view(2, -1).amax(dim=0)

    def export(self) -> EdgeScorer:
        """Return the scorer as it ships, its large matrices in half precision."""
        arrays = {name: value.detach().numpy() for name, value in self.named_parameters()}
        hidden, constant = arrays["topic_hidden.weight"], arrays["topic_hidden.bias"]
        return EdgeScorer(
            arrays["question"].astype(np.float16),
            arrays["predicate"].astype(np.float16),
            arrays["length"].astype(np.float16),
            arrays["bias"],
            arrays["length_bias"],
            arrays["similarity"],
            np.hstack([hidden, constant[:, None]]),
            arrays["topic_out"],
            arrays["node"],
            np.array(EMBEDDER),
        )


@dataclass(frozen=True)
class Batch:
    """Several questions with their graphs side by side; the fields are those of `WalkedGraph`.

    `owner` is the question of each edge; `is_gold` says whether an answer is at it.
    """

    masked: Tensor
    source: Tensor
    target: Tensor
    predicate: Tensor
    predicates: Tensor
    nodes: Tensor
    topics: Tensor
    topic_features: Tensor
    owner: Tensor
    is_gold: Tensor

    @classmethod
    def of(cls, examples: Sequence[Example], vectors: HalfArray) -> Batch:
        """Return the examples as one graph of as many parts."""
        graphs = [example.walked(vectors) for example in examples]
        sizes = [len(graph.nodes) for graph in graphs]
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        used, predicate = np.unique(
            np.concatenate([example.predicate for example in examples]), return_inverse=True
        )

        def joined(name: str, offsets: Sequence[int] | None = None) -> Tensor:
            parts = [getattr(graph, name) for graph in graphs]
            if offsets is not None:
                parts = [part + offset for part, offset in zip(parts, offsets, strict=True)]
            return torch.from_numpy(np.concatenate(parts))

        edges = [len(example.source) for example in examples]
        places = np.arange(len(examples))
        return cls(
            masked=_rows(vectors, [example.masked for example in examples]),
            source=joined("source", first.tolist()).long(),
            target=joined("target", first.tolist()).long(),
            predicate=torch.from_numpy(predicate),
            predicates=_rows(vectors, used.tolist()),
            nodes=joined("nodes"),
            topics=joined("topics", first.tolist()).long(),
            topic_features=joined("topic_features"),
            owner=torch.from_numpy(np.repeat(places, edges)),
            is_gold=torch.from_numpy(np.concatenate([e.is_gold for e in examples])).float(),
        )


def main() -> None:
    """Print the figures; with `--write`, replace the weights in the package."""
    parser = argparse.ArgumentParser(description="Train the edge scorer.")
    parser.add_argument("--vectors", type=Path, help="file that keeps vectors for the next time")
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    arguments = parser.parse_args()
    data = data_folder()
    torch.set_num_threads(1)
    embedder = load_embedder(EMBEDDER)
    if arguments.vectors:
        embedder = SharedEmbeddings(embedder, arguments.vectors)
    examples, vectors = edge_examples(data, ("train800", "validation"), embedder)
    learned = examples["train800"]
    kept = [example for n, example in enumerate(learned) if n % HELD_OUT]
    report(
        "three quarters of train800, the fourth", train(kept, vectors), learned[::HELD_OUT], vectors
    )
    scorer = train(learned, vectors)
    report("train800, validation", scorer, examples["validation"], vectors)
    if arguments.write:
        scorer.save(WEIGHTS)


def train(examples: Sequence[Example], vectors: HalfArray) -> EdgeScorer:
    """Return the scorer that gives most probability to the edges at answers."""
    torch.manual_seed(SEED)
    order = np.random.default_rng(SEED)
    usable = [example for example in examples if example.is_gold.any()]
    model, drop = Model(vectors.shape[1]), nn.Dropout(DROPOUT)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    for _ in range(EPOCHS):
        for batch in _batches(usable, order, vectors):
            loss = _loss(model(batch, drop), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.export()


def report(title: str, scorer: EdgeScorer, examples: Sequence[Example], vectors: HalfArray) -> None:
    """Print how often an answer is at one of the best edges, of all questions."""
    ranks = [_first_gold(scorer, example, vectors) for example in examples]
    shares = ", ".join(f"{size} edges {np.mean(np.array(ranks) < size):.3f}" for size in SIZES)
    possible = np.mean([example.is_gold.any() for example in examples])
    print(f"trained on {title}: {shares}, any {possible:.3f} ({len(examples)})", flush=True)


def _first_gold(scorer: EdgeScorer, example: Example, vectors: HalfArray) -> float:
    masked = vectors[example.masked].astype(np.float32)
    scores = scorer.edge_scores(masked, example.walked(vectors)).scores
    places = np.flatnonzero(example.is_gold[np.argsort(-scores, kind="stable")])
    return float(places[0]) if len(places) else np.inf


def _batches(
    examples: Sequence[Example], order: np.random.Generator, vectors: HalfArray
) -> Iterator[Batch]:
    for numbers in np.array_split(order.permutation(len(examples)), -(-len(examples) // BATCH)):
        yield Batch.of([examples[number] for number in numbers.tolist()], vectors)


def _loss(scores: Tensor, batch: Batch) -> Tensor:
    """Return the mean over questions of minus the log of the probability of the gold edges."""
    count = len(batch.masked)
    tops = torch.full((count,), -torch.inf)
    tops = tops.scatter_reduce(0, batch.owner, scores.detach(), "amax")
    weights = torch.exp(scores - tops[batch.owner])
    total = torch.zeros(count).index_add(0, batch.owner, weights)
    gold = torch.zeros(count).index_add(0, batch.owner, weights * batch.is_gold)
    return (total.log() - (gold + SMALLEST).log()).mean()


def _rows(vectors: HalfArray, numbers: Sequence[int]) -> Tensor:
    return torch.from_numpy(vectors[list(numbers)].astype(np.float32))


if __name__ == "__main__":
    main()
