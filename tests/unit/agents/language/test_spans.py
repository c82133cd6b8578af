from __future__ import annotations

from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.spans import without_overlaps


def part(start: int, end: int) -> Mention:
    return Mention("", "", start, end, "name")


def test_parts_of_earlier_groups_win_and_all_are_in_order() -> None:
    first, second = [part(5, 9)], [part(0, 3), part(8, 12), part(9, 12)]
    assert without_overlaps([first, second]) == [part(0, 3), part(5, 9), part(9, 12)]
