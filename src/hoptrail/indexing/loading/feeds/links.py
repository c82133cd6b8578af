"""Which addresses a page names, and which of them are pages of a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.raw_bytes import decoded
from hoptrail.indexing.loading.readers.registry import NOT_READ, READERS
from hoptrail.indexing.loading.readers.web_pages import parsed
from hoptrail.indexing.loading.web_addresses import is_address

_PICTURES = frozenset(name for name, read in READERS.items() if read.startswith("pictures."))
_NO_PAGES = _PICTURES | NOT_READ | {".atom", ".css", ".js", ".rss", ".woff", ".woff2"}
_TRACKERS = ("utm_", "fbclid", "gclid", "msclkid", "mc_cid", "mc_eid")
_LONGEST = 1000  # characters
_DEEPEST = 20  # parts of a path
_MOST_REPEATED = 3  # times that a part of a path comes back in it
_MOST_QUERIES = 100  # pages of one path


def normalized(address: str) -> str:
    """Return an address as it is compared: without fragment, account and what tracks a reader."""
    parts = urlsplit(address)
    query = "&".join(one for one in parts.query.split("&") if not one.lower().startswith(_TRACKERS))
    return urlunsplit((parts.scheme.lower(), host_of(parts), parts.path or "/", query, ""))


def host_of(address: str | SplitResult) -> str:
    """Return the host of an address with its port, unless that is the usual one."""
    parts = urlsplit(address) if isinstance(address, str) else address
    host = parts.netloc.rpartition("@")[2].lower()
    return host.removesuffix(":443" if parts.scheme.lower() == "https" else ":80")


class PageLinks:
    """The links of a page of HTML, and its wishes to programs that follow them.

    Args:
        data: The page.
        address: Its address.
        robots: The header of that name.
    """

    def __init__(self, data: bytes, address: str, robots: str = "") -> None:
        try:
            page = parsed(decoded(data))
        except InputError:
            page = None
        self._page = page
        metas = page.iter("meta") if page is not None else ()
        named = (one for one in metas if str(one.get("name", "")).lower() == "robots")
        told = ",".join([robots, *(str(one.get("content", "")) for one in named)]).lower()
        words = {word.strip() for word in told.split(",")}
        self.is_to_be_read = not words & {"noindex", "none"}
        """Whether its text may be read."""
        self._is_to_be_followed = not words & {"nofollow", "none"}
        base = page.find(".//base[@href]") if page is not None else None
        self._base = address if base is None else urljoin(address, str(base.get("href")))

    def addresses(self) -> Iterator[str]:
        """Yield the addresses that it links to, as far as they may be followed."""
        if self._page is None or not self._is_to_be_followed:
            return
        for link in self._page.iter("a", "area"):
            target = str(link.get("href") or "").strip()
            if not target or "nofollow" in str(link.get("rel", "")).lower().split():
                continue
            try:
                address = normalized(urljoin(self._base, target))
            except ValueError:  # brackets that are no address of IPv6
                continue
            if is_address(address):
                yield address


def sitemap_addresses(data: bytes) -> Iterator[str]:
    """Yield the addresses that a sitemap, or an index of sitemaps, lists."""
    from lxml.etree import XMLParser, XMLSyntaxError, fromstring

    parser = XMLParser(
        no_network=True, resolve_entities=False, recover=True, load_dtd=False, huge_tree=False
    )
    try:
        root = fromstring(data, parser=parser)
    except XMLSyntaxError:
        return
    for element in root.iter("{*}loc") if root is not None else ():
        address = (element.text or "").strip()
        if is_address(address):
            yield normalized(address)


class TrapGuard:
    """Tells addresses that a site makes without end, such as those of a calendar."""

    def __init__(self) -> None:
        self._queries: Counter[str] = Counter()
        self.count = 0
        """Addresses that were taken for such."""
        self.example = ""
        """The first of them."""

    def is_trap(self, address: str) -> bool:
        """Return whether an address, asked about once, is taken for one, and note it."""
        parts = urlsplit(address)
        path = [one for one in parts.path.split("/") if one]
        is_endless = (
            len(address) > _LONGEST
            or len(path) > _DEEPEST
            or max(Counter(path).values(), default=0) > _MOST_REPEATED
        )
        if parts.query and not is_endless:
            self._queries[parts.path] += 1
            is_endless = self._queries[parts.path] > _MOST_QUERIES
        if is_endless:
            self.count += 1
            self.example = self.example or address
        return is_endless


def may_be_page(address: str) -> bool:
    """Return whether an address may be a page or a document, as its end tells."""
    return PurePosixPath(urlsplit(address).path).suffix.lower() not in _NO_PAGES
