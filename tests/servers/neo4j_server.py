"""A Neo4j Community server from Maven Central, as a process of its own on this machine.

`python tests/servers/neo4j_server.py start` and `stop` are behind `make servers`; tests get theirs
from the fixture `neo4j_server`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":  # run by its path, so that the packages of tests are not found
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.servers.processes import (
    KEPT,
    ROOT,
    ServerUnavailableError,
    end,
    free_port,
    serve,
    start_kept,
    stop_kept,
)

PROJECT = Path(__file__).with_name("neo4j") / "pom.xml"
USER, PASSWORD = "neo4j", "hoptrail-test"
KEPT_PORT = 7687
_JVM_FOLDERS = (Path("/usr/lib/jvm"), Path("/Library/Java/JavaVirtualMachines"))
_START_SECONDS = 180.0
_DOWNLOAD_SECONDS = 900.0
_CONFIGURATION = """\
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size={page_cache}m
dbms.usage_report.enabled=false
"""
# A server that lives for minutes is to start soon: what is compiled runs little, and the code of
# Neo4j's own jars need not be verified.
_SOON_STARTED = [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-XX:ReservedCodeCacheSize=256m",
]
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")


@dataclass(frozen=True, slots=True)
class Release:
    """A release of Neo4j and the Java versions that run it."""

    version: str
    main: str
    least_java: int
    last_java: int


RELEASES = {
    "lts": Release("5.26.30", "org.neo4j.server.CommunityEntryPoint", 17, 21),
    "current": Release("2026.08.1", "org.neo4j.server.Neo4jCommunity", 21, 25),
}


class Neo4jServer:
    """One server with its data in a folder.

    Args:
        release: What to run.
        folder: Where its configuration, data and log go; an earlier server's data are kept.
        port: Of Bolt, on 127.0.0.1; a free one by default.
        heap: Megabytes.
        page_cache: Megabytes.
        settings: Further lines of its configuration.
        is_kept: Whether it runs for long, so that better compiled code pays.
    """

    def __init__(
        self,
        release: Release,
        folder: Path,
        *,
        port: int | None = None,
        heap: int = 512,
        page_cache: int = 128,
        settings: Mapping[str, str] | None = None,
        is_kept: bool = False,
    ) -> None:
        self.port = port or free_port()
        self.uri = f"bolt://127.0.0.1:{self.port}"
        self._release = release
        self.folder = folder
        self._settings = settings or {}
        self._is_kept = is_kept
        self._heap = heap
        self._page_cache = page_cache
        self._java = find_java(release)
        self._classpath = classpath(release)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process's id."""
        if self._process is None:
            raise ServerUnavailableError("the server was not started")
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            ServerUnavailableError: If it does not come up.
        """
        (self.folder / "conf").mkdir(parents=True, exist_ok=True)
        lines = _CONFIGURATION.format(port=self.port, page_cache=self._page_cache)
        lines += "".join(f"{name}={value}\n" for name, value in self._settings.items())
        (self.folder / "conf/neo4j.conf").write_text(lines)
        options = [f"-Xms{self._heap // 2}m", f"-Xmx{self._heap}m", "-XX:+UseSerialGC"]
        options += [] if self._is_kept else _SOON_STARTED
        options += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
        if self._release.least_java > 17:
            options += ["--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"]
        folders = [f"--home-dir={self.folder}", f"--config-dir={self.folder / 'conf'}"]
        with (self.folder / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                [self._java, *options, "-cp", self._classpath, self._release.main, *folders],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._wait()

    def stop(self) -> None:
        """Ask it to end and wait until it has."""
        end(self._process, signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        end(self._process, signal.SIGKILL)

    def wipe(self) -> None:
        """Start it anew without any data."""
        self.kill()
        shutil.rmtree(self.folder / "data")
        (self.folder / "password-is-set").unlink()
        self.start()

    def admin(self, *arguments: str) -> str:
        """Run a command of `neo4j-admin` on its data and return the output.

        Raises:
            ServerUnavailableError: If it fails.
        """
        main = "org.neo4j.server.startup.Neo4jAdminCommand"
        done = subprocess.run(
            [self._java, "-Xmx256m", "-cp", self._classpath, main, *arguments],
            env={
                **os.environ,
                "NEO4J_HOME": str(self.folder),
                "NEO4J_CONF": str(self.folder / "conf"),
                "JAVA_HOME": str(Path(self._java).parents[1]),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise ServerUnavailableError(f"neo4j-admin {arguments[0]}: {' '.join(last)}")
        return done.stdout

    def _wait(self) -> None:
        process = self._process
        deadline = time.monotonic() + _START_SECONDS
        while process is not None and time.monotonic() < deadline and process.poll() is None:
            if _answers(self.port):
                self._set_password()
                return
            time.sleep(0.2)
        self.kill()
        log = (self.folder / "output.log").read_text(errors="replace").strip().splitlines()
        raise ServerUnavailableError(f"Neo4j did not start: {' '.join(log[-1:])}")

    def _set_password(self) -> None:
        """Give the user a password in place of the one that a new server asks to change."""
        is_set = self.folder / "password-is-set"
        if is_set.exists():
            return
        from neo4j import GraphDatabase

        with GraphDatabase.driver(self.uri, auth=(USER, "neo4j")) as driver:
            change = f"ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO '{PASSWORD}'"
            driver.execute_query(change, database_="system")
        is_set.touch()


def find_java(release: Release) -> str:
    """Return the path of a Java that runs a release.

    Raises:
        ServerUnavailableError: If there is none.
    """
    on_path = shutil.which("java")
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += [Path(on_path).resolve().parents[1]] if on_path else []
    for folder in _JVM_FOLDERS:
        homes += sorted(folder.glob("*")) + sorted(folder.glob("*/Contents/Home"))
    for home in homes:
        about = home / "release"
        known = re.search(r'JAVA_VERSION="(\d+)', about.read_text()) if about.is_file() else None
        if known and release.least_java <= int(known[1]) <= release.last_java:
            return str(home / "bin/java")
    wanted = f"Java {release.least_java} to {release.last_java}"
    raise ServerUnavailableError(f"Neo4j {release.version} needs {wanted}, and none was found")


def classpath(release: Release) -> str:
    """Return the jars of a release; Maven fetches those that are not on this machine yet.

    Raises:
        ServerUnavailableError: If there is no Maven, or it cannot fetch them.
    """
    listing = ROOT / "build/servers" / f"neo4j-{release.version}.classpath"
    if listing.is_file():
        jars = listing.read_text()
        if all(Path(jar).is_file() for jar in jars.split(os.pathsep)):
            return jars
    maven = shutil.which("mvn")
    if maven is None:
        raise ServerUnavailableError("Neo4j comes from Maven Central, and there is no Maven (mvn)")
    listing.parent.mkdir(parents=True, exist_ok=True)
    goal = ["dependency:build-classpath", f"-Dmdep.outputFile={listing}"]
    version = f"-Dneo4j.version={release.version}"
    try:
        done = subprocess.run(
            [maven, "--quiet", "--batch-mode", "-f", PROJECT, *goal, version],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_DOWNLOAD_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise ServerUnavailableError("Maven Central does not answer in time") from None
    if done.returncode:
        first = next((line for line in done.stdout.splitlines() if "ERROR" in line), "")
        raise ServerUnavailableError(f"Maven cannot fetch Neo4j: {first[:200]}")
    return listing.read_text()


def _answers(port: int) -> bool:
    """Return whether Bolt is spoken there: to the magic number and versions it sends one back."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as client:
            client.sendall(bytes.fromhex("6060b01700000405") + bytes(12))
            return len(client.recv(4)) == 4
    except OSError:
        return False


def _start() -> None:
    server = start_kept(
        "neo4j",
        lambda: Neo4jServer(RELEASES["lts"], KEPT / "neo4j", port=KEPT_PORT, is_kept=True),
    )
    print(f"export NEO4J_URI={server.uri} NEO4J_USERNAME={USER} NEO4J_PASSWORD={PASSWORD}")


def main() -> None:
    """Start or stop a server that outlives this process, or serve until another has ended."""
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("start")
    commands.add_parser("stop")
    served = commands.add_parser("serve")
    served.add_argument("release", choices=sorted(RELEASES))
    served.add_argument("folder", type=Path)
    served.add_argument("owner", type=int)
    given = parser.parse_args()
    try:
        if given.command == "serve":
            release = RELEASES[given.release]
            serve(lambda: Neo4jServer(release, given.folder), given.folder, given.owner)
        elif given.command == "start":
            _start()
        else:
            stop_kept("neo4j")
    except ServerUnavailableError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
