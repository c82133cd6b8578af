"""A cache file that is not what was written is made anew, whoever meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import VectorKind
from hoptrail.stores.snapshot.snapshot import SnapshotCache
from hoptrail.testing import HashingEmbedder

Put = Callable[[str, str, str], Chunk]
KINDS: tuple[VectorKind, ...] = ("chunk", "entity", "relation", "word")


def emptied(data: bytes) -> bytes:
    return b""


def cut_short(data: bytes) -> bytes:
    return data[:-1]


def grown(data: bytes) -> bytes:
    return data + b"\0"


def flipped_first(data: bytes) -> bytes:
    return bytes([data[0] ^ 0x10]) + data[1:]


def flipped_last(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 0x10])


def flipped_header(data: bytes) -> bytes:
    return data[:30] + bytes([data[30] ^ 1]) + data[31:]


def zeroed(data: bytes) -> bytes:
    return bytes(len(data))


DAMAGES = [emptied, cut_short, grown, flipped_first, flipped_last, flipped_header, zeroed]


@pytest.fixture
def base(kb: KnowledgeBase, put: Put, publish: Callable[[], int], folder: Path) -> Path:
    chunk = put("s/1", "One", "Some text of words.")
    entities = [Entity("e1", "One", chunk_ids=(chunk.id,)), Entity("e2", "Two")]
    kb.replace_graph(entities, [Relation("r1", "e1", "knows", "e2", chunk_ids=(chunk.id,))], [])
    publish()
    kb.close()
    return folder


def generation(folder: Path) -> Path:
    """Return the only folder of arrays."""
    (found,) = (folder / "cache").iterdir()
    return found


def seen(folder: Path, *, writable: bool = False) -> list[object]:
    """Return what every array of a base is used for."""
    with KnowledgeBase.open(folder, writable=writable) as kb:
        index = kb.index
        found: list[object] = [kb.counts()["entities"]]
        for name in ("doc_ids", "chunk_ids", "chunk_doc", "chunk_tokens", "entity_ids"):
            found.append(getattr(index, name).tolist())
        for name in ("entity_relations", "entity_chunks", "chunk_entities", "relation_chunks"):
            matrix = getattr(index, name)
            found.append([matrix.row(row).tolist() for row in range(len(matrix.indptr) - 1)])
        question = np.ones(64, dtype=np.float32)
        for kind in KINDS:
            ids, scores = kb.vectors(kind).search(question, 9)
            found.append((ids.tolist(), scores.tolist()))
        return found


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_damage_to_any_file_is_noticed_or_harmless(
    base: Path, damage: Callable[[bytes], bytes]
) -> None:
    cache = SnapshotCache(base)
    whole = seen(base)
    for path in sorted(generation(base).iterdir()):
        before = path.read_bytes()
        path.write_bytes(damage(before))
        assert cache.load(1) is None or seen(base) == whole, path.name
        path.write_bytes(before)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_a_reader_makes_damaged_files_anew(base: Path, damage: Callable[[bytes], bytes]) -> None:
    whole = seen(base)
    for path in sorted(generation(base).iterdir()):
        path.write_bytes(damage(path.read_bytes()))
    assert seen(base) == whole
    assert SnapshotCache(base).load(1) is not None


def test_a_damaged_file_is_replaced_so_that_it_is_made_once(base: Path) -> None:
    path = generation(base) / "chunk_tokens.column"
    before = path.read_bytes()
    path.write_bytes(b"")
    seen(base)
    assert path.read_bytes() == before
    assert len(list((base / "cache").iterdir())) == 1


def test_a_writer_makes_a_damaged_file_anew(base: Path) -> None:
    whole = seen(base)
    (generation(base) / "word_chunks.indptr.column").write_bytes(b"")
    assert seen(base, writable=True) == whole


@pytest.mark.parametrize("name", ["", "entity_ids.column"])
def test_a_file_in_place_of_a_folder_and_the_reverse_are_replaced(base: Path, name: str) -> None:
    whole = seen(base)
    path = generation(base) / name
    path.rename(base.parent / "aside")
    if name:
        path.mkdir()
    else:
        path.write_text("no folder")
    assert seen(base) == whole
    assert (generation(base) / "entity_ids.column").is_file()


def test_a_large_matrix_of_another_size_is_made_anew(
    kb: KnowledgeBase, put: Put, publish: Callable[[], int], folder: Path
) -> None:
    put("s/1", "One", " ".join(f"Word{number} is here." for number in range(20000)))
    publish()
    path = generation(folder) / "told_vectors.npy"
    data = path.read_bytes()
    assert len(data) > 1 << 20
    path.write_bytes(data[: len(data) // 2])
    with KnowledgeBase.open(folder, embedder=HashingEmbedder()) as reader:
        assert len(reader.vectors("word")) == 20000
