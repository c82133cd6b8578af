"""Distil the static model of the packaged embedder: a vector for each token, to be added up.

The texts are those of `static_texts`. The sum of a text's token vectors is to point where the
model's own vector does, and to be as near to other texts as that one. Tokens begin as the model's
vectors of each alone, rare ones longer (Arora, Liang and Ma, "A simple but tough-to-beat baseline
for sentence embeddings", ICLR 2017); they keep the principal axes of the model's vectors, and 8
bits a coordinate.

    python benchmarks/train_static.py token_vectors.npz

One thread computes, every draw is fixed: the same versions of torch and numpy on the same kind of
processor give the bytes of the file that is shipped. Other processors round otherwise; so in the
end it is said how near to the shipped vectors the new ones are.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from data_sets import data_folder
from numpy.typing import NDArray
from static_texts import NEEDED, TRAINED_ON, digest_of, training_texts
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import embedding_bag, normalize
from transformers import AutoModel

from hoptrail.models.embedding.packaged_models import PACKAGED_MODELS
from hoptrail.models.embedding.static_embedder import TokenVectors

NAME = "all-MiniLM-L6-v2"
AXES = 256  # of 128 and 256, on the questions that setwise is trained on; 128 lose half a point
FREQUENT = 1e-3  # share of all tokens from which on one is made shorter
BATCH = 256
EPOCHS = 4
STEP = 2e-3
AXES_STEP = 1e-3
OF_SIMILARITIES = 10.0  # weight of the error of similarities among the texts of a batch
HELD_OUT = 0.08


def main() -> None:
    """Gather texts, train, report on texts held out, and write the file that is named."""
    parser = argparse.ArgumentParser(description="Distil the static model of the embedder.")
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    random.seed(5)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    texts = training_texts(data_folder(*NEEDED))
    are = "are" if digest_of(texts) == TRAINED_ON else "are NOT"
    print(f"{len(texts)} texts; they {are} those of the shipped vectors", flush=True)
    teacher = Teacher(Path(import_module(PACKAGED_MODELS[NAME].module).get_model_path()))
    tokens, axes = train(teacher, texts)
    made = quantised(tokens.numpy(), axes.numpy())
    made.save(out)
    print(difference(made, TokenVectors.shipped()))


def difference(made: TokenVectors, shipped: TokenVectors) -> str:
    """Return in words how far token vectors are from those that are shipped."""
    names = [field.name for field in fields(made)]
    if all(np.array_equal(getattr(made, name), getattr(shipped, name)) for name in names):
        return "the shipped vectors, value for value"
    one, other = (
        each.coordinates * each.lengths[:, None].astype(np.float32) @ each.axes.astype(np.float32)
        for each in (made, shipped)
    )
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    cosines = (one * other).sum(axis=1) / np.maximum(lengths, 1e-9)
    return f"not the shipped vectors: mean cosine {cosines.mean():.4f}, least {cosines.min():.4f}"


class Teacher:
    """The embedder in torch.

    Args:
        folder: The model's files.
    """

    def __init__(self, folder: Path) -> None:
        self.model: Any = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_padding()

    def embed(self, texts: Sequence[str]) -> Tensor:
        """Return the unit vectors of the texts, shape (len(texts), dim)."""
        vectors = torch.empty(len(texts), self.model.config.hidden_size)
        remaining = iter(sorted(range(len(texts)), key=lambda place: len(texts[place])))
        while batch := list(islice(remaining, BATCH)):
            encodings = self.tokenizer.encode_batch([texts[place] for place in batch])
            ids = torch.tensor([each.ids for each in encodings])
            vectors[batch] = self._means(ids, torch.tensor([e.attention_mask for e in encodings]))
        return vectors

    def embed_tokens(self) -> Tensor:
        """Return the unit vector of each token alone, shape (tokens, dim)."""
        ends = [self.tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]")]
        parts = torch.arange(self.tokenizer.get_vocab_size()).split(BATCH)
        filled = (
            torch.stack([torch.full_like(p, ends[0]), p, torch.full_like(p, ends[1])], 1)
            for p in parts
        )
        return torch.cat([self._means(ids, torch.ones_like(ids)) for ids in filled])

    def bags(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of the tokens of each text."""
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        return [e.ids for e in self.tokenizer.encode_batch(texts, add_special_tokens=False)]

    def _means(self, ids: Tensor, mask: Tensor) -> Tensor:
        with torch.inference_mode():
            states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        return normalize((states * mask[..., None]).sum(1), dim=1)


