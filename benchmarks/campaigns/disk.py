"""A full disk, too small a file, a folder that is read-only: told in one line, nothing lost."""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.campaigns.kills import JOBS, Prepared, assert_equal, look_into, prepared
from benchmarks.campaigns.trials import Kind, Outcome, hoptrail
from hoptrail.stores.records.folder import holds_database

NAMES = ("index", "sync", "delete", "reembed", "communities", "merge", "backup", "restore")
_MOUNTED = 64 * 1024 * 1024


def _require_told(outcome: Outcome) -> None:
    assert outcome.code == 0 or outcome.is_plain_error, outcome


def _look_and_go_on(name: str, work: Path, before: bool) -> None:
    """Open what is left, which must be a base where there was one; then the command ends well."""
    assert holds_database(work / "kb") or not before, "the base is gone"
    look_into(work)
    job = JOBS[name]
    last = hoptrail(*job.arguments(work))
    assert last.code == 0 or (last.is_plain_error and job.done_before in last.err), last
    assert_equal(job.read(work), prepared(name).wanted)


def limited_files(name: str, seed: int, _folder: Path) -> int:
    """Let no file grow beyond a size; it holds what the command prints, which is a file too."""
    ready, chance = prepared(name), random.Random(seed)
    work = ready.renew()
    before = holds_database(work / "kb")
    most = chance.choice((1024, 4096, 65_536, 1024 + chance.randrange(500_000)))
    limit: Callable[[], Any] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
    _require_told(hoptrail(*JOBS[name].arguments(work), before=limit))
    _look_and_go_on(name, work, before)
    return 1


def full_disk(name: str, seed: int, _folder: Path) -> int:
    """Leave from none to some hundred kilobytes on a disk."""
    ready, chance = prepared(name), random.Random(seed)
    with _mounted(ready) as work:
        before = holds_database(work / "kb")
        ballast = work / "ballast"
        left = chance.choice((0, 4096, chance.randrange(600_000)))
        with ballast.open("wb") as file:
            file.write(bytes(shutil.disk_usage(work).free - left))
        _require_told(hoptrail(*JOBS[name].arguments(work)))
        look_into(work)
        ballast.unlink()
        _look_and_go_on(name, work, before)
    return 1


def read_only(name: str, seed: int, _folder: Path) -> int:
    """Let nothing be written, and then all of it."""
    ready = prepared(name)
    with _mounted(ready) as work:
        before = holds_database(work / "kb")
        subprocess.run(["mount", "-o", "remount,ro", work], check=True)
        outcome = hoptrail(*JOBS[name].arguments(work))
        assert outcome.is_plain_error, outcome
        look_into(work)
        if before:
            answer = hoptrail(
                "ask", "Where was Person P3 born?", "--kb", work / "kb", "--preset", "offline"
            )
            assert answer.code == 0, answer
        subprocess.run(["mount", "-o", "remount,rw", work], check=True)
        _look_and_go_on(name, work, before)
    return 1


@contextmanager
def _mounted(ready: Prepared) -> Iterator[Path]:
    """Give the working folder of a job on a small disk of its own; only root can mount one."""
    shutil.rmtree(ready.work)
    ready.work.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_MOUNTED}", "none", ready.work], check=True
    )
    try:
        shutil.copytree(ready.pristine, ready.work, dirs_exist_ok=True)
        yield ready.work
    finally:
        # Lazily: what was opened of a base stays mapped until it is collected.
        subprocess.run(["umount", "-l", ready.work], check=True)


KINDS = [
    Kind(f"{kind}-{name}", partial(trial, name), limit=600)
    for kind, trial in (
        ("limited", limited_files),
        ("full", full_disk),
        ("read-only", read_only),
    )
    for name in NAMES
]
