"""Where the boxes and lines of a drawn trail stand."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoptrail.core.drawing.trail_layout import Box, Drawing, lay_out
from hoptrail.core.types import TrailHop

NAMES = ["Ann", "Bob", "Carl", "The Thornvale Yard of Brackenholm", "Edda", "漢字", ""]


def hop(number: int, subject: str, target: str, predicate: str = "knows") -> TrailHop:
    claim = f"{subject} {predicate} {target}"
    return TrailHop(number, claim, subject, predicate, target, support="stated")


@st.composite
def trails(draw: st.DrawFn) -> list[TrailHop]:
    ends = draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=12))
    return [hop(number, *pair) for number, pair in enumerate(ends, 1)]


def overlap(one: Box, other: Box) -> bool:
    across = abs(one.x - other.x) < (one.width + other.width) / 2
    return across and abs(one.y - other.y) < (one.height + other.height) / 2


def box_of(drawing: Drawing, text: str) -> Box:
    (box,) = (one for one in drawing.boxes if one.node.text == text)
    return box


@settings(max_examples=30, deadline=None)
@given(trails(), st.sampled_from([200, 360, 720]))
def test_boxes_never_overlap_and_stay_in_the_picture(hops: list[TrailHop], width: int) -> None:
    drawing = lay_out(hops, width=width)

    assert not any(overlap(one, other) for one, other in combinations(drawing.boxes, 2))
    for box in drawing.boxes:
        assert box.width / 2 <= box.x <= drawing.width - box.width / 2
        assert box.height / 2 <= box.y <= drawing.height - box.height / 2


@settings(max_examples=30, deadline=None)
@given(trails(), st.sampled_from([200, 360, 720]))
def test_no_line_runs_through_a_box(hops: list[TrailHop], width: int) -> None:
    drawing = lay_out(hops, width=width)

    for route in drawing.routes:
        for (x, top), (_, bottom) in zip(route.points[::2], route.points[1::2], strict=True):
            for box in drawing.boxes:
                beside = abs(box.x - x) >= box.width / 2
                above = bottom <= box.y - box.height / 2 + 1e-6
                below = top >= box.y + box.height / 2 - 1e-6
                assert beside or above or below


def test_a_trail_runs_down_from_the_end_that_is_named_once() -> None:
    drawing = lay_out([hop(1, "Pascoe", "Observatory"), hop(2, "Pascoe", "Town")], width=720)

    heights = [box_of(drawing, name).y for name in ("Observatory", "Pascoe", "Town")]
    assert heights == sorted(heights)


def test_the_arrow_points_to_the_object_whichever_way_the_trail_runs() -> None:
    drawing = lay_out([hop(1, "Pascoe", "Observatory"), hop(2, "Pascoe", "Town")], width=720)

    assert sorted((route.hop.hop, route.arrow) for route in drawing.routes if route.arrow) == [
        (1, "up"),
        (2, "down"),
    ]


def test_names_that_differ_in_case_alone_are_one_entity() -> None:
    drawing = lay_out([hop(1, "Ann", "BOB"), hop(2, "Bob", "Carl")], width=720)

    assert [box.node.text for box in drawing.boxes if box.node.hop is None] == [
        "Ann",
        "BOB",
        "Carl",
    ]


def test_parts_without_a_common_entity_stand_side_by_side() -> None:
    drawing = lay_out([hop(1, "Ann", "Bob"), hop(2, "Carl", "Edda")], width=720)

    assert box_of(drawing, "Ann").y == box_of(drawing, "Carl").y


def test_a_claim_without_subject_and_object_is_drawn_with_its_words() -> None:
    drawing = lay_out([TrailHop(1, "The yard is older.", support="partly")], width=720)

    (box,) = drawing.boxes
    assert box.lines == ("The yard is older.",)
    assert drawing.routes == ()


@pytest.mark.parametrize("width", [200, 360])
def test_many_steps_of_one_entity_go_on_below(width: int) -> None:
    drawing = lay_out(
        [hop(number, "Ship", f"Thing {number}") for number in range(1, 9)], width=width
    )

    rows = sorted({box.y for box in drawing.boxes if box.node.text.startswith("Thing")})
    assert len(rows) >= 4
    assert all(below - above > 40 for above, below in pairwise(rows))
