from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.stores.records.database import DATABASE_NAME, Database

_ROWS = 400


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A base with room of deleted rows before the others."""
    monkeypatch.setattr("hoptrail.stores.records.database._LEAST_FREE", 4)
    database = Database(tmp_path, writable=True, create=True)
    with database.write() as connection:
        rows = [(number, "word " * 400) for number in range(_ROWS)]
        connection.executemany("INSERT INTO told VALUES (?, ?)", rows)
        connection.execute("DELETE FROM told WHERE id < ?", (_ROWS // 2,))
    yield database
    database.close()


def test_room_is_given_back_without_waiting_for_a_reader(base: Database) -> None:
    with base.read() as connection:
        connection.execute("SELECT count(*) FROM told").fetchone()
        begin = time.monotonic()
        base.compact()
        assert time.monotonic() - begin < 10
    with base.read() as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)


def test_damage_that_is_found_when_room_is_given_back_is_a_clear_error(
    base: Database, tmp_path: Path
) -> None:
    base.close()
    with (tmp_path / DATABASE_NAME).open("r+b") as file:
        file.seek(-4096, 2)
        file.write(b"\xff" * 4096)
    damaged = Database(tmp_path, writable=True)
    with pytest.raises(KnowledgeBaseError, match="cannot be used"):
        damaged.compact()
    damaged.close()


@pytest.mark.parametrize("lend", ["read", "pinned", "write"])
def test_an_error_of_a_caller_is_its_own_even_over_a_damaged_base(
    base: Database, lend: str
) -> None:
    with base.write() as connection:
        connection.execute("UPDATE told SET text = x'ff'")
    with pytest.raises(KeyError), getattr(base, lend)():
        raise KeyError
