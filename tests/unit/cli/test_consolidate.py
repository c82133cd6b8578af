from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from hoptrail.cli.consolidate import forecast_table, show_report
from hoptrail.core.types import NodeUsage

USAGE = NodeUsage(1200, 900, 100, usd=0.5).to_json()
REPORT = {"merged": 3, "apart": 1000, "labelled": 0, "unlabelled": 0, "failed": 0, "usage": USAGE}


def shown(**fields: Any) -> list[str]:
    stream = io.StringIO()
    show_report({**REPORT, **fields}, Console(file=stream, width=80, markup=False))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_report_tells_pairs_and_cost() -> None:
    assert shown() == [
        "pairs merged      3",
        "pairs kept apart  1,000",
        "model             1,200 calls, 1,000 tokens, $0.50",
    ]


def test_a_report_tells_types_and_failures_where_there_are_any() -> None:
    lines = shown(labelled=2, unlabelled=1, failed=4)
    assert "types left        1" in lines
    assert lines[-1] == "4 calls failed; run again to repeat them"


def test_a_forecast_without_a_price_says_so() -> None:
    numbers = {"types": 1, "entities": 2, "calls": 3, "prompt_tokens": 4, "completion_tokens": 5}
    table = forecast_table({**numbers, "usd": None})
    assert list(table.columns[1].cells) == ["1", "2", "3", "4", "5", "price unknown"]
