"""The draw: seeded, independent of the order, nested by size."""

from __future__ import annotations

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.datasets.example import Example
from hoptrail.eval.datasets.sampling import draw

EXAMPLES = [Example({"id": f"q{n:03}"}) for n in range(200)]


def ids(size: int, seed: int, examples: list[Example] = EXAMPLES) -> list[str]:
    return [example.question["id"] for example in draw(examples, size, seed).examples]


def test_the_order_of_the_source_does_not_matter() -> None:
    assert ids(20, 42) == ids(20, 42, EXAMPLES[::-1])


def test_another_seed_draws_others() -> None:
    assert ids(20, 42) != ids(20, 43)


def test_a_larger_draw_holds_the_smaller_one() -> None:
    assert set(ids(20, 42)) < set(ids(50, 42))


def test_zero_and_more_than_there_are_draw_all() -> None:
    assert ids(0, 42) == ids(500, 42) == [example.question["id"] for example in EXAMPLES]


def test_every_example_has_the_same_chance() -> None:
    drawn = [name for seed in range(200) for name in ids(50, seed)]
    counts = [drawn.count(example.question["id"]) for example in EXAMPLES]
    # Binomial(200, 1/4): mean 50, standard deviation 6.1.
    assert 50 - 4.5 * 6.1 < min(counts) and max(counts) < 50 + 4.5 * 6.1


def test_what_cannot_be_scored_is_counted() -> None:
    assert draw([EXAMPLES[0], None, None], 1, 42).left_out == 2


def test_an_id_may_stand_once() -> None:
    with pytest.raises(InputError, match="two questions have the id 'q000'"):
        draw([EXAMPLES[0], EXAMPLES[0]], 1, 42)
