from __future__ import annotations

from hoptrail.retrievers.base.lru_cache import Recent


def test_a_known_value_is_not_made_again() -> None:
    recent: Recent[list[int]] = Recent(2)
    assert recent.get("a", lambda: [1]) is recent.get("a", lambda: [2])


def test_the_value_that_was_asked_for_longest_ago_is_forgotten() -> None:
    recent: Recent[int] = Recent(2)
    for key in ("a", "b", "a", "c"):
        recent.get(key, lambda: 1)
    assert recent.get("a", lambda: 2) == 1
    assert recent.get("b", lambda: 2) == 2
