"""The page of `hoptrail web` in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = {"narrow": (390, 800), "wide": (1280, 860), "widest": (1600, 1000)}


@dataclass
class Visit:
    """An open page, and what went wrong in it."""

    page: Page
    address: str
    faults: list[str] = field(default_factory=list)

    def go(self, hash: str = "") -> None:
        """Open a view by its address, as a link from elsewhere does."""
        if self.page.url != "about:blank":
            self.page.goto("about:blank")
        self.page.goto(f"{self.address}/{hash}")

    def show(self, view: str) -> None:
        """Open a view by its link, on a narrow screen from the menu."""
        menu = self.page.get_by_role("button", name="Menu")
        if menu.is_visible():
            menu.click()
        self.page.get_by_role("link", name=view, exact=True).click()

    def ask(self, question: str) -> None:
        """Ask and wait until the answer is there."""
        turns = self.page.locator(".turn")
        before = turns.count()
        self.page.get_by_label("Question").fill(question)
        self.page.keyboard.press("Enter")
        turns.nth(before).locator(".figures").wait_for()

    def search(self, text: str, entity: str) -> None:
        """Browse to the one entity that a text finds."""
        self.show("Browse")
        self.page.get_by_label("What does it know of?").fill(text)
        # The list of all entities has it too: it is clicked in the list that was searched.
        self.page.locator(".entities li:only-child").get_by_role("link", name=entity).click()

    @property
    def answer(self) -> str:
        """The text of the last answer."""
        return self.page.locator(".answer .text").last.inner_text()


@contextmanager
def real_browser() -> Iterator[Browser]:
    """Run Chromium; the test is skipped where it or Playwright is not installed."""
    playwright: Any = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visiting(
    browser: Browser,
    address: str,
    size: str = "wide",
    scheme: str = "light",
    login: tuple[str, str] | None = None,
) -> Iterator[Visit]:
    """Open the page in a fresh profile; a fault of its scripts or a refused one fails the test."""
    width, height = SIZES[size]
    options: Any = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
    if login is not None:
        options["http_credentials"] = {"username": login[0], "password": login[1]}
    context = browser.new_context(**options, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(30_000)
    visit = Visit(page, address)
    page.on("pageerror", lambda error: visit.faults.append(str(error)))
    page.on("dialog", lambda dialog: visit.faults.append(dialog.message))
    page.on("console", lambda said: _remember(visit, said.type, said.text))
    try:
        visit.go()
        yield visit
    finally:
        context.close()
    assert visit.faults == []


def _remember(visit: Visit, kind: str, text: str) -> None:
    # A request that is refused on purpose is logged by the browser too.
    if kind == "error" and "Failed to load resource" not in text:
        visit.faults.append(text)
