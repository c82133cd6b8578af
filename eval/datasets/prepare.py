"""`prepare_dataset`: a public set as files that `hoptrail index` and `hoptrail eval` take."""

from __future__ import annotations

import gzip
import heapq
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path

from hoptrail.core.errors import InputError, SettingsError, UnknownNameError
from hoptrail.core.types import JsonDict
from hoptrail.core.types.record import Record
from hoptrail.eval.datasets.origin import (
    Example,
    HubOrigin,
    LocalOrigin,
    Origin,
    Passage,
    PublicSet,
)
from hoptrail.eval.datasets.public_sets import (
    read_hotpotqa,
    read_metaqa,
    read_multihop_rag,
    read_musique,
    read_rog,
    read_two_wiki,
)
from hoptrail.eval.json_files import json_line, write_object
from hoptrail.eval.questions.question import passage_key

HUB = "hub"
_RECORD = "dataset.json"

QUESTIONS_FILE = "questions.jsonl"
CORPUS_FILE = "corpus.jsonl"
GRAPHS_FILE = "graphs.jsonl.gz"
TRIPLES_FILE = "triples.txt"

DATASETS: dict[str, Callable[[Origin], PublicSet]] = {
    "hotpotqa": read_hotpotqa,
    "musique": read_musique,
    "2wiki": read_two_wiki,
    "metaqa": read_metaqa,
    "webqsp": read_rog("RoG-webqsp"),
    "cwq": read_rog("RoG-cwq"),
    "multihop_rag": read_multihop_rag,
}


@dataclass(frozen=True, slots=True)
class Prepared(Record):
    """How a set was made: its choices, the lines of each file, and the questions left out.

    A question without an answer to score against is left out.
    """

    name: str
    split: str
    sample: int
    seed: int
    files: dict[str, int]
    left_out: int


def prepare_dataset(
    name: str,
    source: str | Path,
    out: Path,
    *,
    split: str = "dev",
    sample: int = 500,
    seed: int = 42,
) -> Prepared:
    """Draw questions of a public set and write them with one corpus for all of them.

    `out` gets `questions.jsonl`; `corpus.jsonl` where the set has text, the paragraphs of all drawn
    questions, each once; `graphs.jsonl.gz` where every question has a graph; `triples.txt` where
    all share one; and `dataset.json`, which tells how they were made. The same arguments give the
    same files, whatever the order of the questions in the source.

    Args:
        name: One of `DATASETS`.
        source: Folder or file as the authors publish it, or `hub` for the Hugging Face hub.
        out: Folder to write to: new, empty or written by this function before.
        split: Split as the authors call it.
        sample: Questions to draw; 0 for all.
        seed: Seed of the draw.

    Raises:
        UnknownNameError: If there is no such set.
        SettingsError: If `sample` is negative.
        InputError: If the source cannot be used, or `out` holds something else.
        MissingExtraError: If the hub or a Parquet file needs `hoptrail[datasets]`.
    """
    if name not in DATASETS:
        raise UnknownNameError("data set", name, DATASETS)
    if sample < 0:
        raise SettingsError(f"a sample of {sample} questions", hint="0 draws all of them")
    _check_folder(out)
    origin = HubOrigin(split) if source == HUB else LocalOrigin(Path(source), split)
    contents = DATASETS[name](origin)
    drawn = draw(contents.examples, sample, seed)
    if not drawn.examples:
        raise InputError(
            f"no question of the split {split!r} has an answer",
            path=str(source),
            hint="test splits are published without answers: choose another --split",
        )
    out.mkdir(parents=True, exist_ok=True)
    files = write_dataset_files(out, contents, drawn.examples)
    prepared = Prepared(name, split, sample, seed, files, drawn.left_out)
    write_object(out / _RECORD, prepared.to_json())
    return prepared


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise InputError("not a folder", path=str(out), hint="give another --out")
    if out.is_dir() and any(out.iterdir()) and not (out / _RECORD).is_file():
        raise InputError(
            "holds files that are not of a data set", path=str(out), hint="give an empty --out"
        )


@dataclass(frozen=True, slots=True)
class Draw:
    """The drawn examples in the order of their ids, and how many could not be drawn."""

    examples: tuple[Example, ...]
    left_out: int


def draw(examples: Iterable[Example | None], size: int, seed: int) -> Draw:
    """Draw examples without replacement; memory grows with `size`, not with the set.

    Every id has its lot, a hash of seed and id, and the lowest lots win. So a larger draw with
    the same seed holds the smaller one.

    Args:
        examples: A whole set; None stands for a question that cannot be scored.
        size: How many to draw; 0 for all.
        seed: Another seed gives other lots.

    Raises:
        InputError: If two examples have one id.
    """
    unusable = 0

    def usable() -> Iterator[Example]:
        nonlocal unusable
        seen: set[str] = set()
        for example in examples:
            if example is None:
                unusable += 1
                continue
            if _id(example) in seen:
                raise InputError(f"two questions have the id {_id(example)!r}")
            seen.add(_id(example))
            yield example

    def lot(example: Example) -> str:
        return sha256(f"{seed}/{_id(example)}".encode()).hexdigest()

    drawn = heapq.nsmallest(size, usable(), key=lot) if size else list(usable())
    return Draw(tuple(sorted(drawn, key=_id)), unusable)


def _id(example: Example) -> str:
    name: str = example.question["id"]
    return name


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
        CORPUS_FILE: map(json_line, _corpus(chain(contents.passages, pooled))),
        TRIPLES_FILE: ("|".join(triple) + "\n" for triple in contents.triples),
        GRAPHS_FILE: (json_line(_graph(example)) for example in examples if has_graphs),
        QUESTIONS_FILE: (json_line(example.question) for example in examples),
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
