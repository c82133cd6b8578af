from __future__ import annotations

from collections.abc import Callable

from hoptrail.core.types import Chunk, Document, Entity
from hoptrail.stores.knowledge_base import KnowledgeBase

Put = Callable[[str, str, str], Chunk]


def test_a_copy_shows_what_the_original_holds_and_has_published(
    kb: KnowledgeBase, put: Put, publish: Callable[[], int]
) -> None:
    chunk = put("s/1", "One", "Some words.")
    kb.replace_graph([Entity("e1", "One", chunk_ids=(chunk.id,))], [], [])
    publish()
    put("s/2", "Two", "More words.")
    with kb.private_copy() as copy:
        assert copy.counts() == kb.counts()
        assert copy.generation == kb.generation and not copy.is_published
        assert copy.index.entity_ids.tolist() == ["e1"]
        assert copy.vectors("chunk").vectors([chunk.id]).any()


def test_what_is_done_to_a_copy_is_gone_with_it(kb: KnowledgeBase, put: Put) -> None:
    put("s/1", "One", "Some words.")
    kb.publish()
    with kb.private_copy() as copy:
        copy.put_document(Document("s/2", "Two", "More words.", "s"), [])
        copy.publish()
        place = copy.path
    assert not place.exists()
    assert list(kb.content_hashes()) == ["s/1"]
    assert len(kb.index.chunk_ids) == 1


def test_a_copy_of_a_base_without_arrays_makes_its_own(kb: KnowledgeBase, put: Put) -> None:
    put("s/1", "One", "Some words.")
    with kb.private_copy() as copy:
        copy.publish()
        assert len(copy.index.chunk_ids) == 1
    assert kb.generation == 0
