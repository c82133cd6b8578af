"""Filters as they could have been typed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoptrail.core.filters.document_filter import filter_from_json
from hoptrail.core.filters.filter_text import parse_filter
from hoptrail.core.filters.written_filter import write_filter


@pytest.mark.parametrize(
    "text",
    [
        "author = Ada B",
        'part = "1900"',
        "year = 1900",
        "share >= 0.5",
        "is_final = true",
        'title = "war and peace"',
        'title = "a  b"',
        r'title = "a \"b\" \\ c"',
        '"published at" = x',
        '"not" = x',
        "author != Ada",
        "year in (1871, 1950)",
        'source not in (mail, "x, y")',
        "doc_id like notes/*",
        "not doc_id like notes/*",
        "date >= 2024-01-31 and (source = a or source = b)",
        "source = a or date < 2024 and not (year > 3 and year < 9)",
    ],
)
def test_what_was_typed_is_what_is_shown(text: str) -> None:
    assert write_filter(parse_filter(text)) == text


def test_several_comparisons_of_one_field_are_joined() -> None:
    form = {"not": {"field": "year", "gte": 1900, "lt": 1950}}
    assert write_filter(filter_from_json(form)) == "not (year >= 1900 and year < 1950)"


VALUES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["1", "true", "not x", "and", "5 or 6", "", " a", "0.50"]),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
CONDITIONS = st.one_of(
    st.builds(lambda name, value: {"field": name, "eq": value}, st.text(min_size=1), VALUES),
    st.builds(
        lambda name, values: {"field": name, "in": values},
        st.text(min_size=1),
        st.lists(VALUES, min_size=1, max_size=3),
    ),
    st.builds(lambda value: {"field": "f", "like": value}, st.text(max_size=12)),
)
FILTERS = st.recursive(
    CONDITIONS,
    lambda parts: st.one_of(
        st.builds(lambda part: {"not": part}, parts),
        st.builds(lambda some: {"and": some}, st.lists(parts, min_size=1, max_size=3)),
        st.builds(lambda some: {"or": some}, st.lists(parts, min_size=1, max_size=3)),
    ),
    max_leaves=5,
)


@settings(max_examples=40)
@given(FILTERS)
def test_what_is_shown_can_be_typed_and_stays_the_same(form: dict[str, object]) -> None:
    shown = write_filter(filter_from_json(form))
    assert write_filter(parse_filter(shown)) == shown
