from __future__ import annotations

from typing import Any

import pytest

from hoptrail.cli.index_view import failed_lines, nothing_read


def failed(doc_id: str, reason: str, place: str | None = None) -> dict[str, Any]:
    return {"chunk_id": "0" * 16, "reason": reason, "doc_id": doc_id, "place": place}


def test_failures_are_told_by_cause_the_most_frequent_first() -> None:
    rows = [
        failed("d/a", "no readable reply: empty"),
        failed("d/b", "the server has an error: HTTP 500: a"),
        failed("d/c", "the server has an error: HTTP 500: b"),
    ]
    first, documents, second, *_ = failed_lines(rows, 15)
    assert first == "2 of 15 passages not read by the model: the server has an error: HTTP 500: a"
    assert documents == "  in d/b, d/c"
    assert second.startswith("1 of 15 passages")


def test_a_document_is_named_once_with_its_places() -> None:
    rows = [failed("d/a", "no", f"page {number}") for number in (1, 2, 2, 3, 4)]
    assert failed_lines(rows, 9)[1] == "  in d/a (page 1; page 2; page 3; ...)"


def test_many_failures_take_few_lines() -> None:
    rows = [failed(f"d/{number}", f"cause {number % 7}") for number in range(70)]
    lines = failed_lines(rows, 70)
    assert len(lines) == 8
    assert "and 5 more" in lines[1]
    assert "and 40 more of other causes" in lines[-2]


def test_what_to_do_next_is_told_where_something_failed() -> None:
    assert "hoptrail index --retry-failed" in failed_lines([failed("d/a", "no")], 1)[-1]
    assert failed_lines([], 1) == []


@pytest.mark.parametrize(
    ("by_model", "in_vain", "is_error"), [(0, 3, True), (1, 3, False), (0, 0, False)]
)
def test_it_is_an_error_that_the_model_read_nothing(
    by_model: int, in_vain: int, is_error: bool
) -> None:
    read = {"by_model": by_model, "by_rules": 3, "failed": in_vain}
    assert (nothing_read({"read": read}) is not None) is is_error
