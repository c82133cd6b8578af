"""A damaged database is a clear error or does no harm; it is never taken for a bug."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from hoptrail.core.errors import HoptrailError
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.testing import HashingEmbedder

BASES = 40
FLIPS = 12


def documents() -> list[Document]:
    names = [f"Person {chr(65 + number)}rno" for number in range(24)]
    return [
        Document(
            f"s/{number}",
            name,
            f"{name} met {names[number * 7 % 24]} in {1800 + number}. They built 12 boats.",
            "s",
        )
        for number, name in enumerate(names)
    ]


def retrieve(folder: Path) -> None:
    with KnowledgeBase.open(folder, embedder=HashingEmbedder()) as kb:
        make_retriever("ket", kb).retrieve("Who met Person Brno?")
        kb.store.documents(kb.index.doc_ids.tolist())


def info_and_export(folder: Path) -> None:
    with KnowledgeBase.open(folder) as kb:
        kb.info(documents=True)
        kb.export(StringIO(), "jsonl")


def index(folder: Path) -> None:
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), writable=True) as kb:
        document = Document("s/1", "New", "Person Zrno met Person Arno in 1900.", "s")
        Indexer(kb).index([document], IndexOptions(extractor="nlp"))


def delete(folder: Path) -> None:
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), writable=True) as kb:
        Indexer(kb).delete(["s/2"])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "kb"
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        Indexer(kb).index(documents(), IndexOptions(extractor="nlp"))
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numbers that became too large
@pytest.mark.parametrize("command", [retrieve, info_and_export, index, delete])
def test_flipped_bytes_are_a_clear_error_or_harmless(
    base: Path, tmp_path: Path, command: Callable[[Path], None]
) -> None:
    chance = random.Random(command.__name__)
    refused = 0
    for number in range(BASES):
        folder = tmp_path / str(number)
        shutil.copytree(base, folder)
        if number % 2:
            shutil.rmtree(folder / "cache")
        path = folder / DATABASE_NAME
        data = bytearray(path.read_bytes())
        for _ in range(FLIPS):
            data[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        try:
            command(folder)
        except HoptrailError as error:
            refused += 1
            assert error.hint
        shutil.rmtree(folder)
    assert refused
