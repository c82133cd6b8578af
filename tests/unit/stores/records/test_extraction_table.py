from __future__ import annotations

from collections.abc import Callable

import pytest

from hoptrail.core.types import (
    Chunk,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    NodeUsage,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.extraction_table import FailedExtraction

Put = Callable[[str, str, str], Chunk]

EXTRACTION = Extraction(
    (ExtractedEntity("Ada", "person", "a mathematician", ("Lady Lovelace",)),),
    (ExtractedRelation("Ada", "wrote", "Notes", "Ada wrote the Notes.", 2.0),),
)


def test_a_result_comes_back_as_it_was(kb: KnowledgeBase, put: Put) -> None:
    chunk = put("s/1", "Ada", "Ada wrote the Notes.")
    kb.put_extraction("s/1", chunk.id, "nlp", EXTRACTION, NodeUsage())
    assert list(kb.mentions()) == [("s/1", chunk.id, "nlp", EXTRACTION)]


def test_a_failure_is_listed_until_a_later_try_mends_it(kb: KnowledgeBase, put: Put) -> None:
    chunk = put("s/1", "Ada", "Ada wrote the Notes.")
    kb.put_extraction("s/1", chunk.id, "llm", None, NodeUsage(), "no JSON in the reply")
    assert kb.extraction_status("llm") == {chunk.id: "failed"}
    failure = FailedExtraction("s/1", chunk.id, "llm", "no JSON in the reply")
    assert kb.failed_extractions() == [failure]
    kb.put_extraction("s/1", chunk.id, "llm", EXTRACTION, NodeUsage())
    assert kb.extraction_status("llm") == {chunk.id: "done"}
    assert kb.failed_extractions() == []


def test_every_try_is_paid_for(kb: KnowledgeBase, put: Put) -> None:
    chunk = put("s/1", "Ada", "Ada wrote the Notes.")
    for extraction in (None, EXTRACTION):
        kb.put_extraction("s/1", chunk.id, "llm", extraction, NodeUsage(1, 10, 5, 0.5, 0.25))
    (row,) = kb.ledger()
    assert (row.llm_calls, row.prompt_tokens, row.completion_tokens, row.usd) == (2, 20, 10, 0.5)


def test_the_ledger_counts_places_and_names_the_state(kb: KnowledgeBase, put: Put) -> None:
    done, failed = put("s/1", "Done", "Text."), put("s/2", "Failed", "Text.")
    put("s/3", "Stored", "Text.")
    for extractor in ("llm", "nlp"):
        kb.put_extraction("s/1", done.id, extractor, EXTRACTION, NodeUsage())
    kb.put_extraction("s/2", failed.id, "llm", None, NodeUsage(), "timeout")
    assert [(row.status, row.chunks, row.extracted, row.failed) for row in kb.ledger()] == [
        ("extracted", 1, 1, 0),
        ("failed", 1, 0, 1),
        ("stored", 1, 0, 0),
    ]


def test_mentions_come_in_canonical_order(kb: KnowledgeBase, put: Put) -> None:
    second, first = put("s/2", "B", "Text."), put("s/1", "A", "Text.")
    kb.put_extraction("s/2", second.id, "nlp", EXTRACTION, NodeUsage())
    kb.put_extraction("s/1", first.id, "nlp", EXTRACTION, NodeUsage())
    kb.put_extraction("s/1", first.id, "llm", EXTRACTION, NodeUsage())
    kb.put_extraction("s/1", None, "triples", EXTRACTION, NodeUsage())
    places = [(doc_id, chunk_id, extractor) for doc_id, chunk_id, extractor, _ in kb.mentions()]
    assert places == [
        ("s/1", None, "triples"),
        ("s/1", first.id, "llm"),
        ("s/1", first.id, "nlp"),
        ("s/2", second.id, "nlp"),
    ]


def test_a_whole_documents_status_is_under_its_own_id(kb: KnowledgeBase, put: Put) -> None:
    put("s/1", "Ada", "Text.")
    kb.put_extraction("s/1", None, "triples", EXTRACTION, NodeUsage())
    assert kb.extraction_status("triples") == {"s/1": "done"}


@pytest.mark.parametrize("only_first", [True, False])
def test_dropping_takes_one_extractor_and_leaves_the_others(
    kb: KnowledgeBase, put: Put, only_first: bool
) -> None:
    chunks = [put("s/1", "A", "Text."), put("s/2", "B", "Text.")]
    for chunk in chunks:
        for extractor in ("llm", "nlp"):
            kb.put_extraction(chunk.doc_id, chunk.id, extractor, EXTRACTION, NodeUsage())
    kb.drop_extractions("llm", [chunks[0].id] if only_first else None)
    assert set(kb.extraction_status("llm")) == ({chunks[1].id} if only_first else set())
    assert len(kb.extraction_status("nlp")) == 2


def test_half_a_surrogate_pair_from_a_model_is_stored_as_a_question_mark(
    kb: KnowledgeBase, put: Put
) -> None:
    chunk = put("s/1", "Ada", "Text.")
    broken = Extraction((ExtractedEntity("Ada \ud83d"),))
    kb.put_extraction("s/1", chunk.id, "llm", broken, NodeUsage())
    (mention,) = kb.mentions()
    assert mention[3].entities[0].name == "Ada ?"
