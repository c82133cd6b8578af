import pytest

from hoptrail.eval.report.numbers import figure, interval, p_value, signed


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        (0.7725, "recall@5", "0.772"),
        (None, "recall@5", "–"),
        (100, "n", "100"),
        (4393.25, "tokens_mean", "4,393"),
        (1.5, "llm_calls_mean", "1.5"),
        (0.0421, "seconds_p50", "0.042 s"),
        (6.83, "seconds_p95", "6.8 s"),
        (0.00031, "usd_mean", "$0.00031"),
        (0.0, "usd_mean", "$0"),
    ],
)
def test_a_figure_has_the_digits_and_unit_of_its_metric(
    value: float | None, name: str, text: str
) -> None:
    assert figure(value, name) == text


def test_a_difference_shows_its_sign() -> None:
    assert [signed(value) for value in (0.05, -0.05, 0.0, -0.0001)] == [
        "+0.050",
        "\N{MINUS SIGN}0.050",
        "±0",
        "±0",
    ]


def test_intervals_and_p_values() -> None:
    assert interval((0.1, 0.25)) == "0.100 to 0.250"
    assert interval(None) == ""
    assert [p_value(p) for p in (0.0002, 0.0123)] == ["< 0.001", "0.012"]
