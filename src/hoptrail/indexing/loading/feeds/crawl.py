"""The pages of a web site as a feed: link by link, politely and within limits."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.text import counted
from hoptrail.core.types import Document
from hoptrail.indexing.loading.feeds.feed import Feed, FeedRun, FileReader
from hoptrail.indexing.loading.feeds.links import (
    PageLinks,
    TrapGuard,
    host_of,
    may_be_page,
    normalized,
    sitemap_addresses,
)
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.web_addresses import (
    USER_AGENT,
    Fetched,
    StatusError,
    UnreachableError,
    WebClient,
    is_address,
)

if TYPE_CHECKING:
    from protego import Protego

DEPTH = 2
MAX_PAGES = 500
MAX_SECONDS = 3600.0
DELAY = 0.5
_MOST_FOUND = 100_000  # addresses
_MOST_REFUSED = 3  # answers in a row that ask for fewer requests
_TOO_MANY = frozenset({429, 503})
_LATER = frozenset({408, *_TOO_MANY})


class Crawl(Feed):
    """The pages that are reached from one address over the links of its host.

    `robots.txt`, `noindex` and `nofollow` hold, one request is made at a time, and between two of
    them a moment passes. An address that ends in `.xml` is read as a sitemap.

    Args:
        address: Where it begins.
        depth: How many links a page may be away from there; 0 reads that page alone.
        name: First part of the document ids; by default the host.
        below: Whether pages count only that lie below the folder of the address.
        max_pages: As many are fetched at most.
        max_seconds: So long it may take.
        delay: Seconds between two requests, unless `robots.txt` asks for more.
        private_addresses: Whether pages of this machine and of private networks are read too.

    Raises:
        SettingsError: If the address is none of the web, or a number is below 0.
    """

    def __init__(
        self,
        address: str,
        *,
        depth: int = DEPTH,
        name: str | None = None,
        below: bool = False,
        max_pages: int = MAX_PAGES,
        max_seconds: float = MAX_SECONDS,
        delay: float = DELAY,
        private_addresses: bool = False,
    ) -> None:
        if not is_address(address) or not urlsplit(address).hostname:
            raise SettingsError(
                f"{address} is no address to crawl", hint="it begins with https:// or http://"
            )
        if depth < 0 or max_pages < 1 or delay < 0:
            raise SettingsError("depth and delay must be at least 0, max_pages at least 1")
        self.start = normalized(address)
        self.depth = depth
        self.below = below
        self.max_pages = max_pages
        self.max_seconds = max_seconds
        self.delay = delay
        self.private_addresses = private_addresses
        super().__init__(name or host_of(self.start), self.start)

    def _documents(
        self, files: FileReader, source: str, run: FeedRun
    ) -> Iterator[Document | Skipped]:
        private = self.private_addresses or files.private_addresses
        with WebClient(private=private) as client:
            yield from _CrawlRun(self, client, files, source, run).documents()


class _Site:
    """The host of a crawl with its `robots.txt`."""

    def __init__(self, address: str, below: bool) -> None:
        self.host = host_of(address)
        path = urlsplit(address).path
        self._folder = path[: path.rfind("/") + 1] if below else "/"
        self._robots: Protego | None = None
        self.delay = 0.0

    def ask_robots(self, client: WebClient, address: str) -> None:
        """Fetch `robots.txt`; where there is none, everything is allowed.

        Raises:
            InputError: If it cannot be fetched: then nothing is allowed.
        """
        from protego import Protego

        try:
            text = client.get(f"{urlsplit(address).scheme}://{self.host}/robots.txt", suffix=".txt")
        except StatusError as error:
            if 400 <= error.status < 500 and error.status not in _LATER:
                return
            raise
        self._robots = Protego.parse(text.data.decode("utf-8", errors="replace"))
        self.delay = self._robots.crawl_delay(USER_AGENT) or 0.0

    def holds(self, address: str) -> bool:
        """Return whether an address is one of this site's."""
        return host_of(address) == self.host and urlsplit(address).path.startswith(self._folder)

    def allows(self, address: str) -> bool:
        """Return whether `robots.txt` allows an address."""
        return self._robots is None or self._robots.can_fetch(address, USER_AGENT)


