"""Power cuts: what a disk may hold at any sync is opened, and the command ends as if none had been.

A library that is loaded before the others copies the folder before each `fsync` and `fdatasync` of
a run. A cut is made of such a copy: of each file, every block that changed since its own last sync
is as it was then, or as it is now; a file that was never synced may be missing or hold zeros.
What was overwritten twice between two syncs is seen as it was last; entries of folders are taken to
be as they stood; and a disk that says that it has written, and has not, is none of this.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from benchmarks.campaigns.kills import JOBS, assert_equal, look_into, prepared
from benchmarks.campaigns.trials import Kind, hoptrail, kept_folder
from hoptrail.core.errors import HoptrailError
from hoptrail.stores.records.folder import holds_database

NAMES = ("index", "sync", "delete", "reembed", "merge")
_BLOCK = 4096
_COMPLETED = 0.2  # share of the cuts after which the command is run again
_HOOK = Path(__file__).with_name("power_hook.c")
_RUN = (
    "from benchmarks.campaigns.trials import load_heavy; load_heavy(); "
    "from hoptrail.cli import main; main()"
)


@dataclass(frozen=True)
class Recording:
    """A folder before a run, its copies at the syncs of that, and the file that each was of."""

    before: Path
    copies: tuple[Path, ...]
    synced: tuple[str, ...]

    def cut(self, number: int, chance: random.Random, into: Path) -> None:
        """Write what a disk may hold when the power is cut before a sync."""
        now = self.copies[number]
        shutil.copytree(now, into)
        for path in sorted(now.rglob("*")):
            if not path.is_file():
                continue
            name = str(path.relative_to(now))
            if name.endswith("-shm"):  # shared memory, which nobody syncs and SQLite makes anew
                (into / name).unlink()
                continue
            last = max((at for at in range(number) if self.synced[at] == name), default=None)
            written = path.read_bytes()
            kept = (self.before if last is None else self.copies[last]) / name
            safe = kept.read_bytes() if kept.is_file() else None
            if safe is None and chance.random() < 0.2 and not name.endswith(".sqlite"):
                (into / name).unlink()
            else:
                (into / name).write_bytes(_mixed(safe or b"", written, chance))


def _mixed(safe: bytes, written: bytes, chance: random.Random) -> bytes:
    """Return each block of the one content or of the other, and one of the two lengths."""
    share = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
    length = len(written) if chance.random() < max(share, 0.5) else len(safe)
    blocks = []
    for start in range(0, max(len(safe), len(written)), _BLOCK):
        one = written if chance.random() < share else safe
        blocks.append(one[start : start + _BLOCK].ljust(_BLOCK, b"\0"))
    return b"".join(blocks)[:length].ljust(length, b"\0")


@cache
def recording(name: str) -> Recording:
    """Run a job with the library loaded, and return what it left."""
    ready = prepared(name)
    kept = kept_folder()
    library, copies = kept / "hook.so", kept / "copies"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", library, _HOOK, "-ldl", "-lpthread"], check=True
    )
    copies.mkdir()
    work = ready.renew()
    base = work / "kb"
    base.mkdir(exist_ok=True)
    watched = {"LD_PRELOAD": str(library), "CUT_WATCHED": str(base), "CUT_COPIES": str(copies)}
    command = [sys.executable, "-c", _RUN, *map(str, JOBS[name].arguments(work))]
    subprocess.run(command, check=True, env={**os.environ, **watched}, capture_output=True)
    lines = [line.split(" ", 1) for line in (copies / "log").read_text().splitlines()]
    return Recording(
        ready.pristine / "kb",
        tuple(copies / number for number, _ in lines),
        tuple(os.path.relpath(path, base) for _, path in lines),
    )


def cut_power(name: str, seed: int, _folder: Path) -> int:
    """Cut the power at a sync, look at the base, and now and then run the command again."""
    recorded, ready, chance = recording(name), prepared(name), random.Random(seed)
    work = ready.renew()
    shutil.rmtree(work / "kb", ignore_errors=True)
    number = chance.randrange(len(recorded.copies))
    recorded.cut(number, chance, work / "kb")
    was_there = holds_database(ready.pristine / "kb")
    assert holds_database(work / "kb") or not was_there, f"sync {number}: the base is gone"
    try:
        look_into(work)
    except HoptrailError as error:
        # A base that was just being made may not be one yet.
        assert not was_there, f"sync {number}: {error}"
    if chance.random() < _COMPLETED:
        job = JOBS[name]
        last = hoptrail(*job.arguments(work))
        assert last.code == 0 or (last.is_plain_error and job.done_before in last.err), last
        assert_equal(job.read(work), ready.wanted)
    return 1


KINDS = [Kind(name, partial(cut_power, name), limit=600) for name in NAMES]
