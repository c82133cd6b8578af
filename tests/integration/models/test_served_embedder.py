"""An embedder behind a real HTTP server, and what goes wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoptrail.api import Hoptrail
from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.errors import (
    CostLimitError,
    ModelKeyError,
    ModelUnavailableError,
    SettingsError,
)
from hoptrail.core.settings import Settings
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Document
from hoptrail.models.doctor import check_embedder
from hoptrail.models.embedder import load_embedder
from hoptrail.testing import Fault, HashingEmbedder, OpenAIStubServer, faults

pytestmark = pytest.mark.slow

NAME = "openai:text-embedding-3-small"
ARTICLE = Path("examples/articles/oren-pascoe.md").resolve()


def settings(server: OpenAIStubServer, **changes: Any) -> Settings:
    return Settings(
        **{
            "embedder": NAME,
            "embedder_base_url": server.url,
            "max_retries": 2,
            "timeout_seconds": 5.0,
            **changes,
        }
    )


def hashing(dim: int) -> Callable[[list[str]], Any]:
    return lambda texts: HashingEmbedder(dim).embed(texts).tolist()


def test_texts_and_vectors_travel_as_they_are() -> None:
    with OpenAIStubServer("") as server:
        vectors = load_embedder(NAME, settings(server)).embed(["Varde", "Ribe"])
        (request,) = server.embedding_requests
    assert request.body["input"] == ["Varde", "Ribe"]
    assert request.body["model"] == "text-embedding-3-small"
    np.testing.assert_allclose(vectors, HashingEmbedder().embed(["Varde", "Ribe"]), atol=1e-5)


def test_the_key_of_another_server_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-openai")
    with OpenAIStubServer("") as server:
        load_embedder(NAME, settings(server)).embed(["Varde"])
        load_embedder(NAME, settings(server, embedder_api_key="own")).embed(["Varde"])
        sent = [request.headers["authorization"] for request in server.embedding_requests]
    assert sent == ["Bearer none", "Bearer own"]


@pytest.mark.parametrize(
    "fault",
    [
        faults.http_error(429, retry_after=0.05),
        faults.http_error(500),
        faults.http_error(503, retry_after=0.01),
        faults.dropped(),
    ],
)
def test_a_passing_fault_is_tried_again(fault: Fault) -> None:
    with OpenAIStubServer("", embedding_faults=[fault]) as server:
        vectors = load_embedder(NAME, settings(server)).embed(["Varde"])
        assert len(server.embedding_requests) == 2
    np.testing.assert_allclose(vectors, HashingEmbedder().embed(["Varde"]), atol=1e-5)


def test_a_reply_that_is_too_late_is_tried_again_and_both_are_counted() -> None:
    meter = Meter("retrieve")
    with OpenAIStubServer("", embedding_faults=[faults.hang(10)]) as server, booking_to(meter):
        load_embedder(NAME, settings(server, timeout_seconds=0.5)).embed(["Varde"])
    assert meter.usage.embedding_calls == 2
    assert meter.usage.embedding_tokens == 2 * estimate_tokens("Varde")


def test_a_lasting_fault_is_an_error_that_names_what_to_check() -> None:
    with OpenAIStubServer("", embedding_faults=[faults.http_error(500)] * 9) as server:
        embedder = load_embedder(NAME, settings(server, max_retries=1))
        with pytest.raises(ModelUnavailableError, match="after 2 tries: HTTP 500") as caught:
            embedder.embed(["Varde"])
    assert "HOPTRAIL_EMBEDDER_BASE_URL" in caught.value.hint


def test_a_refused_key_is_an_error_that_names_the_variable() -> None:
    with OpenAIStubServer("", embedding_faults=[faults.http_error(401)]) as server:
        with pytest.raises(ModelKeyError, match="refuses the key of embedder") as caught:
            load_embedder(NAME, settings(server, embedder_api_key="wrong")).embed(["Varde"])
    assert "HOPTRAIL_EMBEDDER_API_KEY" in caught.value.hint


def test_a_missing_key_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelKeyError, match="no key for embedder") as caught:
        load_embedder(NAME, Settings())
    assert caught.value.hint == "set OPENAI_API_KEY"


def test_a_missing_package_is_named() -> None:
    with pytest.raises(SettingsError) as caught:
        load_embedder("cohere:embed-english-v3.0", Settings())
    assert caught.value.hint == "pip install langchain-cohere"


def test_an_unknown_provider_is_told_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="nobody") as caught:
        load_embedder("nobody:model", Settings())
    assert "openai" in caught.value.hint


def test_the_doctor_tries_it_with_one_call() -> None:
    with OpenAIStubServer("") as server:
        check = check_embedder(NAME, settings(server))
        assert len(server.embedding_requests) == 1
    assert check.error is None
    assert check.seconds is not None


def test_the_doctor_tells_a_refused_key() -> None:
    with OpenAIStubServer("", embedding_faults=[faults.http_error(401)]) as server:
        check = check_embedder(NAME, settings(server, embedder_api_key="wrong"))
    assert check.key_refused
    assert check.key is True


def test_a_base_is_indexed_and_asked_with_one_call_for_a_question(tmp_path: Path) -> None:
    with OpenAIStubServer("") as server:
        with Hoptrail.open(tmp_path / "kb", create=True, settings=settings(server)) as h:
            forecast = h.forecast([ARTICLE], extractor="nlp")
            assert not server.embedding_requests
            report = h.index([ARTICLE], extractor="nlp")
        spent = report["usage"]["by_node"]["embed"]
        assert 0.5 < spent["embedding_tokens"] / forecast["embedding"]["tokens"] < 1.5
        assert 0 < spent["usd"] == report["usage"]["usd"]

        server.embedding_requests.clear()
        with Hoptrail.open(tmp_path / "kb", settings=settings(server)) as h:
            answer = h.ask("Where was Oren Pascoe born?", preset="offline")
    assert [request.body["input"] for request in server.embedding_requests] == [
        ["Where was Oren Pascoe born?"]
    ]
    assert answer.text == "Brackenholm"
    assert answer.usage.embedding_calls == 1
    assert answer.usage.llm_calls == 0
    assert answer.usage.usd > 0


@pytest.mark.parametrize("preset", ["offline", "auto"])
def test_a_question_is_answered_by_words_while_the_server_is_away(
    tmp_path: Path, preset: str
) -> None:
    with OpenAIStubServer("") as server:
        with Hoptrail.open(tmp_path / "kb", create=True, settings=settings(server)) as h:
            h.index([ARTICLE], extractor="nlp")
    gone = Settings(embedder=NAME, embedder_base_url="http://127.0.0.1:9/v1", max_retries=0)
    with Hoptrail.open(tmp_path / "kb", settings=gone) as h:
        answer = h.ask("Where was Oren Pascoe born?", preset=preset)
        assert answer.text == "Brackenholm"
        node, *lines = answer.degraded
        assert (node, "found by their words alone" in lines[-1]) == ("retrieve", True)
        assert "no server answers for embedder" in lines[0]
        with pytest.raises(ModelUnavailableError):  # no other retriever takes a named one's place
            h.retrieve("Where was Oren Pascoe born?", retriever="vector")
        [vector] = h.tools("retrieve_vector")
        shown = vector.invoke({"question": "Where was Oren Pascoe born?"})
        assert shown.startswith("the embedder gave no vector")


def test_vectors_of_reports_are_forecast_and_capped(tmp_path: Path) -> None:
    with OpenAIStubServer("") as server:
        with Hoptrail.open(tmp_path / "kb", create=True, settings=settings(server)) as h:
            h.index(["examples/articles"], extractor="nlp")
            server.embedding_requests.clear()
            forecast = h.forecast_communities()
            assert not server.embedding_requests
            with pytest.raises(CostLimitError):
                h.communities(max_usd=1e-9)
            report = h.communities(max_usd=0.01)
            again = h.forecast_communities()
    assert 0.9 < report["usage"]["embedding_tokens"] / forecast["embedding"]["tokens"] < 1.1
    assert report["usage"]["usd"] == pytest.approx(forecast["usd"], rel=0.1)
    assert (again["embedding"]["calls"], again["usd"]) == (0, 0.0)


def test_vectors_after_a_deletion_are_forecast_and_capped(tmp_path: Path) -> None:
    texts = {
        "a": "Edda Thorn founded the Tar Guild in Varde.",
        "b": "The Tar Guild stands in Varde. Edda Thorn led the Tar Guild.",
    }
    documents = [Document(f"t/{name}", "Tar Guild", text, "t") for name, text in texts.items()]
    with OpenAIStubServer("") as server:
        with Hoptrail.open(tmp_path / "kb", create=True, settings=settings(server)) as h:
            h.index(documents, extractor="nlp")
            server.embedding_requests.clear()
            forecast = h.forecast_deletion(["t/a"])
            assert not server.embedding_requests
            assert forecast["texts"] > 0
            with pytest.raises(CostLimitError):
                h.delete(["t/a"], max_usd=1e-9)
            assert h.info()["counts"]["documents"] == 2
            report = h.delete(["t/a"], max_usd=0.01)
            assert h.info()["counts"]["documents"] == 1
    probe = estimate_tokens(
        "The river Spree flows through Berlin, the capital of Germany since 1990."
    )
    assert report["usage"]["embedding_tokens"] == forecast["tokens"] + probe


def test_what_was_embedded_before_a_failure_is_not_paid_for_again(tmp_path: Path) -> None:
    fine = [Fault()] * 3
    with OpenAIStubServer("", embedding_faults=[*fine, faults.http_error(400)]) as server:
        with Hoptrail.open(tmp_path / "kb", create=True, settings=settings(server)) as h:
            with pytest.raises(ModelUnavailableError):
                h.index(["examples/articles"], extractor="nlp")
            h.index(["examples/articles"], extractor="nlp")
            h.index(["examples/articles"], extractor="nlp")
        inputs = [request.body["input"] for request in server.embedding_requests]
    probe, *_ = inputs[0]
    paid = [text for place, texts in enumerate(inputs) if place != 3 for text in texts]
    once = [text for text in paid if text != probe]
    assert len(once) > 500
    assert len(once) == len(set(once))


def test_a_limit_of_dollars_stops_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    with OpenAIStubServer("") as server:
        with Hoptrail.open(tmp_path / "kb", create=True, settings=settings(server)) as h:
            with pytest.raises(CostLimitError):
                h.index(["examples/articles"], extractor="nlp", max_usd=0.00015)
            first = len(server.embedding_requests)
            report = h.index(["examples/articles"], extractor="nlp", max_usd=0.01)
    assert first > 1
    assert report["usage"]["usd"] < 0.00025


def test_a_base_moves_from_a_local_embedder_to_a_served_one(tmp_path: Path) -> None:
    with OpenAIStubServer("") as server:
        chosen = settings(server)
        with Hoptrail.open(
            tmp_path / "kb", create=True, settings=chosen, embedder=HashingEmbedder(16)
        ) as h:
            h.index([ARTICLE], extractor="nlp")
            forecast = h.forecast_reembedding(NAME)
            assert not server.embedding_requests
            report = h.reembed(NAME)
            assert h.info()["embedder"] == {"name": NAME, "dim": 64}
            assert h.ask("Where was Oren Pascoe born?", preset="offline").text == "Brackenholm"
    assert 0.8 < report["usage"]["embedding_tokens"] / forecast["tokens"] < 1.2
