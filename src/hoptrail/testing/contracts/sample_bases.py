"""Three small knowledge bases: passages with a graph, a graph without passages, and nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from hoptrail.core.settings import Settings
from hoptrail.core.types import Document, TablePart, TableRow, Tables
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder

SampleBase = Literal["passages", "bare_graph", "empty"]
QUESTION = "Where was the founder of the yard that built the Morning Tern born?"

_TEXTS = {
    "Morning Tern": "The Morning Tern was a steamer that was built at the Alder Yard in 1871.",
    "Alder Yard": "The Alder Yard was founded by Edda Thorn. The yard stood in Port Selwick.",
    "Edda Thorn": "Edda Thorn was an engineer. She was born in Brackenholm in 1809.",
    "Brackenholm": "Brackenholm is a market town on the River Ulm. It has a stone bridge.",
    "Steamer": "A steamer is a ship that a steam engine drives. Paddle wheels came first.",
    "Quay bread": "Quay bread is a loaf of rye and caraway. Sailors took it to sea.",
    "Höfn Museum": "The Höfn Museum keeps models of ships. It opened in 1950.",
    "北港": "北港是一座港口城市。橋由林海設計。",
}
_TRIPLES = """Morning Tern|built at|Alder Yard
Alder Yard|founded by|Edda Thorn
Edda Thorn|born in|Brackenholm
Quay bread|made of|rye
"""


class OverSampleBases:
    """Fixtures that the contracts over sample bases share."""

    @pytest.fixture(scope="class")
    @classmethod
    def samples(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """Return the folder that keeps the sample bases for all tests of the session."""
        return tmp_path_factory.getbasetemp()


def sample_folder(root: Path, name: SampleBase) -> Path:
    """Return the folder of a sample base below `root`; it is made on first need."""
    folder = root / f"hoptrail-contract-{name}"
    if folder.exists():
        return folder
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        indexer = Indexer(kb, settings=Settings())
        if name == "passages":
            documents = [
                Document(f"t/{title}", title, text, "t", tables=_as_row(text))
                for title, text in _TEXTS.items()
            ]
            indexer.index(documents, IndexOptions(extractor="nlp"))
        elif name == "bare_graph":
            triples = root / "hoptrail-contract-triples.txt"
            triples.write_text(_TRIPLES, encoding="utf-8")
            indexer.index((), IndexOptions(extractor="none", triples=(triples,)))
    return folder


def _as_row(text: str) -> Tables:
    """Return a text as the only row of a table, so that stores are seen to keep tables."""
    return (TablePart(1, "", ("Text",), (TableRow(0, len(text), (text,)),)),)


@contextmanager
def open_sample(root: Path, name: SampleBase) -> Iterator[KnowledgeBase]:
    """Yield a sample base for reading."""
    with KnowledgeBase.open(sample_folder(root, name), embedder=HashingEmbedder()) as kb:
        yield kb
