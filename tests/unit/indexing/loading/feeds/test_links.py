"""Links of a page, and addresses without end."""

from __future__ import annotations

from hoptrail.indexing.loading.feeds.links import (
    PageLinks,
    TrapGuard,
    host_of,
    may_be_page,
    normalized,
    sitemap_addresses,
)

HERE = "https://example.org/docs/index.html"


def links(html: str, robots: str = "") -> list[str]:
    return list(PageLinks(html.encode(), HERE, robots).addresses())


def test_addresses_are_compared_without_what_names_no_other_page() -> None:
    assert (
        normalized("HTTPS://ida:key@Example.org:443/a?utm_source=x&page=2&b#top")
        == "https://example.org/a?page=2&b"
    )
    assert normalized("http://example.org") == "http://example.org/"
    assert host_of("http://example.org:8080/a") == "example.org:8080"


def test_links_are_resolved_and_other_schemes_left_out() -> None:
    html = """<base href="/base/"><a href="a.html">A</a><a href="//other.org/b">B</a>
        <a href="mailto:x@example.org">M</a><a href="javascript:go()">J</a><a href="">E</a>
        <a href="http://[broken/">X</a><a rel="ugc nofollow" href="n">N</a>"""
    assert links(html) == ["https://example.org/base/a.html", "https://other.org/b"]


def test_what_pages_and_servers_ask_of_robots_holds() -> None:
    html = '<meta name="ROBOTS" content="NoIndex, nofollow"><a href="a">A</a>'
    assert links(html) == [] and not PageLinks(html.encode(), HERE).is_to_be_read
    assert links('<a href="a">A</a>', "none") == []
    assert not PageLinks(b"%PDF", HERE, "noindex").is_to_be_read
    assert PageLinks(b"<p>Text", HERE).is_to_be_read


def test_pictures_archives_and_styles_are_no_pages() -> None:
    assert [may_be_page(f"https://e.org/a{end}") for end in ("", ".php", ".pdf", ".md")] == [
        True
    ] * 4
    assert not any(may_be_page(f"https://e.org/a{end}") for end in (".zip", ".PNG", ".css", ".mp4"))


def test_a_sitemap_and_an_index_of_sitemaps_list_addresses() -> None:
    listed = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <url><loc> https://e.org/a </loc></url><url><loc>ftp://e.org/b</loc></url></urlset>"""
    assert list(sitemap_addresses(listed.encode())) == ["https://e.org/a"]
    assert list(sitemap_addresses(b"")) == list(sitemap_addresses(b"<html")) == []


def test_addresses_without_end_are_noted() -> None:
    guard = TrapGuard()
    assert not guard.is_trap("https://e.org/a/b/c?page=2")
    assert guard.is_trap("https://e.org/next/next/next/next")
    assert guard.is_trap("https://e.org/" + "a/" * 3 + "x" * 2000)
    assert guard.is_trap("https://e.org/" + "/".join(map(str, range(30))))
    days = [guard.is_trap(f"https://e.org/calendar?day={day}") for day in range(200)]
    assert days.index(True) == 100 and days[-1]
    assert guard.example == "https://e.org/next/next/next/next"
    assert guard.count == 103
