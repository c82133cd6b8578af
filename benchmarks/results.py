"""Makes docs/results.md, and the marked tables of docs/figures.md, from the stored runs."""

from __future__ import annotations

import sys
from pathlib import Path

from results_page import fill_markers, load_results, results_page, results_tables

from hoptrail.core.errors import HoptrailError

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "results.md"
MARKED = (ROOT / "docs" / "figures.md",)


def main() -> int:
    """Write the page and fill in the marked tables."""
    try:
        sets = load_results(STORED)
        tables = results_tables(sets)
        for path in MARKED:
            text = path.read_text(encoding="utf-8")
            path.write_text(fill_markers(text, tables, path), encoding="utf-8")
    except HoptrailError as error:
        print(f"results: {error}", file=sys.stderr)
        return 1
    PAGE.write_text(results_page(sets), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
