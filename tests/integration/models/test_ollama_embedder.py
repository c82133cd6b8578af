"""Embeddings by Ollama's own protocol, at a stub on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from hoptrail.api import Hoptrail
from hoptrail.core.embedding import embed_queries, is_symmetric
from hoptrail.core.errors import EmbedderMismatchError, ModelReplyError, ModelUnavailableError
from hoptrail.core.settings import Settings
from hoptrail.models.embedder import load_embedder
from hoptrail.models.embedder_provider import embedder_key, embedder_server
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.faults import LoopbackHandler, LoopbackServer

pytest.importorskip("langchain_ollama", reason='needs pip install "hoptrail[local]"')
pytestmark = pytest.mark.slow

ARTICLE = Path("examples/articles/oren-pascoe.md").resolve()


class _Handler(LoopbackHandler):
    stub: ClassVar[Any]

    def do_POST(self) -> None:
        body = self.read_json()
        self.stub.asked.append((self.path, body))
        if body["model"] not in ("plain", "nomic-embed-text"):
            words = f'model "{body["model"]}" not found, try pulling it first'
            self.send_json(404, {"error": words})
            return
        vectors = HashingEmbedder(self.stub.dim).embed(body["input"]).tolist()
        self.send_json(200, {"model": body["model"], "embeddings": vectors[: self.stub.most]})


@dataclass
class Ollama(LoopbackServer):
    """Embeds with `HashingEmbedder`, at most `most` texts of a call."""

    handler: ClassVar[type[LoopbackHandler]] = _Handler
    port: int = 0
    dim: int = 64
    most: int = 100_000
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """All texts that were to be embedded."""
        return [text for _, body in self.asked for text in body["input"]]


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ollama]:
    with Ollama() as server:
        monkeypatch.setenv("OLLAMA_HOST", f"http://127.0.0.1:{server.port}")
        yield server


def settings(server: Ollama, **changes: Any) -> Settings:
    # Embedders are kept by their limits: each test has its own server.
    return Settings(timeout_seconds=20 + server.port / 1e5, max_retries=0, **changes)


def test_texts_are_sent_in_batches(ollama: Ollama) -> None:
    embedder = load_embedder("ollama:plain", settings(ollama))
    texts = [f"passage {number}" for number in range(150)]
    vectors = embedder.embed(texts)
    np.testing.assert_allclose(vectors, HashingEmbedder(64).embed(texts), atol=1e-5)
    assert {path for path, _ in ollama.asked} == {"/api/embed"}
    assert sorted(len(body["input"]) for _, body in ollama.asked) == [22, 64, 64]
    assert is_symmetric(embedder)


def test_a_model_gets_the_prefixes_that_it_was_trained_with(ollama: Ollama) -> None:
    embedder = load_embedder("ollama:nomic-embed-text", settings(ollama))
    embedder.embed(["Varde"])
    embed_queries(embedder, ["Where?"])
    assert ollama.texts == ["search_document: Varde", "search_query: Where?"]
    assert not is_symmetric(embedder)


def test_a_base_is_made_and_asked_with_it(ollama: Ollama, tmp_path: Path) -> None:
    chosen = settings(ollama, embedder="ollama:nomic-embed-text")
    with Hoptrail.open(tmp_path, create=True, settings=chosen) as hoptrail:
        hoptrail.index([ARTICLE], extractor="nlp")
        found = hoptrail.retrieve("Where was Oren Pascoe born?", retriever="vector")
    assert found["passages"][0]["title"] == "Oren Pascoe"
    assert ollama.texts[-1] == "search_query: Where was Oren Pascoe born?"
    ollama.dim = 32
    anew = chosen.model_copy(update={"max_retries": 1})  # as in a new process
    with Hoptrail.open(tmp_path, settings=anew) as hoptrail:
        with pytest.raises(EmbedderMismatchError, match="64 dimensions, .* sends 32"):
            hoptrail.retrieve("Who was Edda Thornvale?", retriever="vector")


def test_a_model_that_was_not_pulled_is_told_in_ollamas_words(ollama: Ollama) -> None:
    with pytest.raises(ModelUnavailableError, match="try pulling it first"):
        load_embedder("ollama:missing", settings(ollama)).embed(["Varde"])


def test_a_vector_too_few_is_an_error(ollama: Ollama) -> None:
    ollama.most = 1
    with pytest.raises(ModelReplyError, match="1 vectors for 2 texts"):
        load_embedder("ollama:plain", settings(ollama)).embed(["Varde", "Ribe"])


def test_a_server_that_is_down_names_its_variable(
    ollama: Ollama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    with pytest.raises(ModelUnavailableError) as caught:
        load_embedder("ollama:plain", settings(ollama)).embed(["Varde"])
    assert "OLLAMA_HOST" in caught.value.hint


def test_it_needs_no_key_and_its_server_is_named(
    ollama: Ollama, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert embedder_key("ollama:plain", Settings()) is None
    assert embedder_server("ollama:plain", Settings()) == f"http://127.0.0.1:{ollama.port}"
    monkeypatch.delenv("OLLAMA_HOST")
    assert embedder_server("ollama:plain", Settings()) == "this machine alone"
