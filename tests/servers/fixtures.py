"""The servers that tests share: started once a run, by whichever worker needs one first."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tests.servers import neo4j_server
from tests.servers.neo4j_server import PASSWORD, RELEASES, USER, ServerUnavailableError

_WAIT_SECONDS = 1200.0  # the first time it is downloaded
_GIVEN = "HOPTRAIL_TEST_NEO4J_URI"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server is, and who may use it."""

    uri: str
    user: str
    password: str


def shared_neo4j(release: str) -> ServerAddress:
    """Return a server of a release that this run of the tests shares; skip where none can run.

    It ends with the run. `HOPTRAIL_TEST_NEO4J_URI` names another in place of the LTS release.
    """
    pytest.importorskip("neo4j", reason="the extra hoptrail[neo4j] is not installed")
    given = os.environ.get(_GIVEN)
    if given and release == "lts":
        user = os.environ.get("NEO4J_USERNAME", USER)
        return ServerAddress(given, user, os.environ.get("NEO4J_PASSWORD", PASSWORD))
    # With xdist this is a worker, and the run is the process that started it.
    owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    folder = Path(tempfile.gettempdir()) / f"hoptrail-neo4j-{release}-{owner}"
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            _serve(release, folder, owner)
    if (folder / "unavailable").exists():
        pytest.skip((folder / "unavailable").read_text())
    return ServerAddress((folder / "uri").read_text(), USER, PASSWORD)


def _serve(release: str, folder: Path, owner: int) -> None:
    folder.mkdir()
    try:  # the likely reasons, without a process
        neo4j_server.find_java(RELEASES[release])
        neo4j_server.classpath(RELEASES[release])
    except ServerUnavailableError as error:
        (folder / "unavailable").write_text(str(error))
        return
    program = [sys.executable, neo4j_server.__file__, "serve", release, str(folder), str(owner)]
    subprocess.Popen(program, stdin=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + _WAIT_SECONDS
    while not ((folder / "uri").exists() or (folder / "unavailable").exists()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"Neo4j did not start in {_WAIT_SECONDS:.0f} s")
        time.sleep(0.2)
