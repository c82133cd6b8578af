"""Integration tests reach servers on this machine and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

# Of several processes none is to begin a long file when the others have nothing left to do.
LONGEST_FIRST = (
    "stores/neo4j/test_faults.py",
    "web/test_page.py",
    "test_kill_resume.py",
    "stores/neo4j/test_killed_publisher.py",
    "test_spread_indexing.py",
    "stores/neo4j/test_publishing.py",
    "test_eval.py",
    "test_follow_ups.py",
    "test_tutorial.py",
    "web/test_process.py",
)
_RANKS = {Path(__file__).parent / name: rank for rank, name in enumerate(LONGEST_FIRST)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _RANKS.get(item.path, len(_RANKS)))


@pytest.fixture(autouse=True)
def loopback_only() -> None:
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
