"""Twelve pairs of a newer and an older text, indexed and asked as a user does."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.editions import DATA, measure
from benchmarks.rows import read_rows

pytestmark = pytest.mark.slow

RIGHT = 28  # of 32; the other four are not read at all
OLDER_TOLD = 14  # all right answers that an older text gives otherwise


def test_the_newer_text_answers_with_the_older_value_beside_it(tmp_path: Path) -> None:
    rows = list(measure(read_rows(DATA), tmp_path))

    assert sum(row["verdict"].startswith("right") for row in rows) >= RIGHT
    assert not [row for row in rows if row["verdict"] == "wrong plain"]
    assert sum(row["tells_older"] for row in rows) >= OLDER_TOLD
