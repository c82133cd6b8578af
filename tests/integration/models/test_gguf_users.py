from __future__ import annotations

import socket
import time

import pytest

from hoptrail.models.local import gguf_server
from hoptrail.models.local.gguf_server import Users
from tests.waiting import wait_for


@pytest.fixture
def users(monkeypatch: pytest.MonkeyPatch) -> Users:
    monkeypatch.setattr(gguf_server, "_IDLE_SECONDS", 0.05)
    monkeypatch.setattr(gguf_server, "_FIRST_USER_SECONDS", 0.1)
    return Users("secret")


def enter(users: Users, key: str) -> tuple[socket.socket, bytes]:
    connection = socket.create_connection(("127.0.0.1", users.port), 5)
    connection.sendall(f"{key}\n".encode())
    return connection, connection.recv(3)


def wait_until_gone(users: Users) -> None:
    wait_for(lambda: users.have_gone, "the server stays")


def test_a_server_that_nobody_comes_to_ends(users: Users) -> None:
    wait_until_gone(users)


def test_a_server_stays_for_its_user_and_ends_behind_the_last_one(users: Users) -> None:
    first, told = enter(users, "secret")
    second, _ = enter(users, "secret")
    assert told == b"ok\n"
    first.close()
    time.sleep(0.3)
    assert not users.have_gone
    second.close()
    wait_until_gone(users)


def test_who_lacks_the_key_is_no_user(users: Users) -> None:
    connection, told = enter(users, "guess")
    assert told == b""
    connection.close()
    wait_until_gone(users)
