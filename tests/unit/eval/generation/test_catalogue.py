from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import Chunk, Document, Entity
from hoptrail.eval.generation.catalogue import read_catalogue
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder


def make_base(folder: Path, titles: list[str], types: Sequence[str] = ()) -> KnowledgeBase:
    kb = KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True)
    for number, title in enumerate(titles):
        text = f"Secret text {number}."
        document = Document(f"d/{number}", title, text, "d")
        chunk_id = Chunk.make_id(document.id, 0, len(text), text)
        kb.put_document(document, [Chunk(chunk_id, document.id, title, text, 0, len(text), 3)])
    kb.replace_graph([Entity(f"e{n}", f"Name {n}", kind) for n, kind in enumerate(types)], [], [])
    kb.publish()
    return kb


def test_titles_are_sorted_distinct_and_the_only_text(tmp_path: Path) -> None:
    with make_base(tmp_path / "kb", ["Nile", "Danube", "Nile", " "]) as kb:
        catalogue = read_catalogue(kb)
    assert catalogue.titles == ("Danube", "Nile")
    assert catalogue.entity_types == ()


def test_types_are_counted_the_most_frequent_first(tmp_path: Path) -> None:
    with make_base(tmp_path / "kb", ["Nile"], ["work", "place", "", "person", "place"]) as kb:
        assert read_catalogue(kb).entity_types == (("place", 2), ("person", 1), ("work", 1))


def test_many_titles_are_sampled_evenly(tmp_path: Path) -> None:
    with make_base(tmp_path / "kb", [f"Title {number:03}" for number in range(300)]) as kb:
        titles = read_catalogue(kb).titles
    assert len(titles) == 100
    assert (titles[0], titles[-1]) == ("Title 000", "Title 297")


def test_a_base_without_titles_cannot_be_described(tmp_path: Path) -> None:
    with (
        make_base(tmp_path / "kb", [""]) as kb,
        pytest.raises(InputError, match="holds no titles"),
    ):
        read_catalogue(kb)
