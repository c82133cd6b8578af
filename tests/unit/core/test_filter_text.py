"""Filters as people type them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoptrail.core.document_filter import filter_from_json
from hoptrail.core.errors import SettingsError
from hoptrail.core.filter_text import parse_filter, write_filter

A = {"field": "a", "eq": 1}
B = {"field": "b", "eq": 2}
C = {"field": "c", "eq": 3}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a=1", A),
        ("a == '1'", {"field": "a", "eq": "1"}),
        ("a = 1.5", {"field": "a", "eq": 1.5}),
        ("a = -3", {"field": "a", "eq": -3}),
        ("a = true", {"field": "a", "eq": True}),
        ("a = 007", {"field": "a", "eq": "007"}),
        ("a = 1.50", {"field": "a", "eq": "1.50"}),
        ("a = 12 rooms", {"field": "a", "eq": "12 rooms"}),
        ("a like 19", {"field": "a", "like": "19"}),
        ("a = 1 and b = 2", {"and": [A, B]}),
        ("a=1 or b=2 and c=3", {"or": [A, {"and": [B, C]}]}),
        ("(a=1 or b=2) AND c=3", {"and": [{"or": [A, B]}, C]}),
        ("not a=1", {"not": A}),
        ("not (a=1 or b=2)", {"not": {"or": [A, B]}}),
        ("a != 1", {"not": A}),
        ("a in (1, 2)", {"field": "a", "in": [1, 2]}),
        ("a not in ('x y', z)", {"not": {"field": "a", "in": ["x y", "z"]}}),
        ("date >= 2024-01-01", {"field": "date", "gte": "2024-01-01"}),
        ("n<5", {"field": "n", "lt": 5}),
        ("doc_id like notes/*", {"field": "doc_id", "like": "notes/*"}),
        ("title = Annual report", {"field": "title", "eq": "Annual report"}),
        ('title = "war and peace"', {"field": "title", "eq": "war and peace"}),
        (r'title = "a \"b\" \\ c"', {"field": "title", "eq": 'a "b" \\ c'}),
        ("'published at' = x", {"field": "published at", "eq": "x"}),
        ("author.name = x", {"field": "author.name", "eq": "x"}),
        ('{"field": "a", "eq": 1}', A),
    ],
)
def test_a_text_stands_for_its_json_form(text: str, form: object) -> None:
    assert parse_filter(text).to_json() == form


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at the end: expected the name of a field"),
        ("a", "expected a comparison behind a"),
        ("a =", "at the end: expected a value"),
        ("a = and b = 2", "at 'and b = 2': expected a value"),
        ("a ~ 1", "at '~ 1': expected =, !="),
        ("a = 1 b = 2", "at '= 2': expected and, or, or the end"),
        ("(a = 1", "at the end: expected )"),
        ("a in 1", "at '1': expected ("),
        ("a = 'x", 'at "\'x": this cannot be read'),
        ("a > soon", "'soon' is neither a number nor a date"),
        ("(" * 20 + "a=1" + ")" * 20, "too deeply nested"),
        ("a=1 and " * 2000 + "a=1", "more than 10,000 characters"),
        ("{bad", "no valid JSON"),
    ],
)
def test_a_text_that_cannot_be_read_says_where(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_filter(text)
    assert message in caught.value.message
    assert "for example: author =" in caught.value.hint


def test_an_error_of_a_typed_filter_shows_no_place_in_its_json() -> None:
    with pytest.raises(SettingsError) as caught:
        parse_filter("a = 1 and b > soon")
    assert caught.value.message.startswith("the filter cannot be used: 'soon' is neither")


def test_several_texts_must_all_hold() -> None:
    assert parse_filter(["a=1", "b=2"]).to_json() == {"and": [A, B]}
    assert parse_filter(["a=1"]).to_json() == A


def test_equal_filters_have_one_digest_however_they_are_written() -> None:
    typed, sent = parse_filter("a = 1  and b==2"), parse_filter({"and": [A, B]})
    assert typed.digest == sent.digest
    assert typed.digest != parse_filter("a=1 or b=2").digest


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error_of_ours(text: str) -> None:
    try:
        form = parse_filter(text).to_json()
    except SettingsError:
        return
    assert parse_filter(form).to_json() == form


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
