from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from hoptrail.retrievers.graphrag.report_selection import ScoredHierarchy, select_rows
from hoptrail.stores.snapshot.community_index import CommunityIndex

# level 0: a, b, c; a is divided into a1 and a2, a2 into a21; b into b1
IDS = ["a", "a1", "a2", "a21", "b", "b1", "c"]
PARENTS = {"a1": "a", "a2": "a", "a21": "a2", "b1": "b"}
NOTHING = -np.inf


def hierarchy(relevance: Mapping[str, float]) -> ScoredHierarchy:
    """Return the tree with the relevance of those that have a report."""
    rows = {id_: row for row, id_ in enumerate(IDS)}
    index = CommunityIndex(
        np.array(IDS),
        np.array([len(id_) - 1 for id_ in IDS], dtype=np.int32),
        np.array([rows.get(PARENTS.get(id_, ""), -1) for id_ in IDS], dtype=np.int32),
        np.zeros(0, dtype=np.int32),
    )
    values = np.array([relevance.get(id_, NOTHING) for id_ in IDS], dtype=np.float32)
    return ScoredHierarchy(index, np.isfinite(values), values)


EVEN = {"a": 0.5, "a1": 0.4, "a2": 0.3, "a21": 0.2, "b": 0.4, "b1": 0.1, "c": 0.3}


def test_a_community_below_level_0_without_parent_counts_for_itself_alone() -> None:
    found = hierarchy(EVEN)
    found.communities.parent[IDS.index("b1")] = -1

    assert [IDS[row] for row in select_rows(found, 1, prefilter=False)] == [
        "a1", "b", "a2", "c", "b1"
    ]  # fmt: skip


def selected(
    relevance: Mapping[str, float], level: int | None = None, *, prefilter: bool = False
) -> list[str]:
    rows = select_rows(hierarchy(relevance), level, prefilter=prefilter)
    return [IDS[row] for row in rows.tolist()]


@pytest.mark.parametrize(
    ("level", "read"),
    [
        (0, ["a", "b", "c"]),
        (1, ["a1", "a2", "c", "b1"]),
        (2, ["a1", "c", "a21", "b1"]),
        (9, ["a1", "c", "a21", "b1"]),
    ],
)
def test_a_level_is_read_whole_with_what_is_not_divided_so_far(level: int, read: list[str]) -> None:
    assert selected(EVEN, level) == read


def test_a_community_stands_for_its_subtree_unless_one_below_is_more_relevant() -> None:
    assert selected(EVEN) == ["a", "b", "c"]
    assert selected({**EVEN, "a21": 0.9}) == ["a21", "a1", "b", "c"]


def test_the_prefilter_skips_subtrees_in_which_nothing_is_relevant() -> None:
    relevance = {**EVEN, "a21": 0.9}
    assert selected(relevance, prefilter=True) == ["a21"]
    assert selected(relevance, 0, prefilter=True) == ["a"]
    assert selected(relevance, 2, prefilter=True) == ["a21"]


def test_the_best_report_always_passes_the_prefilter() -> None:
    assert selected(dict.fromkeys(IDS, 0.3), prefilter=True) == ["a", "b", "c"]


def test_a_community_without_report_is_read_through_those_below() -> None:
    silent = {id_: value for id_, value in EVEN.items() if id_ != "a"}
    assert selected(silent) == ["a1", "b", "a2", "c"]
    assert selected({"b1": 0.2}, 0) == []


@pytest.mark.parametrize("level", [None, 0, 3])
def test_without_reports_nothing_is_read(level: int | None) -> None:
    assert selected({}, level) == []
    assert selected({}, level, prefilter=True) == []
