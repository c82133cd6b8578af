from __future__ import annotations

from dataclasses import replace

from hoptrail.eval.planted.marker import mark_as_trail
from tests.unit.eval.planted.garden import DIRECTED


def test_mark_is_that_of_a_trail() -> None:
    assert mark_as_trail(DIRECTED) == "stated"
    assert mark_as_trail(replace(DIRECTED, object="Ida Holm")) == "none"
