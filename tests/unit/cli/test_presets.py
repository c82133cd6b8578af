from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from hoptrail.cli.presets import presets, show_presets
from hoptrail.graphs.presets import PRESETS
from tests.conftest import ROOT

RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    presets(as_json=True)
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)["presets"]}


def test_every_preset_is_listed_and_described(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys)

    assert set(rows) == set(PRESETS)
    assert [name for name, row in rows.items() if not (row["does"] and row["choose_for"])] == []


def test_offline_and_tables_need_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys)

    assert [name for name, row in rows.items() if not row["needs_model"]] == [
        "tables",
        "offline",
    ]


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_the_terminal(capsys: pytest.CaptureFixture[str], width: int) -> None:
    stream = io.StringIO()
    show_presets(list(listed(capsys).values()), Console(file=stream, width=width))

    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert [name for name in PRESETS if not any(f" {name} " in line for line in lines)] == []


def test_the_model_calls_are_those_of_the_results() -> None:
    """A run of a preset with perfect replies is called NAME-oracle there."""
    told = {name: PRESETS[name].mean_calls for name in PRESETS if PRESETS[name].mean_calls}
    rows = re.findall(r"^\| (\w+)-oracle \| \d+ \|.*\| ([\d.]+) \| [\d,]+ \|", RESULTS, re.M)
    measured: dict[str, list[float]] = {}
    for name, calls in rows:
        measured.setdefault(name, []).append(float(calls))

    assert told == {name: (min(calls), max(calls)) for name, calls in measured.items()}


def test_the_page_names_every_preset() -> None:
    assert [
        name for name in PRESETS if f"| `{name}`" not in PAGE and f", `{name}`" not in PAGE
    ] == []
