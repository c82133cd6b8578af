"""The texts that the static model of the packaged embedder learns from.

Names, statements and sentences of news, books and a medical text, and names and triples of
Freebase. They are taken by the expressions below alone, not by what Hoptrail reads in documents,
and a text is drawn by its own digest: so the same files give the same texts, whatever changes in
extraction. No question is read, and none of the documents belongs to a corpus whose figures
docs/figures.md tells; of the graphs there, Freebase is WebQSP's.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

NEEDED = ("multihop_rag", "ultradomain_mix", "graphrag_bench", "webqsp")
"""The folders that the texts come from."""

TRAINED_ON = "54cdef7dc3f9afc0abc5f1bbd6ab72c123a664589cabc8cf15e9209f60c9b0d9"
"""Digest of the texts that the shipped vectors come from."""

COUNTS = {
    "name": 20_000,
    "statement": 14_000,
    "sentence": 14_000,
    "node": 20_000,
    "triple": 10_000,
}
LONGEST_DOCUMENT = 25_000  # characters of each book
LONGEST_TEXT = 600
EVERY_TRIPLE = 40
SHORTEST_SENTENCE = 20
BETWEEN = 40  # most characters between the two names of a statement

_SENTENCE_END = re.compile(r"(?<=[.!?…]) (?=[\"'“‘(\[]?[A-Z0-9])")
_CAPITAL = r"[A-Z][\w’'.&-]*[\w]"
_NAME = re.compile(
    rf"\b{_CAPITAL}(?: (?:(?:of|the|de|la|van|von|and|for) ){{0,2}}{_CAPITAL}){{0,5}}"
)


def training_texts(data: Path) -> list[str]:
    """Return all texts, each once, in the order of their digests.

    Args:
        data: The folder of the data sets.
    """
    read = [sentence for text in documents(data) for sentence in sentences_of(text)]
    nodes, triples = freebase(data / "webqsp")
    by_kind: dict[str, Iterable[str]] = {
        "name": (name for sentence in read for name in names_of(sentence)),
        "statement": (said for sentence in read for said in statements_of(sentence)),
        "sentence": read,
        "node": nodes,
        "triple": triples,
    }
    chosen = {text for kind, texts in by_kind.items() for text in drawn(texts, COUNTS[kind])}
    return sorted((text[:LONGEST_TEXT] for text in chosen), key=_digest)


def digest_of(texts: Sequence[str]) -> str:
    """Return what tells these texts from others."""
    return _digest("\n".join(texts))


def documents(data: Path) -> Iterator[str]:
    """Yield news, books and a medical text."""
    for line in (data / "multihop_rag/chunks.jsonl").open(encoding="utf-8"):
        yield json.loads(line)["text"]
    for line in (data / "ultradomain_mix/contexts.jsonl").open(encoding="utf-8"):
        yield json.loads(line)["text"][:LONGEST_DOCUMENT]
    medical = (data / "graphrag_bench/medical_corpus.txt").read_text(encoding="utf-8")
    yield medical[: 12 * LONGEST_DOCUMENT]


def sentences_of(text: str) -> list[str]:
    """Return what stands between ends of sentences, in single spaces."""
    parts = _SENTENCE_END.split(" ".join(text.split()))
    return [part for part in parts if len(part) >= SHORTEST_SENTENCE]


def names_of(sentence: str) -> list[str]:
    """Return the runs of words with a capital."""
    return [found.group() for found in _NAME.finditer(sentence)]


def statements_of(sentence: str) -> list[str]:
    """Return what is said from a name to the next one, where little stands between them."""
    spans = [found.span() for found in _NAME.finditer(sentence)]
    return [
        sentence[first:end]
        for (first, before), (after, end) in pairwise(spans)
        if any(map(str.isalpha, sentence[before:after])) and after - before <= BETWEEN
    ]


def freebase(folder: Path) -> tuple[list[str], list[str]]:
    """Return names and triples, half of them with capitals: the files have none."""
    names = _read_lines(folder / "merged_nodes.txt.gz")
    predicates = (folder / "merged_relations.txt").read_text(encoding="utf-8").splitlines()
    nodes = [name for name in names if _is_name(name)]
    triples = []
    for line in _read_lines(folder / "merged_triples.tsv.gz")[::EVERY_TRIPLE]:
        subject, predicate, target = map(int, line.split("\t"))
        if _is_name(names[subject]) and _is_name(names[target]):
            words = predicates[predicate].rpartition(".")[2].replace("_", " ")
            triples.append(f"{names[subject]} {words} {names[target]}")
    return cased(drawn(nodes, COUNTS["node"])), cased(drawn(triples, COUNTS["triple"]))


def cased(texts: Iterable[str]) -> list[str]:
    """Return the texts, half of them with capitals."""
    return [text.title() if int(_digest(text), 16) % 2 else text for text in texts]


def drawn(texts: Iterable[str], count: int) -> list[str]:
    """Return so many of the texts, or all: those of the least digests."""
    return sorted(set(texts), key=_digest)[:count]


def _is_name(node: str) -> bool:
    """Return whether a node of Freebase is named, and not by an identifier alone."""
    return not node.startswith(("m.", "g."))


def _read_lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
