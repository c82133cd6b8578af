from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console

from hoptrail.cli.communities import forecast_table, show_report, show_reports, show_tree
from hoptrail.core.types import Community, Finding, NodeUsage

LEVEL = {"level": 0, "communities": 7, "reported": 6, "reused": 2, "made": 4, "dropped": 1}
REPORT: dict[str, Any] = {
    "levels": [LEVEL, {**LEVEL, "level": 1, "communities": 1300}],
    "failed": [{"community_id": "c9", "reason": "the model sent no JSON"}],
    "usage": NodeUsage(9, 900, 100, usd=0.01).to_json(),
    "seconds": {"cluster": 0.1, "report": 4.0, "embed": 1.0, "store": 0.2},
    "resumable": True,
}
FINDINGS = (Finding("Salt and ships", "They carry salt.", ("r1",)), Finding("It rains."))
COAST = Community("c", 0, "The coast", "Two ports.", 7.5, "", FINDINGS, None, 1200)
PORT = Community("p", 1, "Port [bold]Elm", "A port.", 3.0, "", (), "c", 40)
INLET = Community("i", 1, parent="c", size=60)


def text_of(show: Callable[[Any, Console], None], shown: Any) -> str:
    stream = io.StringIO()
    show(shown, Console(file=stream, width=100, highlight=False, emoji=False, markup=False))
    return stream.getvalue()


def test_a_run_is_told_level_by_level_with_what_it_took() -> None:
    text = text_of(show_report, REPORT)
    assert "1,300" in text
    assert "9 calls, 1,000 tokens, $0.010" in text
    assert "written without the model: 1" in text
    assert "c9: the model sent no JSON" in text
    assert "run again" in text


def test_a_graph_without_communities_is_told_so() -> None:
    assert "no relations" in text_of(show_report, {**REPORT, "levels": []})


def test_the_tree_shows_parts_below_their_whole_the_largest_first() -> None:
    text = text_of(show_tree, [COAST, PORT, INLET])
    assert text.splitlines() == [
        "3 communities",
        "└── The coast  level 0, 1,200 entities, rating 7.5",
        "    ├── no report yet  level 1, 60 entities",
        "    └── Port [bold]Elm  level 1, 40 entities, rating 3",
    ]


def test_a_long_list_of_communities_is_cut() -> None:
    many = [Community(f"c{n}", 0, f"Part {n}", "Text.", size=n) for n in range(30)]
    assert "10 smaller ones" in text_of(show_tree, many)
    assert "and 10 more" in text_of(show_reports, many)


def test_reports_are_shown_in_full_the_highest_rated_first() -> None:
    text = text_of(show_reports, [PORT, COAST])
    assert text.index("The coast") < text.index("Port [bold]Elm")
    assert "  - Salt and ships: They carry salt." in text
    assert "  - It rains.\n" in text


def test_what_is_not_there_is_told() -> None:
    nothing: Sequence[Community] = []
    assert "run hoptrail communities" in text_of(show_tree, nothing)
    assert "no communities on this level" in text_of(show_reports, nothing)


def test_the_forecast_says_if_the_price_is_unknown() -> None:
    forecast = {
        "communities": 12,
        "calls": 3,
        "prompt_tokens": 9000,
        "completion_tokens": 100,
        "usd": None,
        "minutes": 0.5,
    }
    stream = io.StringIO()
    Console(file=stream, width=80).print(forecast_table(forecast))
    assert "price unknown" in stream.getvalue()
    assert "9,000" in stream.getvalue()
