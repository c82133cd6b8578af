from __future__ import annotations

import numpy as np

from hoptrail.core.types import Community, NodeUsage
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.community_table import ClusteringRecord

ALONE = Community("c", 0, entity_ids=("e1", "é2"))
RECORD = ClusteringRecord(
    content="hash",
    seed=7,
    entity_ids=["e1", "é2"],
    cluster_of=np.array([1, -1], dtype=np.int32),
    degrees=np.array([2.5, 0.0], dtype=np.float32),
    parent=np.array([-1, 0], dtype=np.int32),
    whole_up_to=np.array([10, 12], dtype=np.int32),
    least=3,
)


def test_a_record_comes_back_as_it_was_put(kb: KnowledgeBase) -> None:
    assert kb.clustering() is None
    kb.replace_communities([ALONE], {"c": "key"}, record=RECORD)
    found = kb.clustering()
    assert found is not None
    assert (found.content, found.seed, found.least) == ("hash", 7, 3)
    assert found.entity_ids == RECORD.entity_ids
    for name in ("cluster_of", "degrees", "parent", "whole_up_to"):
        np.testing.assert_array_equal(getattr(found, name), getattr(RECORD, name))


def test_a_record_of_nothing_comes_back(kb: KnowledgeBase) -> None:
    none = np.zeros(0, dtype=np.int32)
    empty = ClusteringRecord("", 42, [], none, none.astype(np.float32), none, none, 3)
    kb.replace_communities([], {}, record=empty)
    found = kb.clustering()
    assert found is not None
    assert (found.entity_ids, len(found.parent)) == ([], 0)


def test_another_hierarchy_without_a_record_has_none(kb: KnowledgeBase) -> None:
    kb.replace_communities([ALONE], {"c": "key"}, record=RECORD)
    kb.replace_communities([ALONE], {"c": "key"})
    assert kb.clustering() is not None
    kb.replace_communities([ALONE], {"c": "another"})
    assert kb.clustering() is None


def test_an_adopted_hierarchy_takes_its_reports_along(kb: KnowledgeBase) -> None:
    kb.replace_communities([ALONE], {"c": "given"})
    kb.put_report("given", Community("", 0, "A title"), maker="m", usage=NodeUsage())
    kb.adopt_communities({"c": "key"}, RECORD)
    assert kb.community_keys() == {"c": "key"}
    assert kb.communities()[0].title == "A title"
    assert kb.clustering() is not None
