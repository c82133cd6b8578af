"""Under a filter every retriever finds what it would in a base of these documents alone.

The documents share names, an alias and an entity whose descriptions come from both sides, so that
anything which is only hidden, and not derived anew, shows in a text or a score.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.filter_text import parse_filter
from hoptrail.core.progress import NoProgress
from hoptrail.core.settings import Settings
from hoptrail.core.types import (
    Document,
    Evidence,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    NodeUsage,
    Plan,
)
from hoptrail.indexing.derivation import derive_graph
from hoptrail.indexing.embedding import embed_missing
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.services.filtered_bases import filtered_base
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.unit.retrievers.conftest import TEXTS

SECRETS = {
    "Secret ledger": "Edda Thorn, also known as Nightjar, sold the Morning Tern to Zarkov.",
    "Secret letter": "Zarkov paid Edda Thorn in Brackenholm. The Alder Yard was founded by Zarkov.",
    "Secret map": "The River Ulm was poisoned by Zarkov. Brackenholm fears Zarkov.",
    "Secret list": "Steamer, steamer, engine, quay bread and caraway: Zarkov bought all ships.",
}
QUESTIONS = (
    "Where was the founder of the yard that built the Morning Tern born?",
    "Who was Edda Thorn?",
    "What did Zarkov buy from Nightjar?",
)
PLAN = Plan(entities=("Edda Thorn", "Zarkov"), keywords=("steam engine", "poison"))


def build(folder: Path, texts: dict[str, str], private: frozenset[str]) -> None:
    """Index texts by rules, and add what a model would have read of Edda Thorn."""
    documents = [
        Document(
            f"t/{title}",
            title,
            text,
            "t",
            metadata={"level": "private" if title in private else "public"},
        )
        for title, text in texts.items()
    ]
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        Indexer(kb, settings=Settings()).index(documents, IndexOptions(extractor="nlp"))
        for chunk in list(kb.iter_chunks()):
            if "Edda Thorn" not in chunk.text:
                continue
            is_private = chunk.title in private
            told = "a spy whom Zarkov paid" if is_private else "an engineer"
            entity = ExtractedEntity(
                "Edda Thorn", "person", f"Edda Thorn is {told}.", ("Nightjar",) * is_private
            )
            relation = ExtractedRelation(
                "Edda Thorn", "lived in", "Brackenholm", f"She was there as {told}."
            )
            read = Extraction((entity,), (relation,))
            kb.put_extraction(chunk.doc_id, chunk.id, "reader", read, NodeUsage())
        derive_graph(kb, NoProgress())
        embed_missing(kb, kb.embedder, NoProgress(), "embed")
        kb.publish()


@pytest.fixture(scope="module")
def filtered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("whole")
    build(folder, {**TEXTS, **SECRETS}, frozenset(SECRETS))
    with KnowledgeBase.open(folder, embedder=HashingEmbedder()) as whole:
        yield filtered_base(whole, parse_filter("level = public")).store


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("alone")
    build(folder, TEXTS, frozenset(SECRETS))
    with KnowledgeBase.open(folder, embedder=HashingEmbedder()) as kb:
        yield kb


def found(evidence: Evidence) -> dict[str, Any]:
    """Return evidence as JSON, its scores to 1e-5."""

    def rounded(value: Any) -> Any:
        if isinstance(value, float):
            return pytest.approx(value, abs=1e-5)
        if isinstance(value, dict):
            return {name: rounded(item) for name, item in value.items()}
        return [rounded(item) for item in value] if isinstance(value, list) else value

    told: dict[str, Any] = rounded(evidence.to_json())
    return told


@pytest.mark.parametrize("name", sorted(RETRIEVERS))
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_filter_gives_what_a_base_of_these_documents_gives(
    name: str, question: str, filtered: KnowledgeBase, alone: KnowledgeBase
) -> None:
    under_filter = make_retriever(name, filtered).retrieve(question, PLAN)
    expected = make_retriever(name, alone).retrieve(question, PLAN)
    assert under_filter.to_json() == found(expected)
    assert under_filter.chunks or question == QUESTIONS[2]


def test_what_both_sides_say_is_told_from_inside_alone(filtered: KnowledgeBase) -> None:
    ((edda,),) = filtered.store.find_entities(["Edda Thorn"]).values()
    (entity,) = filtered.store.entities([edda])
    assert entity.description == "Edda Thorn is an engineer. Edda Thorn was an engineer."
    assert "Nightjar" not in entity.aliases
    assert filtered.store.find_entities(["Nightjar", "Zarkov"]) == {}


def test_the_arrays_are_those_of_a_base_of_these_documents(
    filtered: KnowledgeBase, alone: KnowledgeBase
) -> None:
    for part in ("chunk_ids", "entity_ids", "relation_ids", "relation_weight"):
        assert getattr(filtered.index, part).tolist() == getattr(alone.index, part).tolist()
    assert filtered.lexicon.words.tolist() == alone.lexicon.words.tolist()
