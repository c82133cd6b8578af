"""Trains the relation-path scorer, prints its held-out figures and writes its weights.

    HF_HUB_OFFLINE=1 python benchmarks/train_paths.py [--write]

The weights that ship are trained on the odd lines of MetaQA's files, where a question's type names
its path, and on WebQSP's train800, where the F1 of a path's ends with the answers is the weak
label. They are reported on MetaQA's even lines and WebQSP's validation questions, beside the
untrained scores and scorers of each set alone. The topic entity is found by name, never given.
That a scorer sees the words around the topic beside the whole question was chosen by two-fold
cross-validation on the odd lines. The same data give the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from data_sets import ROOT, data_folder
from numpy.typing import NDArray
from path_examples import Candidate, Example, Vocabulary, by_group, metaqa_examples, webqsp_examples
from torch import Tensor, nn

from hoptrail.core.embedding import FloatArray
from hoptrail.models.embedder import load_embedder
from hoptrail.models.graph_scorers import PathScorer
from hoptrail.retrievers.anchors import around_mask
from hoptrail.retrievers.relation_path import path_text, predicate_text

WEIGHTS = ROOT / "src/hoptrail/models/weights/path_scorer.npz"
EMBEDDER = "all-MiniLM-L6-v2"
HOPS = 3
RANK = 48
EPOCHS = 22
BATCH = 50
RATE = 3e-3
DECAY = 0.1
DROPOUT = 0.15
SEED = 42
SMALLEST = 1e-9

Scores = Callable[[Sequence[Candidate]], NDArray[np.float32]]


class Model(nn.Module):
    """`PathScorer` with gradients."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.question = nn.Parameter(torch.randn(HOPS, 2, RANK, 2 * dim) * 0.05)
        self.predicate = nn.Parameter(torch.randn(RANK, dim) * 0.05)
        self.length = nn.Parameter(torch.zeros(HOPS, 2 * dim))
        self.bias = nn.Parameter(torch.zeros(HOPS, 2))
        self.similarity = nn.Parameter(torch.full((HOPS, 2), 0.5))

    def forward(self, questions: Tensor, predicates: Tensor, rows: Tensor, steps: Tensor) -> Tensor:
        """Return the scores of paths.

        Args:
            questions: Vectors, shape (q, 2, dim).
            predicates: Vectors, shape (p, dim).
            rows: Question of each path, shape (n,).
            steps: Steps of each path, -1 after its end, shape (n, HOPS).
        """
        whole = questions.flatten(1)
        mapped = torch.einsum("hdrk,qk->qhdr", self.question, whole)
        table = torch.einsum("qhdr,pr->qhdp", mapped, predicates @ self.predicate.T)
        table = table + self.bias[None, :, :, None]
        similar = torch.einsum("hv,qvp->qhp", self.similarity, questions @ predicates.T)
        table = table + similar[:, :, None, :]
        total = (whole @ self.length.T)[rows, (steps >= 0).sum(dim=1) - 1]
        for place in range(HOPS):
            exists = steps[:, place] >= 0
            step = steps[:, place].clamp(min=0)
            total = total + exists * table[rows, place, step & 1, step >> 1]
        return total

    def export(self) -> PathScorer:
        """Return the scorer as it ships: half precision."""
        half = {
            name: getattr(self, name).detach().numpy().astype(np.float16)
            for name in ("question", "predicate", "length")
        }
        return PathScorer(
            half["question"],
            half["predicate"],
            half["length"],
            self.bias.detach().numpy().astype(np.float32),
            self.similarity.detach().numpy().astype(np.float32),
            np.array(EMBEDDER),
        )


def main() -> None:
    """Print the figures; with `--write`, replace the weights in the package."""
    parser = argparse.ArgumentParser(description="Train the relation-path scorer.")
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    arguments = parser.parse_args()
    data = data_folder()
    torch.set_num_threads(1)
    questions, names = Vocabulary(), Vocabulary()
    metaqa = metaqa_examples(data, questions, names)
    train800 = webqsp_examples(data, "train800", questions, names)
    validation = webqsp_examples(data, "validation", questions, names)
    embedder = load_embedder(EMBEDDER)
    around = [around_mask(text) for text in questions.numbers]
    asked = np.stack([embedder.embed(list(questions.numbers)), embedder.embed(around)], axis=1)
    told = embedder.embed([predicate_text(name) for name in names.numbers])
    reported = [example for example in metaqa if example.line % 2 == 0] + validation

    odd = [example for example in metaqa if example.line % 2]
    shipped = train(odd * 2 + train800, asked, told).export()
    if arguments.write:
        shipped.save(WEIGHTS)
    report("trained on both, MetaQA twice", reported, by_scorer(shipped, asked, told))
    for title, examples in {"the odd lines of MetaQA": odd, "WebQSP train800": train800}.items():
        scorer = train(examples, asked, told).export()
        report(f"trained on {title} alone", reported, by_scorer(scorer, asked, told))
    report("untrained", reported, by_text(asked[:, 0], list(names.numbers)))


