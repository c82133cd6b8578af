"""A reranker behind a real HTTP server, and what goes wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoptrail.api import Hoptrail
from hoptrail.core.budget import Limits, Meter, booking_to
from hoptrail.core.errors import (
    ModelKeyError,
    ModelReplyError,
    ModelUnavailableError,
    SettingsError,
)
from hoptrail.core.reranking import Reranker
from hoptrail.core.settings import Settings
from hoptrail.models.embedder import register_embedder
from hoptrail.models.reranker import load_reranker
from hoptrail.testing import Fault, HashingEmbedder, faults
from hoptrail.testing.rerank_stub import RerankStubServer, results

pytestmark = pytest.mark.slow

FIRST = 10  # passages that `k` keeps
NAME = "endpoint:bge-reranker"
ARTICLES = Path("examples/articles").resolve()
QUESTION = "Where was Oren Pascoe born?"
PASSAGES = ["A loaf of rye.", "Oren Pascoe was born in Brackenholm.", "Oren Pascoe."]


def settings(server: RerankStubServer, **changes: Any) -> Settings:
    return Settings(
        **{
            "embedder": "hashing",
            "reranker": NAME,
            "reranker_base_url": server.url,
            "max_retries": 2,
            "reranker_seconds": 10.0,
            **changes,
        }
    )


def reranker(server: RerankStubServer, **changes: Any) -> Reranker:
    return load_reranker(NAME, settings(server, **changes))


def test_question_and_passages_travel_as_they_are() -> None:
    with RerankStubServer() as server:
        scores = reranker(server, reranker_api_key="secret").score(QUESTION, PASSAGES)
        (request,) = server.requests
    assert request.body == {"model": "bge-reranker", "query": QUESTION, "documents": PASSAGES}
    assert request.headers["authorization"] == "Bearer secret"
    assert list(scores) == pytest.approx([0, 1, 2 / 3])


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JINA_API_KEY", "of another server")
    with RerankStubServer() as server:
        reranker(server).score(QUESTION, PASSAGES)
        (request,) = server.requests
    assert "authorization" not in request.headers


@pytest.mark.parametrize("path", ["", "/v1", "/v1/rerank", "/reranking"])
def test_every_path_of_the_servers_is_reached(path: str) -> None:
    with RerankStubServer() as server:
        address = server.url.removesuffix("/v1") + path
        scores = reranker(server, reranker_base_url=address).score(QUESTION, PASSAGES)
    assert np.argmax(scores) == 1


@pytest.mark.parametrize(
    "fault",
    [
        faults.http_error(429, retry_after=0.05),
        faults.http_error(500),
        faults.http_error(503, retry_after=0.01),
        faults.dropped(),
    ],
)
def test_a_passing_fault_is_tried_again_and_every_call_counted(fault: Fault) -> None:
    meter = Meter("retrieve")
    with RerankStubServer(faults=[fault]) as server, booking_to(meter):
        scores = reranker(server).score(QUESTION, PASSAGES)
    assert np.argmax(scores) == 1
    assert meter.usage.rerank_calls == 2
    assert meter.usage.llm_calls == 0


def test_a_refused_key_names_the_variable() -> None:
    with RerankStubServer(faults=[faults.http_error(401)]) as server:
        with pytest.raises(ModelKeyError, match="refuses the key of reranker") as caught:
            reranker(server, reranker_api_key="wrong").score(QUESTION, PASSAGES)
    assert "HOPTRAIL_RERANKER_API_KEY" in caught.value.hint


def test_a_refused_request_is_not_sent_again_and_told_in_the_servers_words() -> None:
    with RerankStubServer(faults=[faults.http_error(400, "too many documents")]) as server:
        with pytest.raises(ModelUnavailableError, match="HTTP 400: too many documents"):
            reranker(server).score(QUESTION, PASSAGES)
        assert len(server.requests) == 1


def test_a_slow_server_is_left_after_the_time() -> None:
    with RerankStubServer(faults=[faults.hang(60)]) as server:
        with pytest.raises(ModelUnavailableError, match="no scores within 0.3 s") as caught:
            reranker(server, reranker_seconds=0.3).score(QUESTION, PASSAGES)
        assert len(server.requests) == 1
    assert "reranker_seconds" in caught.value.hint


def test_the_run_may_have_less_time_left() -> None:
    meter = Meter("retrieve", Limits(max_seconds=0.3))
    with RerankStubServer(faults=[faults.hang(60)]) as server, booking_to(meter):
        with pytest.raises(ModelUnavailableError):
            reranker(server, reranker_seconds=50.0).score(QUESTION, PASSAGES)


def test_a_server_that_is_down_is_not_waited_for() -> None:
    meter = Meter("retrieve")
    with RerankStubServer() as server:
        gone = reranker(server)
    with booking_to(meter), pytest.raises(ModelUnavailableError, match="no server answers"):
        gone.score(QUESTION, PASSAGES)
    assert meter.usage.rerank_calls == 1


def rows(*pairs: tuple[Any, Any]) -> dict[str, Any]:
    return {"results": [{"index": place, "relevance_score": score} for place, score in pairs]}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (rows((0, 0.1), (1, 0.2)), "2 scores for 3 passages"),
        (rows((0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4)), "4 scores for 3 passages"),
        (rows((0, 0.1), (1, 0.2), (7, 0.3)), "a score for passage 7 of 3"),
        (rows((0, 0.1), (1, 0.2), (-1, 0.3)), "a score for passage -1 of 3"),
        (rows((0, 0.1), (1, 0.2), ("2", 0.3)), "a score for passage None of 3"),
        (rows((0, 0.1), (1, 0.2), (True, 0.3)), "a score for passage None of 3"),
        (rows((0, 0.1), (1, 0.2), (1, 0.3)), "two scores for passage 1"),
        (rows((0, 0.1), (1, 0.2), (2, float("nan"))), "no number for passage 2"),
        (rows((0, 0.1), (1, 0.2), (2, float("inf"))), "no number for passage 2"),
        (rows((0, 0.1), (1, 0.2), (2, None)), "no number for passage 2"),
        (rows((0, 0.1), (1, 0.2), (2, "0.3")), "no number for passage 2"),
        ({"results": [0.1, 0.2, 0.3]}, "a score for passage None of 3"),
        ({"results": None}, "no list of results"),
        ({}, "no list of results"),
        ([], "no list of results"),
    ],
)
def test_a_reply_that_cannot_be_used_is_named(reply: Any, told: str) -> None:
    with RerankStubServer(lambda body: reply) as server:
        with pytest.raises(ModelReplyError, match=told):
            reranker(server).score(QUESTION, PASSAGES)


def test_the_list_may_be_called_data_and_scores_be_negative() -> None:
    def reply(body: dict[str, Any]) -> Any:
        return {"data": [{"index": 1, "score": -1}, {"index": 0, "score": -9.5}]}

    with RerankStubServer(reply) as server:
        assert list(reranker(server).score(QUESTION, PASSAGES[:2])) == [-9.5, -1]


def test_the_price_of_the_settings_is_booked() -> None:
    meter = Meter("retrieve")
    with RerankStubServer() as server, booking_to(meter):
        reranker(server, prices={NAME: {"prompt": 1e6}}).score(QUESTION, PASSAGES)
        reranker(server).score(QUESTION, PASSAGES)
    assert meter.usage.usd > 1
    assert meter.usage.unpriced_calls == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    register_embedder("hashing", HashingEmbedder())
    path = tmp_path_factory.mktemp("kb")
    with Hoptrail.open(path, create=True, settings=Settings(embedder="hashing")) as hoptrail:
        hoptrail.index([ARTICLES], extractor="nlp")
    return path


def by_title(title: str) -> Callable[[dict[str, Any]], Any]:
    return lambda body: results([float(text.startswith(title)) for text in body["documents"]])


def test_an_answer_is_read_from_the_passages_in_the_new_order(folder: Path) -> None:
    with RerankStubServer(by_title("Dorrin")) as server:
        with Hoptrail.open(folder, settings=settings(server)) as hoptrail:
            first = hoptrail.evidence(QUESTION, preset="vector").chunks[0].item
            answer = hoptrail.ask(QUESTION, preset="offline")
            off = hoptrail.ask(QUESTION, preset="offline", reranker="none")
    assert first.title == "Dorrin"
    assert answer.usage.rerank_calls >= 1
    assert answer.degraded == ()
    assert off.usage.rerank_calls == 0


@pytest.mark.parametrize("preset", ["offline", "dotrag", "growth"])
def test_a_reranker_that_is_down_is_told_in_the_answer(folder: Path, preset: str) -> None:
    with RerankStubServer() as server:
        chosen = settings(server)
    with Hoptrail.open(folder, settings=chosen) as hoptrail:
        own = hoptrail.evidence(QUESTION, preset=preset, reranker="none")
        found = hoptrail.evidence(QUESTION, preset=preset)
        answer = hoptrail.ask(QUESTION, preset=preset)
    # A set that was chosen for a reranker is larger, and differs behind the first passages.
    assert found.chunks[:FIRST] == own.chunks[:FIRST]
    (line,) = [line for line in answer.degraded if "reranker" in line]
    assert "the reranker gave no order" in line and "no server answers" in line


def test_a_program_chooses_for_one_retrieval(folder: Path) -> None:
    with RerankStubServer(by_title("Dorrin")) as server:
        with Hoptrail.open(folder, settings=settings(server, reranker=None)) as hoptrail:
            plain = hoptrail.retrieve(QUESTION)
            found = hoptrail.retrieve(QUESTION, reranker=NAME)
            (document, *_) = hoptrail.retriever("vector", reranker=NAME).invoke(QUESTION)
            calls = len(server.requests)
    assert plain["reranker"] is None and found["reranker"] == NAME
    assert found["passages"][0]["title"] == document.metadata["title"] == "Dorrin"
    assert calls == 2


def test_a_tool_takes_the_reranker_of_the_base_and_no_other(folder: Path) -> None:
    with RerankStubServer(by_title("Dorrin")) as server:
        with Hoptrail.open(folder, settings=settings(server)) as hoptrail:
            (tool,) = hoptrail.tools("retrieve_vector")
            call = {"type": "tool_call", "id": "1", "name": tool.name}
            found = tool.invoke({**call, "args": {"question": QUESTION}}).artifact
            other = {"question": QUESTION, "reranker": "cross-encoder:/etc"}
            refused = tool.invoke({**call, "args": other})
    assert found.chunks[0].item.title == "Dorrin"
    assert "is not listed here" in str(refused.content)


def test_an_unlisted_name_of_a_request_is_refused(folder: Path) -> None:
    from hoptrail.graphs.context import Context
    from hoptrail.services.request_services import check_choices

    with RerankStubServer() as server:
        with Hoptrail.open(folder, settings=settings(server)) as hoptrail:
            base = str(hoptrail.knowledge_base.path.resolve())
            hoptrail.evidence(QUESTION)
            check_choices(Context(knowledge_base=base, reranker=NAME))
            with pytest.raises(SettingsError, match="not listed here"):
                check_choices(Context(knowledge_base=base, reranker="cross-encoder:/etc"))
