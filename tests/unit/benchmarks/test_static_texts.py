from __future__ import annotations

from benchmarks.static_texts import (
    drawn,
    names_of,
    sentences_of,
    statements_of,
)


def test_sentences_end_at_a_stop_before_a_capital() -> None:
    text = "The Oskel rises\nnear  Brackenholm. It flows for 3.5 miles to the sea. Yes."
    assert sentences_of(text) == [
        "The Oskel rises near Brackenholm.",
        "It flows for 3.5 miles to the sea.",
    ]


def test_names_are_runs_of_capitals_also_over_a_small_word() -> None:
    sentence = "there the Bank of Dorrin and Ida Vance-Holt met O’Hara."
    assert names_of(sentence) == ["Bank of Dorrin and Ida Vance-Holt", "O’Hara"]


def test_a_statement_goes_from_a_name_to_the_next_one() -> None:
    assert statements_of("Ida Vance was born in Dorrin.") == ["Ida Vance was born in Dorrin"]
    assert not statements_of("Ida Vance, Dorrin")
    assert not statements_of(f"Ida Vance {'who said this and that '.strip() * 3} in Dorrin")


def test_what_is_drawn_does_not_hang_on_order_or_repetitions() -> None:
    texts = [f"text {number}" for number in range(50)]
    assert drawn(texts, 10) == drawn([*reversed(texts), *texts], 10)
    assert len(drawn(texts, 60)) == 50


def test_a_text_more_changes_one_of_those_drawn_at_most() -> None:
    texts = [f"text {number}" for number in range(50)]
    before = drawn(texts, 10)
    for more in ("one", "two", "three", "four"):
        assert len(set(drawn([*texts, more], 10)) - set(before)) <= 1
