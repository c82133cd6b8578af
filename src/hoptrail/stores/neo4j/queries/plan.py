"""The server's own word on a statement: the operators of its plan, before it is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hoptrail.core.errors import QueryError

_READS = frozenset(
    """
    AntiConditionalApply AntiSemiApply Apply Argument ArgumentTracker AssertSameNode
    AssertSameRelationship CacheProperties CartesianProduct ConditionalApply
    DirectedRelationshipIndexContainsScan DirectedRelationshipIndexEndsWithScan
    DirectedRelationshipIndexScan DirectedRelationshipIndexSeek
    DirectedRelationshipIndexSeekByRange DirectedRelationshipTypeScan
    DirectedUnionRelationshipTypesScan Distinct Eager EagerAggregation EmptyResult EmptyRow Expand
    Filter IntersectionNodeByLabelsScan LeftOuterHashJoin LetAntiSemiApply LetSelectOrAntiSemiApply
    LetSelectOrSemiApply LetSemiApply Limit MultiNodeIndexSeek NodeByLabelScan
    NodeCountFromCountStore NodeHashJoin NodeIndexContainsScan NodeIndexEndsWithScan NodeIndexScan
    NodeIndexSeek NodeIndexSeekByRange NodeLeftOuterHashJoin NodeRightOuterHashJoin
    NodeUniqueIndexSeek NodeUniqueIndexSeekByRange Optional OptionalExpand OrderedAggregation
    OrderedDistinct OrderedUnion PartialSort PartialTop PreserveOrder ProduceResults
    ProjectEndpoints Projection RelationshipCountFromCountStore RemoteBatchProperties
    RemoteBatchPropertiesWithFilter RightOuterHashJoin RollUpApply SelectOrAntiSemiApply
    SelectOrSemiApply SemiApply Skip Sort SubtractionNodeByLabelsScan Top Top1WithTies TriadicBuild
    TriadicFilter TriadicSelection UndirectedRelationshipIndexContainsScan
    UndirectedRelationshipIndexEndsWithScan UndirectedRelationshipIndexScan
    UndirectedRelationshipIndexSeek UndirectedRelationshipIndexSeekByRange
    UndirectedRelationshipTypeScan UndirectedUnionRelationshipTypesScan Union UnionNodeByLabelsScan
    Unwind ValueHashJoin ValueMergeJoin VarLengthExpand
    """.split()
)
"""Operators that read by label, type or index and compute: none writes, calls a procedure, loads a
file, or looks at all nodes of the database."""
_LOCKS = "Locking"  # seeks of a statement that writes


def check_plan(query_type: str | None, plan: Mapping[str, Any] | None) -> None:
    """Make sure that a statement does nothing but read what its labels and types name.

    Args:
        query_type: As the server tells it: "r" for one that reads.
        plan: The root operator of what EXPLAIN returned.

    Raises:
        QueryError: If an operator is not listed, or the server tells of no plan.
    """
    if plan is None or query_type != "r":
        raise QueryError("the query does more than read", hint="match and return alone")
    for name in _operators(plan):
        if name.partition("(")[0].removeprefix("Partitioned") not in _READS or _LOCKS in name:
            raise QueryError(f"the query would do {name}", hint="match by labels and types alone")


def _operators(plan: Mapping[str, Any]) -> Iterator[str]:
    yield str(plan["operatorType"]).partition("@")[0]
    for child in plan.get("children", ()):
        yield from _operators(child)
