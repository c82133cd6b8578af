"""The folder of a shard: a database of records, and a file that tells how far it is.

The database is that of a knowledge base without a graph. The file is written as a whole after each
stage, so that a shard whose run was killed is known by it, and is continued by the same command.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.told_error import ToldError
from hoptrail.core.types import Record, Usage
from hoptrail.core.whole_file import write_whole
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.report import PassagesRead, StageSeconds
from hoptrail.stores.records.database import DATABASE_NAME

_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_FOLDER = re.compile(r"shard-([0-9]{1,6})-of-([0-9]{1,6})")

STATE_NAME = "shard.json"
Stage = Literal["begun", "loaded", "stopped", "done"]
"""`loaded`: documents and vectors are there. `stopped`: all was read, but by rules what the model
was still to read. `done`: nothing is left to do."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`-th of `count` shards, counted from 1.

    A document is in one shard whatever other documents there are, so that each shard can be
    indexed on another machine and at another time.

    Raises:
        SettingsError: If there is no such shard.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise SettingsError(
                f"there is no shard {self.number}/{self.count}",
                hint="shards are counted from 1: 1/16 to 16/16",
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @property
    def folder_name(self) -> str:
        """Name of its folder beside those of the others."""
        return f"shard-{self.number}-of-{self.count}"

    def holds(self, doc_id: str) -> bool:
        """Return whether the document of this id is in it."""
        digest = sha256(doc_id.encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:8]) % self.count == self.number - 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard of a text such as `3/16`.

        Raises:
            SettingsError: If it is none.
        """
        found = _FORM.fullmatch(text)
        if found is None:
            raise SettingsError(f"{text!r} is no shard", hint="write it as 3/16: the third of 16")
        return cls(int(found[1]), int(found[2]))

    @classmethod
    def of_folder(cls, name: str) -> Shard | None:
        """Return the shard whose folder has this name, None where it is another folder."""
        found = _FOLDER.fullmatch(name)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            return None
        return cls(int(found[1]), int(found[2]))


@dataclass(frozen=True, slots=True)
class ShardState(Record):
    """How far a shard is, under which settings, and what it took.

    `settings` are those that decide what is in it: all shards of a run have the same.
    """

    number: int
    count: int
    settings: dict[str, Any]
    stage: Stage = "begun"
    documents: int = 0
    chunks: int = 0
    skipped: tuple[Skipped, ...] = ()
    read: PassagesRead = field(default_factory=PassagesRead)
    usage: Usage = field(default_factory=Usage)
    seconds: StageSeconds = field(default_factory=StageSeconds)
    notes: tuple[str, ...] = ()
    stopped_by: ToldError | None = None

    @property
    def shard(self) -> Shard:
        """Which one it is."""
        return Shard(self.number, self.count)


@dataclass(frozen=True, slots=True)
class ShardFolder:
    """The folder of one shard.

    Args:
        shard: Which one it is.
        into: The folder that all shards of the run lie in.
    """

    shard: Shard
    into: Path

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.into / self.shard.folder_name

    def state(self) -> ShardState | None:
        """Return how far it is, None where nobody has begun it.

        Raises:
            InputError: If its file is damaged.
        """
        file = self.path / STATE_NAME
        try:
            return ShardState.from_json(json.loads(file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, InputError) as error:
            raise InputError(
                f"{file} is damaged", hint=f"remove the folder {self.path} and run the shard again"
            ) from error

    def write(self, state: ShardState) -> None:
        """Record how far it is."""
        write_whole(self.path / STATE_NAME, json.dumps(state.to_json(), ensure_ascii=False))

    def check(self, state: ShardState) -> None:
        """Make sure that its database holds what its state tells.

        Raises:
            InputError: If it was cut or lost.
        """
        problem = self._problem(state)
        if problem is not None:
            raise InputError(
                f"shard {self.shard} in {self.path} is damaged: {problem}",
                hint="remove this folder and run the shard again",
            )

    def _problem(self, state: ShardState) -> str | None:
        database = self.path / DATABASE_NAME
        if not database.is_file():
            return f"it has no {DATABASE_NAME}"
        try:
            address = f"{database.absolute().as_uri()}?mode=ro&immutable=1"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
                if found != "ok":
                    return " ".join(str(found).split())
                for table, told in (("documents", state.documents), ("chunks", state.chunks)):
                    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
                    if count != told:
                        return f"it holds {count:,} {table}, not {told:,}"
        except sqlite3.DatabaseError as error:
            return str(error)
        return None


def check_settings(state: ShardState, wanted: Mapping[str, Any]) -> None:
    """Make sure that a shard was made with the settings of this run.

    Raises:
        InputError: If it was not; names what differs.
    """
    differing = [
        f"{name} {_told(state.settings.get(name))}, not {_told(wanted.get(name))}"
        for name in sorted({*wanted, *state.settings})
        if state.settings.get(name) != wanted.get(name)
    ]
    if differing:
        raise InputError(
            f"shard {state.shard} was made with {'; '.join(differing)}",
            hint="name another folder, or remove the shards in this one",
        )


def _told(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
