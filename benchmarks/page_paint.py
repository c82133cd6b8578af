"""How soon a browser shows the page of `hoptrail web`, and how much it loads for it.

    python benchmarks/page_paint.py [--loads 20]

A fresh profile of Chromium opens the page of a small base again and again. It prints one JSON
object: seconds from the request to the first contentful paint, and what was transferred.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from web_load import BASES, Server, documents_of

from hoptrail import Hoptrail

LIMIT = 0.3  # seconds
_PAINT = """() => new Promise(resolve => new PerformanceObserver(list => {
    const paint = list.getEntriesByName('first-contentful-paint')[0];
    if (paint) resolve(paint.startTime / 1000);
}).observe({type: 'paint', buffered: true}))"""
_BYTES = """() => [...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource')].reduce((sum, one) => sum + one.transferSize, 0)"""


def main() -> None:
    """Open the page, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--loads", type=int, default=20)
    loads = parser.parse_args().loads
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        parser.error("no Chromium is installed")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        for base in BASES:
            with Hoptrail.open(folder / base, create=True) as hoptrail:
                hoptrail.index(documents_of(base), extractor="nlp")
        server = Server(folder)
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        seen = [paint(browser, server.url) for _ in range(loads + 1)][1:]  # the first starts up
        browser.close()
        server.end(signal.SIGTERM)
    seconds = [one for one, _ in seen]
    report = {
        "loads": loads,
        "first_paint_p50": round(statistics.median(seconds), 3),
        "first_paint_most": round(max(seconds), 3),
        "over_limit": sum(one > LIMIT for one in seconds),
        "kilobytes": round(seen[0][1] / 1000, 1),
    }
    print(json.dumps(report, indent=2))


def paint(browser: Browser, url: str) -> tuple[float, float]:
    """Return the seconds to the first contentful paint, and the bytes that were transferred."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(url, wait_until="networkidle")
    seconds, size = float(page.evaluate(_PAINT)), float(page.evaluate(_BYTES))
    context.close()
    return seconds, size


if __name__ == "__main__":
    main()
