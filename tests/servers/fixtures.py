"""The servers that tests share: started once a run, by whichever worker needs one first."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tests.servers import milvus_server, neo4j_server
from tests.servers.neo4j_server import PASSWORD, RELEASES, USER
from tests.servers.processes import ServerUnavailableError
from tests.waiting import wait_for

_WAIT_SECONDS = 1200.0  # the first time it is downloaded
_GIVEN = "HOPTRAIL_TEST_NEO4J_URI"
_GIVEN_MILVUS = "HOPTRAIL_TEST_MILVUS_URI"


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

    def check() -> None:  # the likely reasons, without a process
        neo4j_server.find_java(RELEASES[release])
        neo4j_server.classpath(RELEASES[release])

    program = [neo4j_server.__file__, "serve", release]
    return ServerAddress(_shared(f"neo4j-{release}", check, program), USER, PASSWORD)


def shared_milvus() -> ServerAddress:
    """Return a Milvus server of this worker of the run; skip where none can run.

    Bases with the same embedder share collections, which tests drop. It ends with the run.
    `HOPTRAIL_TEST_MILVUS_URI` names another.
    """
    pytest.importorskip("pymilvus", reason="the extra hoptrail[milvus] is not installed")
    given = os.environ.get(_GIVEN_MILVUS)
    if given:
        user = os.environ.get("MILVUS_USER", "")
        return ServerAddress(given, user, os.environ.get("MILVUS_PASSWORD", ""))
    program = [milvus_server.__file__, "serve"]
    name = f"milvus-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    uri = _shared(name, lambda: [milvus_server.python_with_wheel()], program)
    return ServerAddress(uri, milvus_server.USER, milvus_server.PASSWORD)


def _shared(name: str, check: Callable[[], object], program: Sequence[str]) -> str:
    """Return the address of a server, started by whichever worker needs it first.

    Args:
        name: Tells it apart from others.
        check: Raises where it cannot run.
        program: Serves it, given a folder and the process that it is to end with.
    """
    # With xdist this is a worker, and the run is the process that started it.
    owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    folder = Path(tempfile.gettempdir()) / f"hoptrail-{name}-{owner}"
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            _serve(folder, owner, check, program)
    if (folder / "unavailable").exists():
        pytest.skip((folder / "unavailable").read_text())
    return (folder / "uri").read_text()


def _serve(folder: Path, owner: int, check: Callable[[], object], program: Sequence[str]) -> None:
    folder.mkdir()
    try:
        check()
    except ServerUnavailableError as error:
        (folder / "unavailable").write_text(str(error))
        return
    command = [sys.executable, *program, str(folder), str(owner)]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    told = (folder / "uri", folder / "unavailable")
    wait_for(lambda: any(map(Path.exists, told)), f"{folder.name} did not start", _WAIT_SECONDS)
