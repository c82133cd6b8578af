"""Distil the static model of the packaged embedder: a vector for each token, to be added up.

The texts are names, relations and sentences that rules read in documents, and names and triples of
Freebase; no question is read, and none of them is of a corpus that docs/figures.md reports on but
WebQSP's graph. The sum of a text's token vectors is to point where the model's own vector does, and
to be as near to other texts as that one. Tokens begin as the model's vectors of each alone, rare
ones longer (Arora, Liang and Ma, "A simple but tough-to-beat baseline for sentence embeddings",
ICLR 2017); they keep the principal axes of the model's vectors, and 8 bits a coordinate.

    python benchmarks/train_static.py token_vectors.npz

This does not give the bytes of the file that is shipped, which was trained in the same way on other
draws of such texts, as rules read them then; docs/evaluation.md says how the two compare.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from data_sets import data_folder
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import embedding_bag, normalize
from transformers import AutoModel

from hoptrail.core.text import sentences
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.embedding.packaged_models import PACKAGED_MODELS
from hoptrail.models.embedding.static_embedder import TokenVectors
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

NAME = "all-MiniLM-L6-v2"
AXES = 256  # of 128 and 256, on the questions that setwise is trained on; 128 lose half a point
COUNTS = {"name": 12_000, "relation": 7_000, "sentence": 9_000, "node": 10_000, "triple": 5_000}
LONGEST_DOCUMENT = 25_000  # characters of each long text
LONGEST_TEXT = 600
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
    teacher = Teacher(Path(import_module(PACKAGED_MODELS[NAME].module).get_model_path()))
    by_kind = {kind: drawn(texts, COUNTS[kind]) for kind, texts in gather().items()}
    texts = [text[:LONGEST_TEXT] for kind in by_kind for text in by_kind[kind]]
    random.shuffle(texts)
    tokens, axes = train(teacher, texts)
    quantised(tokens.numpy(), axes.numpy()).save(out)


def gather() -> dict[str, list[str]]:
    """Return the texts by kind, those that documents hold as rules read them."""
    names = ("multihop_rag", "ultradomain_mix", "graphrag_bench", "webqsp")
    data = data_folder(*names)
    with tempfile.TemporaryDirectory(prefix="hoptrail-") as folder:
        corpus = Path(folder, "documents.jsonl")
        corpus.write_text("\n".join(json.dumps(one) for one in documents(data)))
        with KnowledgeBase.open(Path(folder, "kb"), embedder=HashingEmbedder(), create=True) as kb:
            Indexer(kb).index([corpus], IndexOptions(extractor="nlp"))
            entities = kb.store.entities([str(id_) for id_ in kb.index.entity_ids])
            relations = kb.store.relations([str(id_) for id_ in kb.index.relation_ids])
            read = (sentence for chunk in kb.iter_chunks() for sentence in sentences(chunk.text))
            nodes, triples = freebase(data / "webqsp")
            return {
                "name": sorted({one.name for one in entities}),
                "relation": sorted({one.text for one in relations}),
                "sentence": sorted(set(read)),
                "node": nodes,
                "triple": triples,
            }


def documents(data: Path) -> Iterator[dict[str, str]]:
    """Yield news, books and a medical text."""
    for place, line in enumerate((data / "multihop_rag/chunks.jsonl").open()):
        yield {"id": f"news-{place}", "text": json.loads(line)["text"]}
    for place, line in enumerate((data / "ultradomain_mix/contexts.jsonl").open()):
        yield {"id": f"book-{place}", "text": json.loads(line)["text"][:LONGEST_DOCUMENT]}
    medical = (data / "graphrag_bench/medical_corpus.txt").read_text()
    yield {"id": "medical", "text": medical[: 12 * LONGEST_DOCUMENT]}


def freebase(folder: Path) -> tuple[list[str], list[str]]:
    """Return names and triples, half of them with capitals: the files have none."""
    names = read_lines(folder / "merged_nodes.txt.gz")
    predicates = (folder / "merged_relations.txt").read_text().splitlines()
    nodes = [name for name in names if not name.startswith(("m.", "g."))]
    triples = []
    for line in drawn(read_lines(folder / "merged_triples.tsv.gz"), 20 * COUNTS["triple"]):
        subject, predicate, target = map(int, line.split("\t"))
        if not any(names[end].startswith(("m.", "g.")) for end in (subject, target)):
            words = predicates[predicate].rpartition(".")[2].replace("_", " ")
            triples.append(f"{names[subject]} {words} {names[target]}")
    return cased(drawn(nodes, COUNTS["node"])), cased(drawn(triples, COUNTS["triple"]))


def read_lines(path: Path) -> list[str]:
    """Return the lines of a compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def cased(texts: Iterable[str]) -> list[str]:
    """Return the texts, half of them with capitals."""
    return [text.title() if random.random() < 0.5 else text for text in texts]


def drawn(texts: Sequence[str], count: int) -> list[str]:
    """Return so many of the texts, or all."""
    return random.sample(texts, min(count, len(texts)))


class Teacher:
    """The embedder in torch, in half precision: cosines with its own vectors are above .9999.

    Args:
        folder: The model's files.
    """

    def __init__(self, folder: Path) -> None:
        self.model: Any = AutoModel.from_pretrained(folder, dtype=torch.bfloat16).eval()
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
