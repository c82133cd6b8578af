from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from hoptrail.prompts.forms.indexing import ReportForm


def form(**fields: Any) -> ReportForm:
    return ReportForm.model_validate({"title": "T", "summary": "S", **fields})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (7, 7.0),
        ("8.5", 8.5),
        ("8/10", 8.0),
        (42, 10.0),
        (-3, 0.0),
        (None, 0.0),
        ("high", 0.0),
        (math.nan, 0.0),
        (10**400, 10.0),
    ],
)
def test_a_rating_is_read_however_it_is_written(written: Any, read: float) -> None:
    assert form(rating=written).rating == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ([3, 5], [3, 5]),
        ("[3, 5]", [3, 5]),
        (["R3", "[5]"], [3, 5]),
        (7, [7]),
        (10**12, []),
        (None, []),
    ],
)
def test_references_are_read_however_they_are_written(written: Any, read: list[int]) -> None:
    (finding,) = form(findings=[{"summary": "A", "references": written}]).findings
    assert finding.references == read


def test_malformed_findings_are_left_out() -> None:
    findings = ["text", {"explanation": "no summary"}, {"summary": " "}, {"summary": "A"}]
    assert [finding.summary for finding in form(findings=findings).findings] == ["A"]
    assert form(findings="none").findings == []


def test_an_explanation_that_is_no_text_is_left_out() -> None:
    (finding,) = form(findings=[{"summary": "A", "explanation": ["x"], "references": [1]}]).findings
    assert (finding.explanation, finding.references) == ("", [1])


@pytest.mark.parametrize("missing", ["title", "summary"])
def test_a_report_needs_title_and_summary(missing: str) -> None:
    with pytest.raises(ValidationError):
        form(**{missing: "  "})
