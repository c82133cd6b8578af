"""The documentation as a site: built as `make site` does, read as a visitor does."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from hoptrail import __version__
from hoptrail.core.settings import Settings
from hoptrail.prompts.loader import SHIPPED
from tests.page import real_browser
from tests.public_names import public_names

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the site of this version beside that of an earlier one."""
    pytest.importorskip("mkdocs", reason="the extra dev is not installed")
    folder = tmp_path_factory.mktemp("site")
    earlier = folder / "0.1.0" / "index.html"
    earlier.parent.mkdir()
    earlier.write_text("<h1>As it was</h1>", encoding="utf-8")
    build(recipe("site-version"), "--site-dir", str(folder / __version__))
    return folder


@pytest.fixture(scope="module")
def site(versions: Path) -> Path:
    return versions / __version__


def recipe(target: str) -> str:
    """The first line that the Makefile runs for a target."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return makefile.partition(f"\n{target}:")[2].splitlines()[1].strip()


def build(line: str, *arguments: str, cwd: Path = ROOT) -> None:
    line = line.replace("$(BIN)", str(Path(sys.executable).parent)).replace("$$", "$")
    # The folder of the sources alone, as they are installed: no root that pytest itself has.
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        " ".join([line, *arguments]),
        shell=True,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


class Links(HTMLParser):
    """The links of a page, what it loads, and the places in it that links may name."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in ("script", "img", "iframe") and "src" in given:
            self.loaded.append(given["src"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(given["href"])


@functools.cache
def read(page: Path) -> Links:
    return Links(page)


def pages(site: Path) -> list[Path]:
    return [page for page in sorted(site.rglob("*.html")) if page.name != "404.html"]


def test_every_link_leads_to_a_page_and_a_place_in_it(site: Path) -> None:
    broken = [
        f"{page.relative_to(site)}: {link}"
        for page in pages(site)
        for link in read(page).links
        if not leads_somewhere(page, link)
    ]

    assert broken == []
    assert len(pages(site)) > 40


def leads_somewhere(page: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or not link:
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return target.is_dir()
    place = unquote(parts.fragment)
    return not place or target.suffix != ".html" or place in read(target).places


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = {one for page in pages(site) for one in read(page).loaded}

    assert loaded
    assert [one for one in loaded if urlsplit(one).scheme or one.startswith("//")] == []


def test_the_reference_names_every_command_option_setting_route_and_prompt(site: Path) -> None:
    def text(name: str) -> str:
        return (site / "reference" / f"{name}.html").read_text(encoding="utf-8")

    commands = text("cli")
    hidden = {"--install-completion", "--show-completion", "--help", "-h"}
    for name, options in public_names().items():
        if name.startswith("hoptrail ") and " " not in name.removeprefix("hoptrail "):
            assert f">{name}<" in commands, name
            assert [one for one in options if one not in commands and one not in hidden] == []
    assert all(f"<code>{name}</code>" in text("settings") for name in Settings.model_fields)
    assert all(f">{name}<" in text("prompts") for name in SHIPPED.load_all())
    for route in ("POST /api/v1/ask", "GET /api/v1/threads", "POST /v1/chat/completions"):
        assert route in text("http")
    for name in ("Hoptrail", "aask", "stream", "RetrieverContract"):
        assert f">{name}<" in text("python"), name
    assert "TrailHop" in text("json")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_site_and_that_of_a_version_are_built_alike() -> None:
    assert recipe("site-version").partition(" --site-dir ")[0] == recipe("site")


def test_a_site_in_another_folder_offers_no_versions(tmp_path: Path) -> None:
    config = pytest.importorskip("mkdocs.config", reason="the extra dev is not installed")
    loaded = config.load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site"))
    assert "version" not in loaded.plugins.on_config(loaded).extra


def test_a_version_offers_those_beside_it(versions: Path) -> None:
    with served(versions) as address, real_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        offered = page.locator(".md-version__link")
        offered.first.wait_for(state="attached")

        assert page.url == f"{address}/{__version__}/index.html"
        assert offered.all_text_contents() == [__version__, "0.1.0"]


def test_the_search_finds_a_page(site: Path) -> None:
    asked: list[str] = []
    with served(site) as address, real_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/index.html")
        page.locator(".md-search__input").click()
        page.keyboard.type("forged identity")
        page.locator(".md-search-result__item").first.wait_for()

        titles = " ".join(page.locator(".md-search-result__item h1, h2").all_inner_texts())

    assert "Single sign-on" in titles or "Deployment" in titles
    assert [url for url in asked if not url.startswith(address)] == []


def test_every_method_has_its_picture() -> None:
    from hoptrail.graphs.presets import PRESETS

    drawn = {picture.stem for picture in (ROOT / "docs" / "pictures").glob("*.svg")}
    without_method = {"auto", "closed_book", "full_context"}  # a choice of others, and two bounds

    assert drawn == PRESETS.keys() - without_method
    told = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert all(f"](pictures/{name}.svg)" in told for name in drawn)
