"""A small knowledge base for tests of whole runs: a ship, its yard, the yard's founder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hoptrail import Hoptrail
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.models.embedder import register_embedder
from hoptrail.testing.embedder import HashingEmbedder

FACTS = {
    "Morning Tern": "The Morning Tern was a steamer that was built at the Alder Yard in 1871.",
    "Alder Yard": "The Alder Yard was founded by Edda Thorn. The yard stood in Port Selwick.",
    "Edda Thorn": "Edda Thorn was an engineer. She was born in Brackenholm in 1809.",
}
QUESTION = "Who founded the yard that built the Morning Tern?"
REPLY = """QUERY:
"Morning Tern" built at ?yard
?yard founded by ?founder
TRACE:
?yard = Alder Yard | P1
?founder = Edda Thorn | P2
HOPS:
HOP 1: Morning Tern | built at | Alder Yard | P1
HOP 2: Alder Yard | founded by | Edda Thorn | P2
FINAL ANSWER: Edda Thorn"""


def hashing_settings(**settings: object) -> Settings:
    """Return settings whose embedder needs no model file."""
    register_embedder("hashing", HashingEmbedder())
    return Settings(embedder="hashing", **settings)  # type: ignore[arg-type]


def ship_documents(facts: Mapping[str, str] = FACTS) -> list[Document]:
    """Return one document per fact, its title the key."""
    return [Document(f"t/{title}", title, text, "t") for title, text in facts.items()]


def index_ships(folder: Path, settings: Settings) -> None:
    """Make the knowledge base."""
    with Hoptrail.open(folder, create=True, settings=settings) as hoptrail:
        hoptrail.index(ship_documents(), extractor="nlp")
