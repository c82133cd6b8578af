from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Document
from hoptrail.indexing.loading.chunking import chunk_document, chunk_spans

SENTENCE = "The quick brown fox jumps over the lazy dog near the river. "


def test_a_short_text_is_one_chunk_without_outer_space() -> None:
    document = Document("d/1", "T", "  One sentence. Another one.\n")
    (chunk,) = chunk_document(document)
    assert (chunk.start, chunk.end) == (2, len(document.text) - 1)
    assert chunk.tokens == estimate_tokens(chunk.text)


def test_chunks_are_whole_sentences_up_to_the_size() -> None:
    document = Document("d/1", "T", SENTENCE * 100)
    chunks = chunk_document(document, max_tokens=100)
    assert len(chunks) > 5
    assert all(chunk.text.endswith("river.") and chunk.text.startswith("The") for chunk in chunks)
    assert all(chunk.tokens <= 100 for chunk in chunks[:-1])


@pytest.mark.parametrize("word", ["word ", "長い文"])
def test_a_sentence_that_is_too_long_is_cut(word: str) -> None:
    text = word * 500
    spans = chunk_spans(text, max_tokens=100)
    assert len(spans) > 3
    assert all(estimate_tokens(text[start:end]) <= 125 for start, end in spans)


def test_a_tiny_last_chunk_joins_the_one_before() -> None:
    text = SENTENCE * 7 + "The end."
    sentence_tokens = estimate_tokens(SENTENCE.strip())
    assert len(chunk_spans(text, max_tokens=7 * sentence_tokens)) == 1


def test_the_same_text_in_two_documents_has_two_ids() -> None:
    one, other = (chunk_document(Document(doc_id, "T", "Text."))[0] for doc_id in ("d/1", "d/2"))
    assert one.id != other.id


@given(st.text(max_size=400), st.integers(1, 40))
def test_chunks_lie_in_order_in_the_text_and_leave_nothing_out(text: str, max_tokens: int) -> None:
    spans = chunk_spans(text, max_tokens=max_tokens)
    position = 0
    for start, end in spans:
        assert text[position:start].strip() == ""
        assert start < end
        position = end
    assert text[position:].strip() == ""


@pytest.mark.parametrize("text", ["-" * 30_000, "word" + " " * 30_000 + "word", "Q" * 30_000])
def test_text_that_is_no_prose_is_cut_to_the_size_too(text: str) -> None:
    document = Document("d", "Title", f"A first sentence. {text} A last sentence.")
    chunks = chunk_document(document, 300)
    assert max(len(chunk.text) for chunk in chunks) < 1_600


def test_a_chunk_knows_the_headings_that_it_stands_under() -> None:
    parts = ["# Handbook", "## Leave", SENTENCE * 12, "### Parents", SENTENCE * 12, "## Pay"]
    text = "\n\n".join([*parts, SENTENCE * 18])
    chunks = chunk_document(Document("d/1", "Handbook", text), max_tokens=100)
    paths = [chunk.title_path for chunk in chunks]
    assert paths[0] == "Handbook"
    assert list(dict.fromkeys(paths)) == [
        "Handbook",
        "Handbook › Leave",
        "Handbook › Leave › Parents",
        "Handbook › Pay",
    ]
    assert all(chunk.embedded_text.startswith(f"{chunk.title_path}\n") for chunk in chunks)


def test_a_line_with_number_signs_within_a_paragraph_is_no_heading() -> None:
    text = f"# install it\nmake\n{SENTENCE * 30}"
    chunks = chunk_document(Document("d/1", "Notes", text), max_tokens=100)
    assert {chunk.section for chunk in chunks} == {""}
