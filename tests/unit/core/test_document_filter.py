"""Which documents a filter allows, and which filters are refused."""

from __future__ import annotations

from typing import Any

import pytest

from hoptrail.core.document_filter import (
    check_fields,
    describe_fields,
    document_fields,
    filter_from_json,
)
from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.filter_text import parse_filter
from hoptrail.core.types import Document

REPORT = {
    "doc_id": "reports/2024/q1.md",
    "source": "reports",
    "author": "Ada",
    "year": "2024",
    "price": "1e3",
    "date": "2024-03-31",
    "modified": "2024-03-31T23:30:00",
    "sent": "2024-04-01T00:30:00+02:00",
    "tags": '["plan", "draft"]',
    "final": "true",
}


@pytest.mark.parametrize(
    "text",
    [
        "author = Ada",
        "author in (Bo, Ada)",
        "author != Bo",
        "not missing = x",
        "missing != x",
        "year = 2024.0",
        "year >= 2024 and year < 2025",
        "price > 999.5",
        "date >= 2024-03-31 and date <= 2024-03-31",
        "date = 2024-03",
        "date >= 2024",
        "date = 2024",
        "date < 2024-04",
        "modified = 2024-03-31",
        "sent = 2024-03-31",
        "sent <= 2024-03-31T22:30:00",
        "doc_id like reports/*.md",
        "doc_id like reports/????/q1.md",
        "tags = draft",
        "tags in (x, plan)",
        "final = true",
        "author = Bo or source = reports",
    ],
)
def test_a_document_that_meets_it_is_allowed(text: str) -> None:
    assert parse_filter(text).allows(REPORT)


@pytest.mark.parametrize(
    "text",
    [
        "author = ada",
        "author = Ad",
        "missing = x",
        "missing < 5",
        "author < 5",
        "author > 2024-01-01",
        "year > 2024",
        "date > 2024-03",
        "date > 2024-03-31",
        "date = 2024-04",
        "date < 2024",
        "modified > 2024-03-31",
        "sent >= 2024-04-01",
        "doc_id like reports/*.txt",
        "doc_id like reports",
        "tags = pla",
        "not tags = draft",
        "author = Ada and source = mail",
    ],
)
def test_a_document_that_does_not_is_left_out(text: str) -> None:
    assert not parse_filter(text).allows(REPORT)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "exactly one of"),
        ({"field": "a"}, "goes with one of"),
        ({"eq": 1}, "exactly one of"),
        ({"field": "a", "eq": 1, "not": {"field": "b", "eq": 1}}, "exactly one of"),
        ({"field": "a", "equals": 1}, "equals: Extra inputs"),
        ({"and": []}, "and"),
        ({"field": "a", "gte": "x"}, "neither a number nor a date"),
        ({"field": "a", "gte": True}, "neither a number nor a date"),
        ([], "filter: Input should be"),
        ({"field": "a", "in": list(map(str, range(20_000)))}, "too large"),
    ],
)
def test_another_form_is_refused(given: Any, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        filter_from_json(given)
    assert message in caught.value.message


def test_a_filter_nested_without_end_is_refused() -> None:
    nested: dict[str, Any] = {"field": "a", "eq": 1}
    for _ in range(5000):
        nested = {"not": nested}
    with pytest.raises(SettingsError, match="too large"):
        filter_from_json(nested)


def test_a_field_that_no_document_has_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="unknown field 'autor' .did you mean 'author'"):
        check_fields(parse_filter("autor = Ada"), REPORT)


def test_metadata_never_hide_a_documents_own_fields() -> None:
    document = Document("s/1", "T", "", "s", metadata={"source": "BBC", "author": "Ada"})
    assert document_fields(document) == {
        "doc_id": "s/1",
        "source": "s",
        "title": "T",
        "metadata.source": "BBC",
        "author": "Ada",
    }


def test_fields_are_told_with_their_commonest_values() -> None:
    told = describe_fields([{"a": "x"}, {"a": '["y", "x"]'}, {"b": "1"}])
    assert told == {
        "a": {"documents": 2, "values": ["x", "y"]},
        "b": {"documents": 1, "values": ["1"]},
    }
