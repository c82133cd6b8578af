"""Formulas that no program has calculated."""

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from hoptrail.indexing.loading.readers.formulas import Formulas


def values(path: Path, cells: dict[str, Any]) -> dict[tuple[int, int], float]:
    book = openpyxl.Workbook()
    other = book.create_sheet("More prices")
    other["B2"] = 40
    for place, value in cells.items():
        book.active[place] = value
    book.save(path / "a.xlsx")
    return Formulas(path / "a.xlsx").of("Sheet")


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("=SUM(A1:A3)", 6),
        ("=SUM(A1,A3,10)", 14),
        ("=A1+A2*A3", 7),
        ("=(A1+A2)*-A3", -9),
        ("=A3^2%", 3**0.02),
        ("=AVERAGE(A1:A4)", 2),
        ("=$A$2/4", 0.5),
        ("='More prices'!B2-1", 39),
        ("=MAX(A1:A3)-MIN(A1:A3)", 2),
        ("=A9", 0),
    ],
)
def test_sums_products_and_references_are_worked_out(
    tmp_path: Path, formula: str, value: float
) -> None:
    found = values(tmp_path, {"A1": 1, "A2": 2, "A3": 3, "A4": "three", "B1": formula})
    assert found == {(1, 2): pytest.approx(value)}


@pytest.mark.parametrize(
    "formula",
    ["=VLOOKUP(A1,A1:B3,2)", "=IF(A1>2,1,0)", "=B1", "=1/0", "=A1&A2", "=SUM(A1:XFD1048576)", "=("],
)
def test_other_formulas_have_no_value(tmp_path: Path, formula: str) -> None:
    assert values(tmp_path, {"A1": 1, "A2": 2, "B1": formula}) == {}


def test_formulas_that_lead_back_to_themselves_end(tmp_path: Path) -> None:
    assert values(tmp_path, {"A1": "=B1", "B1": "=A1+1"}) == {}


def test_a_chain_of_formulas_is_followed(tmp_path: Path) -> None:
    found = values(tmp_path, {"A1": 2, "A2": "=A1*2", "A3": "=A2*2"})
    assert found == {(2, 1): 4, (3, 1): 8}
