"""Integration tests reach servers on this machine and nothing else."""

from __future__ import annotations

import pytest
from pytest_socket import socket_allow_hosts


@pytest.fixture(autouse=True)
def loopback_only() -> None:
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
