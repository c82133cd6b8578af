from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.eval.oracle.noise import Noise


def test_the_share_of_flipped_decisions_is_about_what_was_asked_for() -> None:
    flipped = sum(Noise(0.1).flips("answer", f"q{i}") for i in range(2000))
    assert 150 < flipped < 250


def test_none_and_all_are_flipped_at_the_ends() -> None:
    names = [f"q{i}" for i in range(100)]
    assert not any(Noise(0.0).flips(name) for name in names)
    assert all(Noise(1.0).flips(name) for name in names)


def test_a_decision_does_not_depend_on_those_before_it() -> None:
    names = [f"q{i}" for i in range(50)]
    noise = Noise(0.5)
    forward = {name: noise.flips(name) for name in names}
    assert {name: Noise(0.5).flips(name) for name in reversed(names)} == forward


def test_another_seed_flips_others() -> None:
    names = [f"q{i}" for i in range(50)]
    drawn = [[Noise(0.5, seed).flips(name) for name in names] for seed in (1, 2)]
    assert drawn[0] != drawn[1]


def test_a_choice_is_one_of_the_options_and_stays() -> None:
    chosen = {Noise(seed=3).choose("abc", f"q{i}") for i in range(50)}
    assert chosen == {"a", "b", "c"}
    assert Noise(seed=3).choose("abc", "q") == Noise(seed=3).choose("abc", "q")


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_of_0_to_1_is_refused(share: float) -> None:
    with pytest.raises(SettingsError, match="from 0 to 1"):
        Noise(share)
