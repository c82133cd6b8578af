"""Fetches a document from the web, within limits, and from public addresses alone."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import unquote, urljoin, urlsplit

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.registry import READERS

if TYPE_CHECKING:
    from httpcore import NetworkBackend, NetworkStream, Response

MAX_BYTES = 20 * 1024 * 1024
MAX_SECONDS = 60.0
MAX_REDIRECTS = 5
_SILENCE = 15.0  # seconds without a byte
USER_AGENT = "hoptrail"
_HEADERS = (("User-Agent", USER_AGENT), ("Accept-Encoding", "identity"))
_SUFFIXES = {
    "application/epub+zip": ".epub",
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/xhtml+xml": ".html",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/tab-separated-values": ".tsv",
}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}://")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def is_address(item: str) -> bool:
    """Return whether an input is an address of the web and no path."""
    return item.lower().startswith(("http://", "https://"))


def scheme_of(item: str) -> str:
    """Return the beginning of an address that tells its kind, such as `s3://`; empty for a path."""
    begins = _SCHEME.match(item)
    return begins[0] if begins else ""


def address_id(address: str) -> str:
    """Return the id of a document of the web: its address without scheme, account and fragment."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return f"{host}{parts.path}{f'?{parts.query}' if parts.query else ''}".rstrip("/")


class StatusError(InputError):
    """A server's answer that is no document; `status` is its number."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the server answers with status {status}")
        self.status = status


class UnreachableError(InputError):
    """A server that cannot be reached, or does not come to the end of its answer."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document of the web.

    Attributes:
        address: Where it was found, behind all redirects.
        data: Its bytes.
        suffix: Suffix of a file of its format.
        robots: What the server says to programs that collect pages (`X-Robots-Tag`).
    """

    address: str
    data: bytes
    suffix: str
    robots: str = ""

    @contextmanager
    def as_file(self, address: str) -> Iterator[Path]:
        """Give it as a file that is gone afterwards, called as `address` ends."""
        with TemporaryDirectory(prefix="hoptrail-") as folder:
            path = Path(folder, f"{_stem(address)}{self.suffix}")
            path.write_bytes(self.data)
            yield path


@contextmanager
def fetched(
    address: str, *, private: bool = False, backend: NetworkBackend | None = None
) -> Iterator[Path]:
    """Give a document as a file that is gone afterwards; its suffix tells what it is.

    Args:
        address: It begins with `http://` or `https://`.
        private: As of `WebClient`.
        backend: As of `WebClient`.

    Raises:
        InputError: As by `WebClient.get`.
    """
    with WebClient(private=private, backend=backend) as client:
        found = client.get(address)
    with found.as_file(address) as path:
        yield path


class WebClient:
    """Fetches documents one after the other, over connections that are kept.

    Proxies of the environment are not used: the address that is asked is the one that was checked.

    Args:
        private: Whether addresses of this machine and of private networks may be asked.
        backend: Connects in place of the system's sockets.
    """

    def __init__(self, *, private: bool = False, backend: NetworkBackend | None = None) -> None:
        import httpcore

        self._deadline = Deadline()
        checked = CheckedBackend(
            backend or httpcore.SyncBackend(), private=private, deadline=self._deadline
        )
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl.create_default_context(),
            network_backend=cast("NetworkBackend", checked),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.close()

    def get(
        self,
        address: str,
        *,
        may_ask: Callable[[str], bool] = lambda address: True,
        suffix: str | None = None,
    ) -> Fetched:
        """Return a document.

        Args:
            address: It begins with `http://` or `https://`.
            may_ask: Tells whether an address that it redirects to may be asked.
            suffix: What it is taken for, whatever the server says.

        Raises:
            StatusError: If the server has none there.
            UnreachableError: If it cannot be had within `MAX_SECONDS`.
            InputError: If it is larger than `MAX_BYTES`, or if it or an address that it redirects
                to is not public.
        """
        import httpcore

        self._deadline.start()
        try:
            return self._answer(address, may_ask, suffix)
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
            told = " ".join(str(error).split()) or type(error).__name__
            raise UnreachableError(f"could not be fetched: {told}") from error

    def _answer(self, address: str, may_ask: Callable[[str], bool], suffix: str | None) -> Fetched:
        """Return the document behind all redirects."""
        timeout = dict.fromkeys(("connect", "read", "write", "pool"), _SILENCE)
        for _ in range(MAX_REDIRECTS + 1):
            _check_scheme(address)
            with self._pool.stream(
                "GET", address, headers=_HEADERS, extensions={"timeout": timeout}
            ) as response:
                pointed = _header(response, b"location")
                if response.status in _REDIRECTS and pointed:
                    address = urljoin(address, pointed)
                    if not may_ask(address):
                        raise InputError(f"redirects to {address}, which is not crawled")
                    continue
                if response.status != 200:
                    raise StatusError(response.status)
                if _header(response, b"content-encoding") not in {"", "identity"}:
                    raise InputError("the server compresses its answer without being asked to")
                kind = suffix or _suffix(response, address)
                data = _body(response, self._deadline)
                return Fetched(address, data, kind, _header(response, b"x-robots-tag"))
        raise InputError(f"more than {MAX_REDIRECTS} redirects")


class Deadline:
    """When nothing more is read of the document that is being fetched."""

    def __init__(self) -> None:
        self._at = 0.0
        self.start()

    def start(self) -> None:
        """Begin with the next document."""
        self._at = time.monotonic() + MAX_SECONDS

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            UnreachableError: If none are.
        """
        left = self._at - time.monotonic()
        if left <= 0:
            raise UnreachableError(f"not there after {MAX_SECONDS:.0f} seconds")
        return left


