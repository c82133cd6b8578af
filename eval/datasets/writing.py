"""Writes a drawn set in the formats of docs/evaluation.md."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path

from hoptrail.core.types import JsonDict
from hoptrail.eval.datasets.example import Example, Passage, PublicSet
from hoptrail.eval.questions.gold import passage_key

QUESTIONS_FILE = "questions.jsonl"
CORPUS_FILE = "corpus.jsonl"
GRAPHS_FILE = "graphs.jsonl.gz"
TRIPLES_FILE = "triples.txt"


def write_dataset_files(
    folder: Path, contents: PublicSet, examples: Sequence[Example]
) -> dict[str, int]:
    """Write the files of a set, and return how many lines each has; a file without any is removed.

    Args:
        folder: Existing folder.
        contents: Gives the passages and triples of the whole set.
        examples: The drawn questions.
    """
    has_graphs = any(example.graph for example in examples)
    pooled = (passage for example in examples for passage in example.passages)
    lines: dict[str, Iterable[str]] = {
        CORPUS_FILE: map(_line, _corpus(chain(contents.passages, pooled))),
        TRIPLES_FILE: ("|".join(triple) + "\n" for triple in contents.triples),
        GRAPHS_FILE: (_line(_graph(example)) for example in examples if has_graphs),
        QUESTIONS_FILE: (_line(example.question) for example in examples),
    }
    counts = {name: _write(folder / name, texts) for name, texts in lines.items()}
    return {name: count for name, count in counts.items() if count}


def _write(path: Path, lines: Iterable[str]) -> int:
    count = 0
    with path.open("wb") as raw:
        # Without a time of its own the same lines give the same file.
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else None
        with io.TextIOWrapper(packed or raw, encoding="utf-8", errors="replace") as stream:
            for line in lines:
                stream.write(line)
                count += 1
    if not count:
        path.unlink()
    return count


def _line(row: JsonDict) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _corpus(passages: Iterable[Passage]) -> Iterator[JsonDict]:
    """Yield every passage once, under an id that it has in every draw."""
    seen: set[tuple[str, str]] = set()
    for title, text in passages:
        key = passage_key(title, text)
        if text.strip() and key not in seen:
            seen.add(key)
            digest = sha256("\0".join(key).encode(errors="replace")).hexdigest()
            yield {"id": digest[:16], "title": title, "text": text}


def _graph(example: Example) -> JsonDict:
    """Return the graph of a question with its nodes numbered in the order they come."""
    numbers: dict[str, int] = {}
    edges = [
        [numbers.setdefault(head, len(numbers)), predicate, numbers.setdefault(tail, len(numbers))]
        for head, predicate, tail in example.graph
    ]
    return {"index": example.question["id"], "nodes": list(numbers), "edges": edges}
