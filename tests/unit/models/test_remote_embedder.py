"""LangChain `Embeddings` as embedders: checked, in batches, and accounted for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import ModelReplyError, ModelUnavailableError
from hoptrail.core.settings import Price, Settings
from hoptrail.models.embedder_provider import wrap_embeddings
from hoptrail.models.remote_embedder import LONGEST, MOST_TEXTS, MOST_TOKENS, batches
from hoptrail.testing import EmbedderContract, HashingEmbedder

SETTINGS = Settings(max_retries=0, prices={"of-the-test": Price(prompt=1.0)})


class HashingEmbeddings(Embeddings):
    """The hash vectors in LangChain's protocol, twice as long as unit vectors."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(texts)
        vectors: list[list[float]] = (2 * HashingEmbedder().embed(texts)).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return [1.0, *([0.0] * 63)]


class BrokenEmbeddings(HashingEmbeddings):
    """Sends whatever it is given instead of vectors."""

    def __init__(self, sent: Any) -> None:
        super().__init__()
        self.sent = sent

    def embed_documents(self, texts: list[str]) -> Any:
        return self.sent


class TestHashingEmbeddings(EmbedderContract):
    def make_embedder(self) -> Embedder:
        return wrap_embeddings(HashingEmbeddings(), SETTINGS)


def test_langchains_own_embeddings_serve_as_they_are() -> None:
    embedder = wrap_embeddings(DeterministicFakeEmbedding(size=12), SETTINGS)
    vectors = embedder.embed(["Varde", "Ribe"])
    assert vectors.shape == (2, 12)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_questions_are_embedded_as_questions() -> None:
    embedder = wrap_embeddings(HashingEmbeddings(), SETTINGS)
    assert embedder.embed_queries(["Who?", "Where?"])[:, 0].tolist() == [1.0, 1.0]
    assert embedder.embed(["Who?"])[0, 0] != 1.0


def test_a_call_has_a_bounded_number_of_texts() -> None:
    embeddings = HashingEmbeddings()
    wrap_embeddings(embeddings, SETTINGS).embed([f"text {i}" for i in range(MOST_TEXTS + 1)])
    assert sorted(map(len, embeddings.batches)) == [1, MOST_TEXTS]


def test_a_call_has_a_bounded_number_of_tokens() -> None:
    texts = ["river " * (MOST_TOKENS // 3)] * 4
    assert [len(places) for places in batches(texts)] == [2, 2]


def test_a_long_text_is_cut_and_that_is_told() -> None:
    embeddings = HashingEmbeddings()
    meter = Meter("embed")
    with booking_to(meter):
        wrap_embeddings(embeddings, SETTINGS).embed(["river " * (2 * LONGEST), "short"])
    longest = max(len(text) for batch in embeddings.batches for text in batch)
    assert LONGEST * 3 < longest < LONGEST * 6 + 6
    assert meter.notes == [f"embedded by their first {LONGEST:,} tokens alone: 1 texts"]


def test_what_no_server_takes_is_replaced() -> None:
    embeddings = HashingEmbeddings()
    wrap_embeddings(embeddings, SETTINGS).embed(["", " \n", "broken \ud800 half"])
    assert embeddings.batches == [["(blank)", "(blank)", "broken ? half"]]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ([[1.0, 0.0]], "1 vectors for 2 texts"),
        ([[1.0], [1.0], [1.0]], "3 vectors for 2 texts"),
        (None, "no vectors for 2 texts"),
        ([[], []], "empty vectors"),
        ([[1.0], [1.0, 2.0]], "unequal length"),
        ([["a"], ["b"]], "not of numbers"),
        ([[1.0], [math.nan]], "no number"),
        ([[1.0], [math.inf]], "no number"),
        ([[1.0, 0.0], [0.0, 0.0]], "zeros"),
    ],
)
def test_what_is_no_vector_for_each_text_is_an_error(sent: Any, told: str) -> None:
    with pytest.raises(ModelReplyError, match=told):
        wrap_embeddings(BrokenEmbeddings(sent), SETTINGS, "of-the-test").embed(["a", "b"])


def test_vectors_must_keep_their_length() -> None:
    embeddings = BrokenEmbeddings([[1.0, 0.0]])
    embedder = wrap_embeddings(embeddings, SETTINGS)
    embedder.embed(["a"])
    embeddings.sent = [[1.0, 0.0, 0.0]]
    with pytest.raises(ModelReplyError, match="3 dimensions, before 2"):
        embedder.embed(["b"])


def test_an_object_that_fails_is_an_error_of_one_line() -> None:
    class Failing(HashingEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise KeyError("no such weights")

    with pytest.raises(ModelUnavailableError, match="embedder of-the-test .*no such weights"):
        wrap_embeddings(Failing(), SETTINGS, "of-the-test").embed(["a"])


def test_calls_tokens_and_dollars_are_booked_apart_from_a_models() -> None:
    meter = Meter("retrieve")
    with booking_to(meter):
        wrap_embeddings(HashingEmbeddings(), SETTINGS, "of-the-test").embed(["river " * 100])
    usage = meter.usage
    assert (usage.embedding_calls, usage.llm_calls, usage.prompt_tokens) == (1, 0, 0)
    assert 90 <= usage.embedding_tokens <= 110
    assert usage.usd == pytest.approx(usage.embedding_tokens / 1e6)
    assert usage.unpriced_calls == 0


def test_a_call_of_unknown_price_is_never_free() -> None:
    meter = Meter("retrieve")
    with booking_to(meter):
        wrap_embeddings(HashingEmbeddings(), SETTINGS, "somebody:nothing").embed(["a"])
    assert (meter.usage.usd, meter.usage.unpriced_calls) == (0.0, 1)


def test_what_came_before_a_failure_is_handed_over() -> None:
    class FailsLater(HashingEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            if "text 70" in texts:
                raise KeyError("gone")
            return super().embed_documents(texts)

    texts = [f"text {i}" for i in range(2 * MOST_TEXTS)]
    arrived: list[int] = []
    with pytest.raises(ModelUnavailableError):
        for places, _ in wrap_embeddings(FailsLater(), SETTINGS).embed_each(texts):
            arrived += places
    assert sorted(arrived) == list(range(MOST_TEXTS))


def _named(kind: str, module: str, **fields: str) -> Embeddings:
    made: Embeddings = type(kind, (HashingEmbeddings,), {"__module__": module, **fields})()
    return made


@pytest.mark.parametrize(
    ("embeddings", "given", "name"),
    [
        (_named("OpenAIEmbeddings", "langchain_openai.x", model="m"), None, "openai:m"),
        (_named("HuggingFaceEmbeddings", "langchain_huggingface", model_name="a/b"), None, None),
        (_named("Ours", "our.package"), None, "Ours"),
        (_named("Ours", "our.package", model="v2"), None, "Ours:v2"),
        (_named("Ours", "our.package"), "our-embedder", "our-embedder"),
    ],
)
def test_the_name_tells_provider_and_model(
    embeddings: Embeddings, given: str | None, name: str | None
) -> None:
    assert wrap_embeddings(embeddings, SETTINGS, given).name == (name or "huggingface:a/b")


def test_vectors_follow_their_texts_over_many_calls() -> None:
    texts: Sequence[str] = [f"text {i}" for i in range(3 * MOST_TEXTS)]
    vectors = wrap_embeddings(HashingEmbeddings(), SETTINGS).embed(texts)
    np.testing.assert_allclose(vectors, HashingEmbedder().embed(texts), atol=1e-5)
