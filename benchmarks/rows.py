"""Rows of questions that were asked: read from JSON Lines, judged, counted and written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from hoptrail.core.text import normalize_answer
from hoptrail.core.types import Answer, JsonDict
from hoptrail.eval.figures.summary import VERDICTS


def read_rows(path: Path) -> list[JsonDict]:
    """Return the rows of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_rows(path: Path, rows: Iterable[JsonDict]) -> None:
    """Write rows as JSON Lines."""
    told = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(told, encoding="utf-8")


def kept_rows(path: Path | None, made: Iterable[JsonDict]) -> list[JsonDict]:
    """Return the rows of a file; where there is none, those that are made, which it then holds."""
    if path is not None and path.exists():
        return read_rows(path)
    rows = list(made)
    if path is not None:
        write_rows(path, rows)
    return rows


def is_one_of(text: str, accepted: Iterable[str]) -> bool:
    """Return whether an answer is one of the accepted ones."""
    return normalize_answer(text) in map(normalize_answer, accepted)


def verdict_on(answer: Answer, *, is_right: bool) -> str:
    """Return "abstained", or whether the answer is right and given with reserve: "wrong plain"."""
    if answer.abstained:
        return "abstained"
    return f"{'right' if is_right else 'wrong'} {'perhaps' if answer.perhaps else 'plain'}"


def counted(rows: Iterable[JsonDict], order: Sequence[str] = VERDICTS) -> str:
    """Return how many rows have each verdict, as "3 right plain, 1 abstained"."""
    counts = Counter(row["verdict"] for row in rows)
    return ", ".join(f"{counts[name]} {name}" for name in order)
