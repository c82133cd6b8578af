"""A real nginx in front of applications, with blocks of its configuration from the guides."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.servers.processes import free_port

_FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def block_of(guide: Path, begin: str) -> str:
    """Return a block of nginx's configuration that a guide gives.

    Args:
        guide: The page.
        begin: How it begins; of several such blocks the first one is meant.
    """
    text = guide.read_text(encoding="utf-8")
    found = re.search(rf"^    {re.escape(begin)}.*?^    \}}", text, re.M | re.S)
    assert found is not None, f"{guide.name} has no block {begin}"
    return found[0]


@contextmanager
def nginx_server(folder: Path, location: str, upstream: str = "") -> Iterator[str]:
    """Run nginx until the end of the test; gives its address, skips where there is none.

    Args:
        folder: For its files.
        location: A location block.
        upstream: An upstream block that it leads to.
    """
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("nginx is not installed: apt-get install nginx")
    port = free_port()
    # The workers of a nginx that root starts could not read the test's files.
    user = "user root;" if os.geteuid() == 0 else ""
    temporary = "".join(f"{name}_temp_path {folder / name};" for name in _FOLDERS)
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"daemon off; {user} pid {folder / 'nginx.pid'}; error_log {folder / 'nginx.log'};"
        " events { worker_connections 4096; }"
        f" http {{ access_log off; {temporary} {upstream} server {{ listen 127.0.0.1:{port};"
        f" {location} }} }}"
    )
    log = str(folder / "nginx.log")
    process = subprocess.Popen([program, "-c", str(configuration), "-e", log])
    try:
        while process.poll() is None:
            try:
                httpx.get(f"http://127.0.0.1:{port}/")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
