"""Documents of the web: httpcore speaks to streams of bytes here, and no socket is opened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpcore
import pytest

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading import web_addresses
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.web_addresses import (
    MAX_REDIRECTS,
    address_id,
    fetched,
    is_address,
    refuse_private,
)

PUBLIC, OTHER = "93.184.216.34", "1.1.1.1"


class Web(httpcore.NetworkBackend):
    """Answers each connection to an address with its bytes."""

    def __init__(self, answers: dict[str, bytes]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def connect_tcp(self, host: str, port: int, *_: Any, **options: Any) -> httpcore.NetworkStream:
        self.asked.append(host)
        return httpcore.MockStream([self._answers[host]])


def answer(body: bytes, kind: str = "text/html", status: int = 200, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(body)}", f"Content-Type: {kind}"]
    return "\r\n".join([*lines, *more, "", ""]).encode() + body


def redirect(to: str) -> bytes:
    return answer(b"", "text/html", 302, f"Location: {to}")


def reason(address: str, answers: dict[str, bytes]) -> str:
    with pytest.raises(InputError) as caught, fetched(address, backend=Web(answers)):
        pass
    return caught.value.message


def test_a_document_becomes_a_file_with_the_suffix_of_its_kind() -> None:
    web = Web({PUBLIC: answer(b"<p>The keel.</p>", "text/html; charset=utf-8")})
    with fetched(f"http://{PUBLIC}/yard/keel", backend=web) as path:
        assert (path.name, path.read_bytes()) == ("keel.html", b"<p>The keel.</p>")
    assert not path.exists()


def test_a_suffix_tells_more_than_plain_text_does() -> None:
    web = Web({PUBLIC: answer(b"# Keel", "text/plain")})
    with fetched(f"http://{PUBLIC}/keel.md", backend=web) as path:
        assert path.name == "keel.md"


def test_redirects_are_followed() -> None:
    web = Web({PUBLIC: redirect(f"http://{OTHER}/b.txt"), OTHER: answer(b"Text.", "text/plain")})
    with fetched(f"http://{PUBLIC}/a", backend=web) as path:
        assert path.read_bytes() == b"Text."
    assert web.asked == [PUBLIC, OTHER]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "10.0.0.8", "192.168.1.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]"],
)
def test_private_addresses_are_refused_before_and_after_redirects(host: str) -> None:
    assert "private" in reason(f"http://{host}/", {})
    web = Web({PUBLIC: redirect(f"http://{host}/admin")})
    with pytest.raises(InputError, match="private"), fetched(f"http://{PUBLIC}/", backend=web):
        pass
    assert web.asked == [PUBLIC]


def test_a_host_with_one_private_address_is_refused() -> None:
    with pytest.raises(InputError, match=r"10\.0\.0\.1"):
        refuse_private("yard.example", [PUBLIC, "10.0.0.1"])


def test_private_addresses_can_be_allowed() -> None:
    web = Web({"127.0.0.1": answer(b"Text.", "text/plain")})
    with fetched("http://127.0.0.1/a.txt", private=True, backend=web) as path:
        assert path.read_bytes() == b"Text."


def test_a_redirect_to_a_file_is_refused() -> None:
    assert "not an address" in reason(
        f"http://{PUBLIC}/", {PUBLIC: redirect("file:///etc/hostname")}
    )


def test_endless_redirects_end() -> None:
    told = reason(f"http://{PUBLIC}/", {PUBLIC: redirect(f"http://{PUBLIC}/")})
    assert told == f"more than {MAX_REDIRECTS} redirects"


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_addresses, "MAX_BYTES", 1024 * 1024)
    large = {PUBLIC: answer(bytes(1024 * 1024 + 1), "text/plain")}
    assert reason(f"http://{PUBLIC}/", large) == "more than the limit of 1 MiB"


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_addresses, "MAX_SECONDS", -1.0)
    assert "seconds" in reason(f"http://{PUBLIC}/", {PUBLIC: answer(b"Text.", "text/plain")})


@pytest.mark.parametrize(
    ("told", "word"),
    [
        (answer(b"", "text/html", 404), "status 404"),
        (answer(b"x", "image/png"), "image/png"),
        (answer(b"x", "text/html", 200, "Content-Encoding: gzip"), "compresses"),
        (b"nonsense\r\n\r\n", "could not be fetched"),
    ],
)
def test_other_answers_are_named(told: bytes, word: str) -> None:
    assert word in reason(f"http://{PUBLIC}/", {PUBLIC: told})


def test_an_input_that_is_an_address_is_no_path() -> None:
    (item,) = load_documents(["http://127.0.0.1:9/page.html"])
    assert isinstance(item, Skipped)
    assert (item.path, "private" in item.reason) == ("http://127.0.0.1:9/page.html", True)


def test_ids_hold_no_account_and_no_fragment() -> None:
    assert address_id("https://me:secret@yard.example/keel?x=1#top") == "yard.example/keel?x=1"


def names(items: Iterable[str]) -> list[bool]:
    return [is_address(item) for item in items]


def test_addresses_are_told_from_paths() -> None:
    assert names(["https://a.example", "HTTP://a.example", "a.html", "ftp://a"]) == [
        True,
        True,
        False,
        False,
    ]
