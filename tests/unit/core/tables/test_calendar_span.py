import pytest

from hoptrail.core.tables.calendar_span import calendar_span


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("from January to March 2024", {1, 2, 3}),
        ("the third quarter", {7, 8, 9}),
        ("Q3", {7, 8, 9}),
        ("2023 Second half Good", {7, 8, 9, 10, 11, 12}),
        ("Winter (Oct-Mar)", {10, 11, 12, 1, 2, 3}),
        ("the first three months of 2023", {1, 2, 3}),
        ("in July, what may I do", {7}),
        ("Day ticket 24.00", set()),
    ],
)
def test_months_quarters_and_halves_are_named(text: str, months: set[int]) -> None:
    assert calendar_span(text).months == months


def test_a_span_holds_the_days_within_it() -> None:
    span = calendar_span("over the first seven days of March 2024")
    assert span.holds("2024-03-07")
    assert span.holds("03-07")
    assert not span.holds("2024-03-08")
    assert not span.holds("2023-03-07")
    assert calendar_span("on 12 March 2024").holds("2024-03-12 08:00")
    assert calendar_span("in January").holds("01")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("from 1 to the 3rd of March 2024", {"2024-03-01", "2024-03-02", "2024-03-03"}),
        ("between 1 and 3 March", {"03-01", "03-02", "03-03"}),
        ("on 3 and 12 May 2024", {"2024-05-03", "2024-05-12"}),
    ],
)
def test_days_may_be_named_by_the_first_and_the_last_or_in_a_pair(
    text: str, days: set[str]
) -> None:
    assert calendar_span(text).days == days
