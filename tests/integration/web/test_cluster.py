"""Several processes behind nginx, as docs/deploy.md sets them up: a kill and a rolling restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.web_cluster import run

pytest.importorskip("psycopg", reason='needs pip install "hoptrail[postgres]"')
pytestmark = pytest.mark.slow


def test_chats_outlast_a_kill_and_no_request_fails_in_a_rolling_restart(tmp_path: Path) -> None:
    seen, _ = run(tmp_path, processes=2, chats=6, seconds=4, kill_every=3)

    counts = seen.counts
    assert (counts["kills"], counts["restarts"]) == (1, 2)
    assert seen.failures("rolling") == {}
    assert counts["threads whole"] == len(seen.turns) > 0
    assert counts["answers right"] > 0
    assert counts["documents there"] == 2 * len(seen.documents)
    wrong = ("given up", "answers wrong", "answers of the other base", "documents lost")
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0)
    assert not [name for name in counts if "failed" in name or "wrong" in name]
