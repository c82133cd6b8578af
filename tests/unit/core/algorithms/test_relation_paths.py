from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from hoptrail.core.algorithms.incidence import Incidence
from hoptrail.core.algorithms.relation_paths import (
    LabelledEdges,
    RelationPath,
    relation_paths,
    walks_along,
)
from hoptrail.core.embedding import FloatArray, IntArray

Triple = tuple[int, int, int]
PLENTY = 10_000


def labelled(triples: Sequence[Triple], nodes: int) -> LabelledEdges:
    source, predicate, target = np.array(triples, dtype=np.int32).reshape(-1, 3).T
    incidence = Incidence.of(source, target, nodes)
    return LabelledEdges(incidence.indptr, incidence.edges, source, target, predicate)


def random_triples(seed: int) -> list[Triple]:
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, [9, 3, 9], (25, 3)).tolist()
    return [(source, predicate, target) for source, predicate, target in drawn]


def equally(paths: IntArray) -> FloatArray:
    return np.zeros(len(paths), dtype=np.float32)


def search(triples: Sequence[Triple], **caps: int) -> list[RelationPath]:
    settings = {"hops": 3, "width": PLENTY, "limit": PLENTY, **caps}
    return list(relation_paths(labelled(triples, 9), 0, rank=equally, **settings))


def naive(triples: Sequence[Triple], hops: int) -> dict[tuple[int, ...], Counter[int]]:
    """Walk one edge at a time; never back to node 0."""
    found: dict[tuple[int, ...], Counter[int]] = {}
    walks: list[tuple[tuple[int, ...], int]] = [((), 0)]
    for _ in range(hops):
        longer = []
        for steps, here in walks:
            for source, predicate, target in triples:
                if source == target:
                    continue
                if source == here and target != 0:
                    longer.append(((*steps, 2 * predicate), target))
                if target == here and source != 0:
                    longer.append(((*steps, 2 * predicate + 1), source))
        walks = longer
        for steps, here in walks:
            found.setdefault(steps, Counter())[here] += 1
    return found


@pytest.mark.parametrize("seed", range(5))
def test_same_paths_ends_and_counts_as_walking_one_edge_at_a_time(seed: int) -> None:
    triples = random_triples(seed)
    found = {
        path.steps: dict(zip(path.ends.tolist(), path.counts.tolist(), strict=True))
        for path in search(triples)
    }
    assert found == naive(triples, 3)


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_to_each_end_follows_the_steps(seed: int) -> None:
    triples = random_triples(seed)
    edges = labelled(triples, 9)
    for path in search(triples):
        walks = walks_along(edges, 0, path.steps, path.ends, limit=PLENTY)
        assert [walk.nodes[-1] for walk in walks] == path.ends.tolist()
        for walk in walks:
            assert walk.nodes[0] == 0
            for step, edge, here, there in zip(
                path.steps, walk.edges, walk.nodes, walk.nodes[1:], strict=False
            ):
                ends = (there, here) if step & 1 else (here, there)
                assert (triples[edge][0], triples[edge][2]) == ends
                assert triples[edge][1] == step >> 1


def test_without_targets_a_walk_leads_to_every_end() -> None:
    edges = labelled([(0, 0, 1), (0, 0, 2), (0, 1, 3)], 9)
    walks = walks_along(edges, 0, (0,), limit=PLENTY)
    assert [walk.nodes for walk in walks] == [(0, 1), (0, 2)]
    assert [walk.nodes for walk in walks_along(edges, 0, (), limit=PLENTY)] == [(0,)]


def test_only_the_best_ranked_paths_are_extended() -> None:
    triples = [(0, 0, 1), (0, 1, 2), (1, 0, 3), (2, 0, 4)]

    def second_predicate_first(paths: IntArray) -> FloatArray:
        return paths[:, 0].astype(np.float32)

    found = relation_paths(
        labelled(triples, 9), 0, hops=2, width=1, limit=PLENTY, rank=second_predicate_first
    )
    assert [path.steps for path in found] == [(0,), (2,), (2, 0)]


def test_without_time_the_first_step_is_taken() -> None:
    triples = [(0, 0, 1), (1, 1, 2)]
    found = relation_paths(
        labelled(triples, 9), 0, hops=3, width=PLENTY, limit=PLENTY, rank=equally, deadline=0.0
    )
    assert [path.steps for path in found] == [(0,)]


def test_walks_looked_at_in_parts_give_the_same_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    triples = random_triples(3)
    whole = search(triples)
    monkeypatch.setattr("hoptrail.core.algorithms.relation_paths._WALKS_AT_ONCE", 1)
    for one, other in zip(whole, search(triples), strict=True):
        assert one.steps == other.steps
        assert one.ends.tolist() == other.ends.tolist()
        assert one.counts.tolist() == other.counts.tolist()


def test_a_path_asked_for_alone_is_the_one_at_its_place() -> None:
    edges = labelled(random_triples(4), 9)
    found = relation_paths(edges, 0, hops=3, width=2, limit=PLENTY, rank=equally)
    for place, path in enumerate(found):
        alone = found.at(place)
        assert alone.steps == path.steps == tuple(found.steps[place][: len(path.steps)].tolist())
        assert alone.ends.tolist() == path.ends.tolist()


def test_a_hub_is_cut_at_the_limit_and_a_small_node_beside_it_is_not() -> None:
    hub = [(1, 0, node) for node in range(3, 103)]
    triples = [(0, 0, 1), (0, 0, 2), *hub, (2, 1, 103)]
    found = relation_paths(labelled(triples, 104), 0, hops=2, width=9, limit=12, rank=equally)
    ends = {path.steps: path.ends.tolist() for path in found}
    assert ends[0, 2] == [103]
    assert 0 < len(ends[0, 0]) < 12


def test_a_node_without_edges_has_no_paths() -> None:
    assert search([(1, 0, 2)]) == []


def test_a_self_loop_leads_nowhere() -> None:
    assert search([(0, 0, 0)]) == []
