"""A few invented articles as evidence."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.core.types import Chunk, Evidence, Hit

ARTICLES = {
    "Maple Bridge": "Maple Bridge is a road bridge over the River Elm. It was designed by Ida Holm"
    " and opened in 1921. The bridge is 310 metres long.",
    "Ash Bridge": "Ash Bridge is a footbridge in Varde. It opened in 1898 and is 95 metres long.",
    "Ida Holm": "Ida Holm (3 May 1880 – 9 June 1951) was a Danish engineer. She was born in Varde"
    " and studied at the College of Ribe.",
    "Per Krogh": "Per Krogh (born 12 March 1874) was a Danish painter. He was born in Varde.",
    "Varde": "Varde is a town on the Storm River in the province of Sydland. It has 9,400"
    " inhabitants.",
    "Storm River": "The Storm River is a river of 88 kilometres.",
    "Sydland": "Sydland is a province. Its capital is Ribe.",
}


def chunk_of(title: str, text: str) -> Chunk:
    doc_id = f"d/{title}"
    return Chunk(Chunk.make_id(doc_id, 0, len(text), text), doc_id, title, text, 0, len(text))


def titled(texts: Mapping[str, str]) -> Evidence:
    """Return passages whose ids and documents are their titles."""
    chunks = (Chunk(title, title, title, text, 0, len(text)) for title, text in texts.items())
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


def evidence_of(*texts: str, title: str = "Notes", doc_id: str = "folder/{}.txt") -> Evidence:
    """Return passages c1, c2 and so on, whose number may stand in their title and document."""
    chunks = (
        Chunk(f"c{number}", doc_id.format(number), title.format(number), text, 0, len(text))
        for number, text in enumerate(texts, start=1)
    )
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


def index_of(*texts: str, title: str = "Notes", doc_id: str = "folder/{}.txt") -> EvidenceIndex:
    return EvidenceIndex(evidence_of(*texts, title=title, doc_id=doc_id))


@pytest.fixture
def articles() -> Evidence:
    return Evidence(chunks=tuple(Hit(chunk_of(*article)) for article in ARTICLES.items()))