def by_text(asked: FloatArray, names: Sequence[str]) -> Scores:
    """Return the untrained scores: the similarity of a path's text and the question."""
    embedder = load_embedder(EMBEDDER)
    known: dict[str, FloatArray] = {}

    def scores(candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        texts = [path_text([names[step >> 1] for step in c.steps]) for c in candidates]
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, embedder.embed(missing), strict=True))
        vectors = np.stack([known[text] for text in texts])
        return (vectors * asked[[c.question for c in candidates]]).sum(axis=1)

    return scores


def by_scorer(scorer: PathScorer, asked: FloatArray, told: FloatArray) -> Scores:
    """Return the scores that a trained scorer gives."""

    def scores(candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        found = np.empty(len(candidates), dtype=np.float32)
        owners = np.array([c.question for c in candidates])
        for owner in np.unique(owners).tolist():
            rows = np.flatnonzero(owners == owner)
            steps = [candidates[row].steps for row in rows.tolist()]
            longest = max(map(len, steps))
            paths = np.array([path + (-1,) * (longest - len(path)) for path in steps], np.int32)
            found[rows] = scorer.scores(asked[owner], told, paths)
        return found

    return scores


@dataclass(frozen=True)
class Rows:
    """Candidates as tensors, one row each: question, steps (-1 after the end), gain, example."""

    questions: Tensor
    steps: Tensor
    gains: Tensor
    examples: Tensor

    @classmethod
    def of(cls, candidates: Sequence[Candidate], place: Mapping[int, int]) -> Rows:
        """Return the rows of one example, its predicates renumbered, its best gain 1."""
        best = max(c.gain for c in candidates)
        steps = [
            [place[step >> 1] << 1 | step & 1 for step in c.steps] + [-1] * (HOPS - len(c.steps))
            for c in candidates
        ]
        gains = [c.gain / best if c.gain >= best / 2 else 0.0 for c in candidates]
        return cls(
            torch.tensor([c.question for c in candidates]),
            torch.tensor(steps),
            torch.tensor(gains),
            torch.zeros(len(candidates), dtype=torch.long),
        )

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """Return the rows of several examples, numbered in order."""
        numbers = [torch.full_like(part.examples, n) for n, part in enumerate(parts)]
        return cls(
            torch.cat([part.questions for part in parts]),
            torch.cat([part.steps for part in parts]),
            torch.cat([part.gains for part in parts]),
            torch.cat(numbers),
        )


def train(examples: Sequence[Example], asked: FloatArray, told: FloatArray) -> Model:
    """Return the model that gives most probability to the paths of most gain."""
    torch.manual_seed(SEED)
    order = np.random.default_rng(SEED)
    usable = [e.candidates for e in examples if any(c.gain > 0 for c in e.candidates)]
    used = sorted({step >> 1 for candidates in usable for c in candidates for step in c.steps})
    place = {number: row for row, number in enumerate(used)}
    parts = [Rows.of(candidates, place) for candidates in usable]
    questions, predicates = torch.from_numpy(asked), torch.from_numpy(told[used])
    model = Model(asked.shape[2])
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    drop = nn.Dropout(DROPOUT)
    for _ in range(EPOCHS):
        for batch in np.array_split(order.permutation(len(parts)), -(-len(parts) // BATCH)):
            rows = Rows.joined([parts[number] for number in batch.tolist()])
            owners, places = torch.unique(rows.questions, return_inverse=True)
            scores = model(drop(questions[owners]), predicates, places, rows.steps)
            loss = _loss(scores, rows, len(batch))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


def _loss(scores: Tensor, rows: Rows, examples: int) -> Tensor:
    """Return the mean over examples of minus the log of the expected gain."""
    tops = torch.full((examples,), -torch.inf)
    tops = tops.scatter_reduce(0, rows.examples, scores.detach(), "amax")
    weights = torch.exp(scores - tops[rows.examples])
    total = torch.zeros(examples).index_add(0, rows.examples, weights)
    gained = torch.zeros(examples).index_add(0, rows.examples, weights * rows.gains)
    return (total.log() - (gained + SMALLEST).log()).mean()


def report(title: str, examples: Sequence[Example], scores: Scores) -> None:
    """Print the share of questions whose best path starts with an answer, or holds one."""
    print(title)
    for group, members in by_group(examples).items():
        best = [
            example.candidates[int(scores(example.candidates).argmax())]
            for example in members
            if example.candidates
        ]
        hits, covers = (sum(getattr(c, name) for c in best) for name in ("hit", "covers"))
        possible = sum(any(c.covers for c in example.candidates) for example in members)
        print(
            f"  {group}: Hits@1 {hits / len(members):.3f}, answer in the end set "
            f"{covers / len(members):.3f}, in any {possible / len(members):.3f} ({len(members)})",
            flush=True,
        )


if __name__ == "__main__":
    main()
