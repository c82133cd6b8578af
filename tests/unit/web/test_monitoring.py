"""The audit log."""

from __future__ import annotations

import json
from pathlib import Path

from hoptrail.web.monitoring import AuditLog


def test_processes_that_share_a_full_file_turn_it_over_once(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with AuditLog(file, most_bytes=4000) as one, AuditLog(file, most_bytes=4000) as two:
        for number in range(45):
            for log, key in ((one, "anna"), (two, "ben")):
                log.note(key, "GET", "/api/v1", 200, 0.1, {"number": number})

    files = [path for path in tmp_path.iterdir() if path.suffix != ".lock"]
    lines = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    assert len(files) == 4
    for key in ("anna", "ben"):
        told = [line["number"] for line in lines if line["key"] == key]
        assert sorted(told) == list(range(45))
