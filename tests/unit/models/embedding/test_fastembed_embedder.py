from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray, embed_queries, is_symmetric
from hoptrail.core.errors import ModelReplyError
from hoptrail.models.embedder import is_remote
from hoptrail.models.embedding.fastembed_embedder import FastEmbedEmbedder
from hoptrail.testing import HashingEmbedder

NAME = "fastembed:nomic-ai/nomic-embed-text-v1.5"


class Model:
    """Gives vectors as FastEmbed's models do: a generator of arrays, of any length."""

    def __init__(self, size: int = 64, scale: float = 3.0) -> None:
        self.embedding_size = size
        self._scale = scale
        self.asked: list[str] = []

    def embed(self, documents: Sequence[str], batch_size: int) -> Iterable[FloatArray]:
        self.asked += documents
        assert batch_size == len(documents)
        yield from self._scale * HashingEmbedder(64).embed(documents)


def test_vectors_have_unit_length_and_the_order_of_the_texts() -> None:
    texts = [f"passage {'word ' * (number % 9)}{number}" for number in range(99)]
    vectors = FastEmbedEmbedder("fastembed:some/model", Model()).embed(texts)
    np.testing.assert_allclose(vectors, HashingEmbedder(64).embed(texts), atol=1e-5)


def test_questions_and_passages_have_the_prefixes_of_the_model() -> None:
    embedder = FastEmbedEmbedder(NAME, model := Model())
    embedder.embed(["Varde"])
    embed_queries(embedder, ["Where?"])
    assert model.asked == ["search_document: Varde", "search_query: Where?"]
    assert not is_symmetric(embedder)
    assert is_symmetric(FastEmbedEmbedder("fastembed:some/model", Model()))


@pytest.mark.parametrize("model", [Model(size=32), Model(scale=0.0), Model(scale=np.nan)])
def test_vectors_that_cannot_be_used_are_an_error(model: Model) -> None:
    with pytest.raises(ModelReplyError, match="fastembed:some/model gave vectors"):
        FastEmbedEmbedder("fastembed:some/model", model).embed(["Varde"])


def test_no_text_gives_no_vector() -> None:
    assert FastEmbedEmbedder(NAME, Model()).embed([]).shape == (0, 64)


def test_it_runs_in_this_process() -> None:
    assert not is_remote(NAME)
