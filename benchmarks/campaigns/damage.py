"""Files of a base cut short, or with flipped bits: a plain error, or the answers of before.

What `hoptrail repair` then makes of it has no text that was not indexed, and a backup brings all
back.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from io import StringIO
from pathlib import Path
from typing import Any

from benchmarks.campaigns.fuzz import write_table
from benchmarks.campaigns.trials import Kind, kept_folder, load_heavy, people
from hoptrail.api import Hoptrail
from hoptrail.core.errors import HoptrailError
from hoptrail.core.settings import Settings
from hoptrail.core.types import JsonDict
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.records.database import DATABASE_NAME

_SETTINGS = Settings(embedder="hashing")
_QUESTIONS = ("Who met Person P5?", "What is the price of Hall A?")
_EXPORT = 5  # its place in what `told_by` returns
_VOLATILE = ("usage", "seconds", "thread", "id", "message_id")


@dataclass(frozen=True)
class Sound:
    """A base that is whole, its backup, and what it tells."""

    folder: Path
    backup: Path
    told: Any


@cache
def sound() -> Sound:
    """Return a base with reports, a conversation and feedback."""
    load_heavy()
    kept = kept_folder()
    with Hoptrail.open(kept / "kb", create=True, settings=_SETTINGS) as hoptrail:
        hoptrail.index([*people(24), write_table(kept)], extractor="nlp")
        hoptrail.communities(extractive=True)
        answer = hoptrail.ask(_QUESTIONS[0], preset="offline", thread_id="one")
        hoptrail.feedback(answer, "good", comment="right", thread_id="one")
        hoptrail.backup(kept / "backup.zip")
    return Sound(kept / "kb", kept / "backup.zip", told_by(kept / "kb"))


def told_by(folder: Path) -> Any:
    """Return all that a base tells: answers, passages, reports, its threads, its export."""
    with Hoptrail.open(folder, settings=_SETTINGS) as hoptrail:
        answers = [
            _lasting(hoptrail.ask(one, preset=preset).to_json())
            for one in _QUESTIONS
            for preset in ("offline", "tables")
        ]
        kb = hoptrail.knowledge_base
        found = [
            make_retriever(name, kb).retrieve(_QUESTIONS[0]).to_json() for name in ("ket", "ppr")
        ]
        export = StringIO()
        kb.export(export, "jsonl")
        return [
            *answers,
            found,
            export.getvalue(),
            kb.info(documents=True),
            [one.title for one in hoptrail.reports()],
            [str(one) for one in hoptrail.threads()],
            hoptrail.feedback_counts(),
        ]


def _lasting(value: Any) -> Any:
    """Return an answer without what differs from one time to the next."""
    if isinstance(value, dict):
        return {name: _lasting(one) for name, one in value.items() if name not in _VOLATILE}
    return [_lasting(one) for one in value] if isinstance(value, list) else value


def cut(data: bytes, chance: random.Random) -> bytes:
    """Return the beginning of a file."""
    return data[: chance.choice((0, chance.randrange(len(data)), len(data) // 512 * 256))]


def flip(data: bytes, chance: random.Random) -> bytes:
    """Return a file in which one to twelve bits, or a sector, are others."""
    changed = bytearray(data)
    if chance.random() < 0.2:
        place = chance.randrange(len(changed)) // 512 * 512
        length = len(changed[place : place + 512])
        changed[place : place + length] = chance.choice((bytes(length), chance.randbytes(length)))
    for _ in range(chance.choice((1, 1, 3, 12))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _damage(
    pattern: str, change: Callable[[bytes, random.Random], bytes], seed: int, folder: Path
) -> int:
    """Damage one file of a base, look at the base, and bring it back."""
    whole, chance = sound(), random.Random(seed)
    copy = folder / "kb"
    shutil.copytree(whole.folder, copy)
    path = chance.choice(sorted(path for path in copy.glob(pattern) if path.is_file()))
    before = path.read_bytes()
    if not before:
        return 0
    after = change(before, chance)
    if not after and pattern in _MADE_EMPTY:
        return 0
    path.write_bytes(after)
    try:
        told = told_by(copy)
    except HoptrailError as error:
        assert len(str(error).splitlines()) == 1 and error.hint, str(error)
        assert "cache" not in pattern, f"arrays are built anew, but {path.name}: {error}"
        _repair(copy)
        _bring_back(folder)
        return 1
    assert _same(told, whole.told), f"{path.name}: told something else without a word"
    return 1


def _repair(copy: Path) -> None:
    """Repair a base, and look whether each document and passage that it has is one of before."""
    try:
        Hoptrail.repair(copy, settings=_SETTINGS)
    except HoptrailError as error:
        assert len(str(error).splitlines()) == 1 and error.hint, str(error)
        return
    told, whole = told_by(copy), sound().told
    assert _texts(told) <= _texts(whole), "a repaired base has a text that was never indexed"
    assert not Hoptrail.repair(copy, settings=_SETTINGS)["faults"], "repaired, but not whole"


def _texts(told: list[Any]) -> set[str]:
    """Return the lines of documents and passages in an export."""
    kinds = ('{"kind": "document"', '{"kind": "chunk"')
    return {line for line in told[_EXPORT].splitlines() if line.startswith(kinds)}


def _bring_back(folder: Path) -> None:
    Hoptrail.restore(sound().backup, folder / "restored")
    assert _same(told_by(folder / "restored"), sound().told), "the backup differs"


def _same(told: Any, wanted: Any) -> bool:
    return _named_alike(told) == _named_alike(wanted)


def _named_alike(told: list[Any]) -> str:
    named: JsonDict = {"told": told}
    return json.dumps(named, default=str).replace('"restored"', '"kb"')


_PLACES = {
    "arrays": "cache/*/*",
    "database": DATABASE_NAME,
    "threads": "threads.sqlite",
    "feedback": "feedback.sqlite",
}
# SQLite makes its file before it writes to it: one that is empty was never written to.
_MADE_EMPTY = ("threads.sqlite", "feedback.sqlite")
KINDS = [
    Kind(f"{name}-{how}", partial(_damage, pattern, change), limit=900)
    for name, pattern in _PLACES.items()
    for how, change in (("cut", cut), ("flipped", flip))
]
