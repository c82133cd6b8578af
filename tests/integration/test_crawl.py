"""Crawls of a web site on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.feeds.crawl import Crawl
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.options import IndexOptions
from hoptrail.testing import HashingEmbedder
from tests.web_site import WebSite, page, serving

pytestmark = pytest.mark.slow

KEEL = "Tor Lie laid the keel of the Varde in 1911."
GUILD = "Edda Thorn founded the Thorn Guild in Brackenholm in 1954."


@pytest.fixture
def site() -> Iterator[WebSite]:
    pages: dict[str, str | bytes | int] = {
        "/": page(GUILD, "a.html", "/b", "b#part", "http://localhost/elsewhere"),
        "/a.html": page(KEEL, "/deep/c"),
        "/b": page("Ida Holm lives in Varde since 1999.", "/"),
        "/deep/c": page("Signe Holm built the tower.", "/deep/d"),
        "/deep/d": page("Lund is old."),
    }
    with serving(WebSite(pages)) as served:
        yield served


def crawl(
    site: WebSite, path: str = "/", *, private: bool = True, **choices: object
) -> tuple[Crawl, list[str], dict[str, str]]:
    """Return the crawl, the ids of its documents without the source, and the reasons by place."""
    feed = Crawl(f"{site.url}{path}", name="site", **{"delay": 0.0, **choices})  # type: ignore[arg-type]
    came = list(load_documents([feed], private_addresses=private))
    ids = [one.id.removeprefix("site/") for one in came if isinstance(one, Document)]
    reasons = {
        one.path.removeprefix(site.url): one.reason for one in came if isinstance(one, Skipped)
    }
    return feed, ids, reasons


def test_pages_of_the_host_are_read_up_to_the_depth(site: WebSite) -> None:
    feed, ids, reasons = crawl(site, depth=1)
    assert (ids, reasons) == (["index", "a.html", "b"], {})
    assert feed.run.stopped_by is None
    assert site.asked == ["/robots.txt", "/", "/a.html", "/b"]
    assert crawl(site, depth=0)[1] == ["index"]
    assert crawl(site, depth=9)[1] == ["index", "a.html", "b", "deep/c", "deep/d"]


def test_only_what_lies_below_the_folder(site: WebSite) -> None:
    site.pages["/deep/c"] = page("Signe Holm built the tower.", "/", "d")
    assert crawl(site, "/deep/c", below=True)[1] == ["deep/c", "deep/d"]


def test_private_addresses_are_refused(site: WebSite) -> None:
    feed, ids, reasons = crawl(site, private=False)
    assert ids == [] and "is the private address 127.0.0.1" in reasons["/"]
    assert site.asked == [] and feed.run.stopped_by is not None


def test_robots_txt_holds_with_its_wildcards(site: WebSite) -> None:
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /*/d$\nDisallow: /a\nAllow: /a.html\n"
    _, ids, reasons = crawl(site, depth=9)
    assert ids == ["index", "a.html", "b", "deep/c"]
    assert reasons == {"/": "1 page that robots.txt does not allow"}
    assert "/deep/d" not in site.asked


def test_a_robots_txt_for_this_program_forbids_all(site: WebSite) -> None:
    site.pages["/robots.txt"] = "User-agent: hoptrail\nDisallow: /\n"
    assert crawl(site)[1] == [] and site.asked == ["/robots.txt"]


def test_without_an_answer_for_robots_txt_nothing_is_read(site: WebSite) -> None:
    site.pages["/robots.txt"] = 503
    feed, ids, reasons = crawl(site)
    assert ids == [] and "without its robots.txt" in reasons["/"]
    assert feed.run.stopped_by is not None


def test_robots_txt_says_how_often_it_is_asked(
    site: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("hoptrail.indexing.loading.feeds.crawl.time.sleep", waited.append)
    site.pages["/robots.txt"] = "User-agent: *\nCrawl-delay: 7\n"
    crawl(site, depth=1)
    assert [round(one) for one in waited] == [0, 7, 7]


def test_pages_that_ask_not_to_be_read_or_followed(site: WebSite) -> None:
    site.pages["/a.html"] = page(KEEL, "/deep/c", head='<meta name="robots" content="noindex">')
    site.headers["/deep/c"] = {"X-Robots-Tag": "nofollow"}
    assert crawl(site, depth=9)[1] == ["index", "b", "deep/c"]


def test_a_trap_is_left_within_the_limits(site: WebSite) -> None:
    site.pages["/b"] = page("Days.", "/calendar")
    feed, ids, reasons = crawl(site, depth=300)
    assert 100 < len(ids) < 130  # a hundred days, and three times "next"
    assert "addresses that seem to have no end, such as" in reasons["/"]
    assert feed.run.stopped_by is None

    feed, ids, reasons = crawl(site, depth=300, max_pages=10)
    assert len(ids) == 10
    assert reasons["/"].startswith("stopped after 10 pages, the limit; ")
    assert feed.run.stopped_by is not None


def test_time_is_limited(site: WebSite) -> None:
    feed, ids, reasons = crawl(site, max_seconds=0.0)
    assert ids == [] and reasons["/"].startswith("stopped after 0 seconds, the limit")


def test_redirects_lead_to_one_page_and_not_out_of_the_site(site: WebSite) -> None:
    site.pages["/b"] = "-> /a.html"
    site.pages["/deep/c"] = "-> http://localhost:1/x"
    _, ids, reasons = crawl(site)
    assert ids == ["index", "a.html"]
    assert reasons == {"/deep/c": "redirects to http://localhost:1/x, which is not crawled"}


def test_the_site_is_where_the_first_address_leads(site: WebSite) -> None:
    with serving(WebSite({"/start": f"-> {site.url}/a.html"})) as other:
        feed, ids, _ = crawl(other, "/start")
    assert ids == ["a.html", "deep/c", "deep/d"]


def test_what_cannot_be_had_now_keeps_its_document_and_what_lies_behind(site: WebSite) -> None:
    site.pages["/a.html"] = 500
    feed, ids, reasons = crawl(site)
    assert ids == ["index", "b"]
    assert reasons == {"/a.html": "the server answers with status 500"}
    assert "site/a.html" in feed.run.present and feed.run.stopped_by is not None

    site.pages["/a.html"] = 404
    feed, ids, reasons = crawl(site)
    assert "site/a.html" not in feed.run.present and feed.run.stopped_by is None


def test_a_server_that_asks_for_fewer_requests_is_left_alone(site: WebSite) -> None:
    site.pages = {"/": page(GUILD, *(f"/{number}" for number in range(20)))}
    site.pages |= {f"/{number}": 429 for number in range(20)}
    feed, _, reasons = crawl(site)
    assert len(site.asked) == 2 + 3
    assert reasons["/"].startswith("the server asks for fewer requests")


def test_a_sitemap_names_the_pages(site: WebSite) -> None:
    listed = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/b", "/deep/d"))
    head = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    site.pages["/sitemap.xml"] = f"{head}{listed}</urlset>"
    assert crawl(site, "/sitemap.xml", depth=0)[1] == ["b", "deep/d"]


def test_documents_that_pages_link_to_are_read(site: WebSite) -> None:
    site.pages["/b"] = page("See the notes.", "/notes.txt", "/hull.png", "/all.zip")
    site.pages["/notes.txt"] = KEEL
    assert "notes.txt" in crawl(site)[1]
    assert not {"/hull.png", "/all.zip"} & set(site.asked)


def test_a_crawl_is_kept_in_step(site: WebSite, tmp_path: Path) -> None:
    feed = Crawl(f"{site.url}/", name="site", delay=0.0)
    choices = IndexOptions(extractor="nlp", private_addresses=True)
    with Hoptrail.open(tmp_path / "kb", create=True, embedder=HashingEmbedder()) as h:
        assert h.index(feed, options=choices)["documents"]["added"] == 4
        site.pages["/b"] = 404
        site.pages["/deep/c"] = page("Signe Holm built the tower of Lund in 1950.")
        site.pages["/a.html"] = 500
        report = h.sync(feed, options=choices)
        assert report["deleted"] == [] and "not read to its end" in report["notes"][0]

        site.pages["/a.html"] = page(KEEL, "/deep/c")
        report = h.sync(feed, options=choices)

        assert report["deleted"] == ["site/b"]
        counts = report["documents"]
        assert (counts["replaced"], counts["unchanged"]) == (1, 2)
        assert h.ask("Who laid the keel of the Varde?").answers[0].text == "Tor Lie"
