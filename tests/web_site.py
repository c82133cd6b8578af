"""A web site on loopback for crawls: pages by path, with what the server says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import urlsplit


@dataclass
class WebSite:
    """The answers of the server, and what it was asked.

    Attributes:
        pages: Body by path with its query; a number is a status, `-> ...` a redirect.
        headers: Further headers by path.
        asked: Paths in their order.
        url: Address of the server, without a slash at its end.
    """

    pages: dict[str, str | bytes | int] = field(default_factory=dict[str, str | bytes | int])
    headers: dict[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    asked: list[str] = field(default_factory=list[str])
    url: str = ""

    def answer(self, path: str) -> str | bytes | int:
        """Return what stands at a path; a calendar has a page for every day there is."""
        if path.startswith("/calendar"):
            return page(f"Day {path}", f"{path}/next", f"/calendar?day={len(self.asked)}")
        return self.pages.get(path, 404)


def page(text: str, *links: str, head: str = "") -> str:
    """Return a page of HTML."""
    linked = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<html><head>{head}</head><body><p>{text}</p><ul>{linked}</ul></body></html>"


@contextmanager
def serving(site: WebSite) -> Iterator[WebSite]:
    """Serve a site while the context lasts."""
    handler = type("Handler", (_Handler,), {"site": site})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        site.url = f"http://127.0.0.1:{server.server_address[1]}"
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield site
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    site: ClassVar[WebSite]
    protocol_version = "HTTP/1.1"
    timeout = 5

    def do_GET(self) -> None:
        self.site.asked.append(self.path)
        told = self.site.answer(self.path)
        status, location, body = 200, "", b""
        if isinstance(told, int):
            status = told
        elif isinstance(told, str) and told.startswith("-> "):
            status, location = 302, told[3:]
        else:
            body = told.encode() if isinstance(told, str) else told
        self.send_response(status)
        headers = {"Content-Length": str(len(body)), "Content-Type": self._kind()}
        if location:
            headers["Location"] = location
        for name, value in {**headers, **self.site.headers.get(self.path, {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of requests."""

    def _kind(self) -> str:
        path = urlsplit(self.path).path
        kinds = {".pdf": "application/pdf", ".txt": "text/plain", ".xml": "text/xml"}
        return next((kind for end, kind in kinds.items() if path.endswith(end)), "text/html")
