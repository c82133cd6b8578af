"""A real PostgreSQL server for tests: Debian's package, in a folder of its own, on loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.servers.processes import free_port

_USER = "postgres"


def find_programs() -> Path:
    """Return the folder of PostgreSQL's programs, or skip the test where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    return folders[-1]


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server until the end of the test, and yield the address of an empty database."""
    programs = find_programs()
    # Not in pytest's folder: every run of pytest takes away what other users may do there.
    with TemporaryDirectory(prefix="hoptrail-postgres-") as folder:
        yield from _run(programs, Path(folder))


def _run(programs: Path, data: Path) -> Iterator[str]:
    # The server refuses to run as root.
    as_user = ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(data, _USER)
    port = free_port()
    run = [*as_user, str(programs / "initdb")]
    subprocess.run(
        [*run, "-D", data, "-A", "trust", "-U", "hoptrail", "--no-sync"],
        check=True,
        capture_output=True,
        cwd="/",
    )
    options = f"-p {port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off"
    control = [*as_user, str(programs / "pg_ctl"), "-D", str(data), "-w"]
    subprocess.run(
        [*control, "-o", options, "-l", str(data / "log"), "start"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        yield f"postgresql://hoptrail@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, cwd="/")