class _CrawlRun:
    """One crawl, with what it has seen."""

    def __init__(
        self, crawl: Crawl, client: WebClient, files: FileReader, source: str, run: FeedRun
    ) -> None:
        self._crawl = crawl
        self._client = client
        self._files = files
        self._source = source
        self._run = run
        self._site = _Site(crawl.start, crawl.below)
        self._waiting = deque([(crawl.start, 0)])
        self._found = {_key(crawl.start)}
        self._read: set[str] = set()
        self._guard = TrapGuard()
        self._forbidden = 0
        self._refused = 0
        self._asked_at = 0.0

    def documents(self) -> Iterator[Document | Skipped]:
        """Yield the documents of the pages, and at the end what was left out."""
        crawl, deadline = self._crawl, time.monotonic() + self._crawl.max_seconds
        try:
            self._site.ask_robots(self._client, crawl.start)
        except InputError as error:
            is_refused = isinstance(error, UnreachableError | StatusError)
            told = "without its robots.txt nothing may be read: " if is_refused else ""
            yield self._run.stop(crawl.start, f"{told}{error.message}")
            return
        fetched = 0
        while self._waiting:
            stop = self._reason_to_stop(fetched, deadline)
            if stop:
                yield self._run.stop(crawl.start, stop)
                break
            address, depth = self._waiting.popleft()
            if not self._site.allows(address):
                self._forbidden += 1
                continue
            fetched += 1
            yield from self._page(address, depth)
        yield from self._told()

    def _reason_to_stop(self, fetched: int, deadline: float) -> str:
        more = f"{counted(len(self._waiting), 'more address')} found"
        if fetched >= self._crawl.max_pages:
            return f"stopped after {counted(fetched, 'page')}, the limit; {more}"
        if time.monotonic() > deadline:
            took = counted(self._crawl.max_seconds, "second")
            return f"stopped after {took}, the limit; {more}"
        if self._refused >= _MOST_REFUSED:
            return f"the server asks for fewer requests; {more}"
        return ""

    def _told(self) -> Iterator[Skipped]:
        """Yield what was left out of the site as a whole."""
        start = self._crawl.start
        if self._forbidden:
            pages = counted(self._forbidden, "page")
            yield Skipped(start, f"{pages} that robots.txt does not allow")
        if traps := self._guard.count:
            example = self._guard.example[:200]
            seem = f"{counted(traps, 'address')} that {'seems' if traps == 1 else 'seem'}"
            yield Skipped(start, f"{seem} to have no end, such as {example}")

    def _page(self, address: str, depth: int) -> Iterator[Document | Skipped]:
        """Yield the document of a page, and note what it links to."""
        try:
            page = self._fetched(address, is_start=depth == 0 and address == self._crawl.start)
        except InputError as error:
            self._note_failure(address, error)
            yield Skipped(address, error.message)
            return
        found = normalized(page.address)
        if _key(found) in self._read:
            return  # two addresses of one page
        self._read.add(_key(found))
        self._found.add(_key(found))
        if page.suffix == ".xml":
            self._note(sitemap_addresses(page.data), depth)
            return
        is_html = page.suffix == ".html"
        links = PageLinks(page.data if is_html else b"", page.address, page.robots)
        if is_html:
            self._note(links.addresses(), depth + 1)
        if links.is_to_be_read:
            yield from self._document(page, found)

    def _fetched(self, address: str, *, is_start: bool) -> Fetched:
        """Return what is at an address.

        The site is that to which the first address leads.

        Raises:
            InputError: If it cannot be had, or leads out of the site.
        """
        pause = max(self._crawl.delay, self._site.delay)
        time.sleep(max(0.0, self._asked_at + pause - time.monotonic()))
        self._asked_at = time.monotonic()
        suffix = ".xml" if urlsplit(address).path.lower().endswith(".xml") else None
        if not is_start:
            return self._client.get(address, may_ask=self._is_open, suffix=suffix)
        page = self._client.get(address, suffix=suffix)
        if not self._site.holds(page.address):
            self._site = _Site(page.address, self._crawl.below)
            self._site.ask_robots(self._client, page.address)
        if not self._site.allows(page.address):
            raise InputError(f"robots.txt does not allow {page.address}")
        return page

    def _is_open(self, address: str) -> bool:
        return self._site.holds(address) and self._site.allows(address)

    def _note_failure(self, address: str, error: InputError) -> None:
        """Keep what cannot be had now, and all that may lie behind it."""
        status = error.status if isinstance(error, StatusError) else 0
        self._refused = self._refused + 1 if status in _TOO_MANY else 0
        if status not in {404, 410}:
            self._run.present.add(self._id(address))
        if isinstance(error, UnreachableError) or status >= 500 or status in _LATER:
            self._run.stopped_by = f"{address}: {error.message}"

    def _note(self, addresses: Iterator[str], depth: int) -> None:
        """Let the addresses wait that are new pages of the site."""
        if depth > self._crawl.depth:
            return
        for address in addresses:
            if _key(address) in self._found or not self._site.holds(address):
                continue
            if not may_be_page(address):
                continue
            if len(self._found) >= _MOST_FOUND:
                self._run.stopped_by = f"more than {_MOST_FOUND:,} addresses were found"
                return
            self._found.add(_key(address))
            if not self._guard.is_trap(address):
                self._waiting.append((address, depth))

    def _document(self, page: Fetched, address: str) -> Iterator[Document | Skipped]:
        self._refused = 0
        self._run.present.add(self._id(address))
        try:
            with page.as_file(address) as path:
                yield from self._files.read(
                    path, uri=address, source=self._source, local_id=_local_id(address)
                )
        except InputError as error:
            yield Skipped(address, error.message)

    def _id(self, address: str) -> str:
        return f"{self._source}/{_local_id(address)}"


def _key(address: str) -> str:
    """Return what two addresses of one page have in common."""
    return address.partition("://")[2].rstrip("/")


def _local_id(address: str) -> str:
    """Return the id of a page without the source: its path and query."""
    parts = urlsplit(address)
    path = parts.path.strip("/") or "index"
    return f"{path}?{parts.query}" if parts.query else path