class CheckedBackend:
    """Connects to the very address that it has checked, so that a second look-up changes nothing.

    Args:
        inner: What connects.
        private: Whether addresses that are not public are allowed.
        deadline: When nothing more is read.
    """

    def __init__(self, inner: NetworkBackend, *, private: bool, deadline: Deadline) -> None:
        self._inner = inner
        self._private = private
        self._deadline = deadline

    def connect_tcp(self, host: str, port: int, **options: Any) -> NetworkStream:
        """Connect to a host.

        Raises:
            InputError: If it has no address, or one that is not public.
        """
        addresses = _addresses(host, port)
        if not self._private:
            refuse_private(host, addresses)
        stream = self._inner.connect_tcp(addresses[0], port, **options)
        return cast("NetworkStream", _TimedStream(stream, self._deadline))

    def connect_unix_socket(self, path: str, **options: Any) -> NetworkStream:
        """Refuse: no address of the web is a file."""
        raise InputError("not an address of the web")

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._inner.sleep(seconds)


class _TimedStream:
    """Reads until a moment, however slowly headers and body come."""

    def __init__(self, inner: NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._deadline.left()
        return self._inner.read(max_bytes, left if timeout is None else min(timeout, left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(self, *arguments: Any, **options: Any) -> _TimedStream:
        return _TimedStream(self._inner.start_tls(*arguments, **options), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    """Return the numeric addresses of a host, which may be one itself."""
    try:
        return [str(ipaddress.ip_address(host.strip("[]")))]
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise InputError(f"{host} has no address") from error
    return [str(one[4][0]) for one in found]


def refuse_private(host: str, addresses: Iterable[str]) -> None:
    """Check that all addresses of a host are public.

    Raises:
        InputError: If one is this machine's, a private network's, or reserved.
    """
    for address in addresses:
        known = ipaddress.ip_address(address.partition("%")[0])
        inner = getattr(known, "ipv4_mapped", None) or known
        if not inner.is_global or inner.is_multicast:
            raise InputError(
                f"{host} is the private address {address}: give --private-addresses, or "
                "private_addresses=True, to allow it"
            )


def _check_scheme(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InputError(f"not an address of the web: {address}")


def _body(response: Response, deadline: Deadline) -> bytes:
    parts: list[bytes] = []
    size = 0
    for part in response.iter_stream():  # as it comes, so that the limits hold
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise InputError(f"more than the limit of {MAX_BYTES >> 20} MiB")
        deadline.left()
    return b"".join(parts)


def _header(response: Response, name: bytes) -> str:
    values = (value for key, value in response.headers if key.lower() == name)
    return next(values, b"").decode("latin-1").strip()


def _suffix(response: Response, address: str) -> str:
    """Return the suffix of the format; that of the address where the server tells none."""
    kind = _header(response, b"content-type").partition(";")[0].strip().lower()
    own = PurePosixPath(urlsplit(address).path).suffix.lower()
    if own in READERS and kind in {"", "text/plain", "application/octet-stream"}:
        return own
    if kind in _SUFFIXES:
        return _SUFFIXES[kind]
    if own in READERS:
        return own
    raise InputError(f"a format that is not read: {kind or 'unknown'}")


def _stem(address: str) -> str:
    parts = urlsplit(address)
    name = PurePosixPath(unquote(parts.path)).stem or parts.hostname or ""
    return "".join(one if one.isalnum() or one in " -_." else "-" for one in name)[:80] or "page"