def train(teacher: Teacher, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return coordinates of each token, shape (tokens, axes), and the axes, shape (axes, dim)."""
    wanted, alone = teacher.embed(texts).clone(), teacher.embed_tokens().clone()
    bags = teacher.bags(texts)
    used = np.bincount([token for bag in bags for token in bag], minlength=len(alone))
    shorter = FREQUENT / (FREQUENT + torch.tensor(used / used.sum(), dtype=torch.float32))
    principal = torch.linalg.eigh(wanted.T @ wanted)[1].flip(1)[:, :AXES]
    principal *= principal.sum(0).sign()  # either direction is an eigenvector's
    tokens = torch.nn.Parameter(alone * shorter[:, None] @ principal)
    axes = torch.nn.Parameter(principal.T.clone())
    of_tokens = torch.optim.SparseAdam([tokens], lr=STEP)
    of_axes = torch.optim.Adam([axes], lr=AXES_STEP)
    first = round(HELD_OUT * len(texts))
    rows = [place for place in range(first, len(texts)) if bags[place]]
    steps, step = EPOCHS * math.ceil(len(rows) / BATCH), 0
    for epoch in range(EPOCHS):
        random.shuffle(rows)
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            of_tokens.param_groups[0]["lr"] = STEP * 0.5 * (1 + math.cos(math.pi * step / steps))
            step += 1
            made = summed([bags[place] for place in batch], tokens, axes)
            loss = error(made, wanted[batch])
            of_tokens.zero_grad()
            of_axes.zero_grad()
            loss.backward()
            of_tokens.step()
            of_axes.step()
        held_out = [place for place in range(first) if bags[place]]
        with torch.no_grad():
            made = summed([bags[place] for place in held_out], tokens, axes)
        cosines = (made * wanted[held_out]).sum(1)
        print(f"epoch {epoch}: mean cosine of texts held out {cosines.mean():.3f}", flush=True)
    return tokens.detach(), axes.detach()


def summed(bags: Sequence[Sequence[int]], tokens: Tensor, axes: Tensor) -> Tensor:
    """Return the unit vectors of texts, each given by its tokens."""
    offsets = torch.tensor(np.cumsum([0, *map(len, bags[:-1])]))
    flat = torch.tensor([token for bag in bags for token in bag])
    return normalize(embedding_bag(flat, tokens, offsets, mode="sum", sparse=True) @ axes, dim=1)


def error(made: Tensor, wanted: Tensor) -> Tensor:
    """Return how far vectors are from those wanted, and their similarities to these."""
    direction = (1 - (made * wanted).sum(1)).mean()
    similarities = (made @ wanted.T - wanted @ wanted.T).square().mean()
    return direction + OF_SIMILARITIES * similarities


def quantised(tokens: NDArray[np.float32], axes: NDArray[np.float32]) -> TokenVectors:
    """Return the vectors with 8 bits a coordinate."""
    lengths = np.maximum(np.abs(tokens).max(axis=1) / 127, 1e-6).astype(np.float16)
    coordinates = np.round(tokens / lengths[:, None].astype(np.float32)).clip(-127, 127)
    return TokenVectors(coordinates.astype(np.int8), lengths, axes.astype(np.float16))


if __name__ == "__main__":
    main()
