"""Words of passages that are counted once."""

from __future__ import annotations

from hoptrail.core.types import Chunk
from hoptrail.stores.local.held_words import HeldWords
from hoptrail.stores.snapshot.lexicon import Collection
from hoptrail.stores.snapshot.lexicon_builder import word_tables

TEXTS = {
    "a": ("The mill", "The mill stands at the river. A mill of 1862, No. 4, has 3 wheels."),
    "b": ("River", "The river Tamber. It is a river."),
    "c": ("", ""),
    "d": ("Wheels", "Wheels of oak; the mill's wheels."),
}
COLLECTION = Collection(9, 4.5, {"mill": 7})


def passage(id_: str) -> Chunk:
    title, text = TEXTS[id_]
    return Chunk(id_, "doc", title, text, 0, len(text), 1)


def assert_as_built(words: HeldWords, ids: str) -> None:
    found = words.lexicon([passage(id_) for id_ in ids], COLLECTION)
    built = word_tables(TEXTS[id_] for id_ in ids).lexicon
    assert found.words.tolist() == built.words.tolist()
    assert found.chunk_length.tolist() == built.chunk_length.tolist()
    assert found.word_chunks.indptr.tolist() == built.word_chunks.indptr.tolist()
    assert found.word_chunks.indices.tolist() == built.word_chunks.indices.tolist()
    assert found.word_chunks.data is not None and built.word_chunks.data is not None
    assert found.word_chunks.data.tolist() == built.word_chunks.data.tolist()
    assert found.frequency("mill", 1) == 7


def test_a_lexicon_is_that_of_a_folder_with_the_same_passages() -> None:
    words = HeldWords()
    for ids in ("abcd", "db", "c", "", "ad"):
        assert_as_built(words, ids)


def test_it_is_the_same_once_passages_were_let_go_of() -> None:
    words = HeldWords()
    assert_as_built(words, "abcd")
    assert_as_built(words.within(["d", "unknown"]), "bd")
