"""English takes no other path than before languages were told, and has the same words."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core import text as core_text
from hoptrail.core.text import content_words, name_key, sentence_spans
from hoptrail.retrievers import text as text_retrieval
from hoptrail.retrievers.text import question_occurrences
from hoptrail.stores.snapshot.lexicon import word_tables

DOCUMENTS = Path(__file__).parents[4] / "benchmarks" / "everyday" / "organisations"
BEFORE = "057e4d5d0fb4ea40b593ff3a795e211ab2107e35bf3f5b2a354637b09fd4d1f9"
"""Digest of sentences, words and keys as before languages were told, "may" left out."""


def english_texts() -> list[str]:
    files = sorted(DOCUMENTS.glob("*/documents/**/*"))
    return [file.read_text(encoding="utf-8") for file in files if file.suffix in {".md", ".txt"}]


def digest(texts: list[str]) -> str:
    told = [[sentence_spans(text), content_words(text), name_key(text[:60])] for text in texts]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def test_sentences_words_and_keys_are_those_of_before() -> None:
    texts = english_texts()
    assert len(texts) > 30
    assert digest(texts) == BEFORE


def test_no_word_is_split_by_its_script(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(word: str) -> list[str]:
        raise AssertionError(word)

    monkeypatch.setattr(core_text, "script_words", refuse)
    assert all(map(content_words, english_texts()))


def test_a_question_is_looked_up_by_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(words: object, term: str, language: str) -> list[int]:
        raise AssertionError(term, language)

    monkeypatch.setattr(text_retrieval, "word_forms", refuse)
    lexicon = word_tables([("Mill", "The mills stood on the river. A mill was sold.")]).lexicon
    found = question_occurrences("Where is the mill?", lexicon)["mill"]
    np.testing.assert_array_equal(found.counts, [2.0])
