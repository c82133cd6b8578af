"""`prepare_dataset`: a public set as files that `hoptrail index` and `hoptrail eval` take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError, SettingsError, UnknownNameError
from hoptrail.core.types.record import Record
from hoptrail.eval.datasets.origin import HubOrigin, LocalOrigin
from hoptrail.eval.datasets.registry import DATASETS
from hoptrail.eval.datasets.sampling import draw
from hoptrail.eval.datasets.writing import write_dataset_files

HUB = "hub"
_RECORD = "dataset.json"


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
    record = json.dumps(prepared.to_json(), indent=2)
    (out / _RECORD).write_text(f"{record}\n", encoding="utf-8")
    return prepared


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise InputError("not a folder", path=str(out), hint="give another --out")
    if out.is_dir() and any(out.iterdir()) and not (out / _RECORD).is_file():
        raise InputError(
            "holds files that are not of a data set", path=str(out), hint="give an empty --out"
        )
