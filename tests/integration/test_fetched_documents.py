"""Documents fetched through real sockets from a server of this machine that does not behave."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.loading import web_addresses
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped

pytestmark = pytest.mark.slow

PAGE = b"<h1>The keel</h1><p>Tor Lie laid the keel in 1911.</p>"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def page(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(PAGE) + PAGE)


def redirect(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n")


def endless(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")


def slow_head(connection: socket.socket) -> None:
    for byte in HEAD + b"X-Slow: " + b"x" * 1000:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def slow_body(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
    while True:
        connection.sendall(b"x")
        time.sleep(0.1)


ANSWERS: dict[str, Callable[[socket.socket], None]] = {
    "/page": page,
    "/redirect": redirect,
    "/endless": endless,
    "/slow_head": slow_head,
    "/slow_body": slow_body,
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Yield the address of a server that gives each path its answer."""

    def serve(connection: socket.socket) -> None:
        with connection:
            path = connection.recv(65_536).split()[1].decode()
            try:
                ANSWERS[path](connection)
            except OSError:
                return  # the client has had enough

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def fetch(address: str) -> Document | Skipped:
    (item,) = load_documents([address], private_addresses=True)
    return item


@pytest.mark.parametrize("path", ["/page", "/redirect"])
def test_a_page_is_read_where_it_is_and_where_it_is_pointed_to(server: str, path: str) -> None:
    item = fetch(server + path)
    assert isinstance(item, Document)
    assert "Tor Lie laid the keel in 1911." in item.text


@pytest.mark.parametrize("path", ["/slow_head", "/slow_body", "/endless"])
def test_what_never_ends_ends(server: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_addresses, "MAX_SECONDS", 1.0)
    monkeypatch.setattr(web_addresses, "MAX_BYTES", 1024 * 1024)
    assert isinstance(fetch(server + path), Skipped)
