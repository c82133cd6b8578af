"""Answers and retrievals name the page, slide, sheet and row of what they cite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.everyday.packed_files import Row, xlsx
from benchmarks.everyday.placed_pdf import column, placed_pdf
from hoptrail import Hoptrail
from tests.ships import hashing_settings


@pytest.fixture(scope="module")
def hoptrail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hoptrail]:
    folder = tmp_path_factory.mktemp("office")
    (folder / "docs").mkdir()
    pages = [
        column("The slings are changed every five years.", left=60, top=700),
        column("Edda Thorn founded the Harbour Guild.", left=60, top=700),
    ]
    (folder / "docs/manual.pdf").write_bytes(placed_pdf(pages, title="Manual of the lift"))
    rows: list[Row] = [("Berth", "Price"), ("North Hall", 18400), ("South Hall", 13250)]
    (folder / "docs/prices.xlsx").write_bytes(xlsx({"Storage": rows}))
    with Hoptrail.open(
        folder / "kb", create=True, writable=True, settings=hashing_settings(), preset="offline"
    ) as opened:
        opened.index([folder / "docs"], source="office", extractor="nlp")
        yield opened


def test_a_citation_names_its_page(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask("Who founded the Harbour Guild?").to_contract()
    assert answer["answer"] == "Edda Thorn"
    assert [one["place"] for one in answer["citations"]] == ["page 2"]
    assert answer["trail"][0]["place"] == "page 2"


def test_a_nearest_passage_names_its_sheet_and_row(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask("Who cleans the South Hall?").to_contract()
    places = [one["place"] for one in answer["nearest"] if one["doc_id"] == "office/prices.xlsx"]
    assert places == ["sheet Storage, row 3"]


def test_a_retrieved_passage_names_all_that_it_spans(hoptrail: Hoptrail) -> None:
    passages = hoptrail.retrieve("price of the North Hall", retriever="bm25")["passages"]
    places = {one["doc_id"]: one["place"] for one in passages}
    assert places["office/prices.xlsx"] == "sheet Storage, rows 2-3"
