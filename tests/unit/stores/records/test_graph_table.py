from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import numpy as np
import pytest

from hoptrail.core.errors import KnowledgeBaseError, UnknownNameError
from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.core.types.graph import Merge
from hoptrail.stores.knowledge_base import KnowledgeBase

Put = Callable[[str, str, str], Chunk]

ADA = Entity("e1", "Ada Lovelace", "person", "a mathematician", ("Lady Lovelace",), ("c1", "c2"))
NOTES = Entity("e2", "Notes", "work")
WROTE = Relation("r1", "e1", "wrote", "e2", "", 2.0, ("c1",), "Ada Lovelace", "Notes")
MERGE = Merge(Merge.make_id("ada", "lady"), "e1", "ada", "lady", "alias")


def test_the_graph_comes_back_as_it_was(kb: KnowledgeBase) -> None:
    kb.replace_graph([ADA, NOTES], [WROTE], [MERGE])
    assert kb.store.entities(["e2", "e1"]) == [NOTES, ADA]
    assert kb.store.relations(["r1"]) == [WROTE]
    assert kb.merges() == [MERGE]


def test_the_same_graph_again_changes_nothing(kb: KnowledgeBase) -> None:
    assert kb.replace_graph([ADA, NOTES], [WROTE], [MERGE])
    assert not kb.replace_graph([NOTES, ADA], [WROTE], [MERGE])


def test_only_what_is_given_stays(kb: KnowledgeBase) -> None:
    kb.replace_graph([ADA, NOTES], [WROTE], [MERGE])
    renamed = Entity("e2", "Notes on the Engine", "work")
    assert kb.replace_graph([renamed], [], [])
    assert kb.counts() | {"relations": 0, "entities": 1, "merges": 0} == kb.counts()
    assert kb.store.entities(["e1", "e2"]) == [renamed]
    assert kb.store.find_entities(["Ada Lovelace", "Lady Lovelace"]) == {}


def test_a_relation_takes_the_names_of_its_ends(kb: KnowledgeBase) -> None:
    kb.replace_graph([ADA, NOTES], [Relation("r1", "e1", "wrote", "e2")], [])
    (relation,) = kb.store.relations(["r1"])
    assert relation.text == "Ada Lovelace wrote Notes"


def test_a_relation_to_nowhere_is_refused_and_the_old_graph_stays(kb: KnowledgeBase) -> None:
    kb.replace_graph([ADA, NOTES], [WROTE], [])
    with pytest.raises(KnowledgeBaseError, match="r1 joins e1 and e2"):
        kb.replace_graph([ADA], [WROTE], [])
    assert kb.store.entities(["e2"]) == [NOTES]


def test_names_and_aliases_are_found_in_any_spelling(kb: KnowledgeBase) -> None:
    namesake = Entity("e0", "lady lovelace")
    kb.replace_graph([ADA, NOTES, namesake], [], [])
    assert kb.store.find_entities(["LADY LOVELACE", "the Notes", "nobody"]) == {
        "LADY LOVELACE": ("e0", "e1"),
        "the Notes": ("e2",),
    }


def test_many_ids_come_back_in_their_order_without_the_unknown(kb: KnowledgeBase) -> None:
    entities = [Entity(f"e{i:04}", f"Name {i}") for i in range(1200)]
    kb.replace_graph(entities, [], [])
    wanted = [entity.id for entity in reversed(entities)]
    found = kb.store.entities([*wanted[:700], "unknown", *wanted[700:]])
    assert [entity.id for entity in found] == wanted


def test_ids_from_an_array_are_understood(kb: KnowledgeBase) -> None:
    kb.replace_graph([ADA, NOTES], [], [])
    assert kb.store.entities(np.array(["e1"])) == [ADA]  # type: ignore[arg-type]


def test_undoing_a_merge_vetoes_its_pair_for_good(kb: KnowledgeBase) -> None:
    kb.replace_graph([ADA], [], [MERGE])
    kb.undo_merge(MERGE.id)
    kb.replace_graph([ADA], [], [])
    assert kb.decisions().vetoes == (("ada", "lady"),)


def test_an_unknown_merge_cannot_be_undone(kb: KnowledgeBase) -> None:
    with pytest.raises(UnknownNameError, match="merge"):
        kb.undo_merge("nothing")


def test_a_merge_has_one_id_in_either_order() -> None:
    assert Merge.make_id("a", "b") == Merge.make_id("b", "a") != Merge.make_id("a", "c")


def test_names_are_indexed_after_the_first_graph_and_after_another(kb: KnowledgeBase) -> None:
    for entities in ([ADA], [ADA, NOTES]):
        kb.replace_graph(entities, [], [])
        assert kb.store.find_entities(["Ada Lovelace"]) == {"Ada Lovelace": ("e1",)}
        with closing(sqlite3.connect(kb.path / "hoptrail.sqlite")) as connection:
            indexes = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
            assert ("entity_names_by_key",) in indexes.fetchall()
