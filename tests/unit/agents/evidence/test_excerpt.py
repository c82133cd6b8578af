from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.agents.evidence.excerpt import excerpt
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Chunk, Evidence, Hit

TEXT = "The yard lies in Hollin. It has two slips. Edda Thorn founded it. Its clock is slow."


def passage(text: str) -> Hit[Chunk]:
    return Hit(Chunk("c", "d", "Alder Yard", text, 0, len(text)))


def embed(texts: Sequence[str]) -> FloatArray:
    """Return vectors that are alike where both texts, or neither, have the word "founded"."""
    has = np.array([["founded" in text] for text in texts], dtype=np.float32)
    return np.hstack([has, 1 - has])


def cut(question: str, text: str, budget: int) -> str:
    evidence = Evidence(chunks=(passage(text),))
    (hit,) = excerpt(question, evidence, budget, TextSimilarity(embed)).chunks
    return hit.item.text


def test_a_passage_keeps_its_first_sentence_and_those_that_are_most_like_the_question() -> None:
    assert cut("Who founded the yard?", TEXT, 8) == (
        "The yard lies in Hollin. ... Edda Thorn founded it."
    )


def test_passages_that_are_short_enough_stay_whole() -> None:
    assert cut("Who founded the yard?", TEXT, 100) == TEXT


def test_sentences_that_follow_each_other_keep_the_lines_between_them() -> None:
    text = "The yard lies in Hollin.\nEdda Thorn founded it.\nIts clock is slow."
    assert cut("Who founded the yard?", text, 8) == (
        "The yard lies in Hollin.\nEdda Thorn founded it."
    )


def test_without_an_embedder_the_first_sentences_are_kept() -> None:
    evidence = Evidence(chunks=(passage(TEXT),))
    (hit,) = excerpt("Who founded the yard?", evidence, 8, TextSimilarity()).chunks
    assert hit.item.text == "The yard lies in Hollin. It has two slips."
