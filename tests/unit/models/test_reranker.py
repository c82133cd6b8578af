from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from hoptrail.core.errors import ModelKeyError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models import reranker as rerankers
from hoptrail.models.doctor import check_reranker
from hoptrail.models.http_reranker import rerank_url
from hoptrail.models.reranker import (
    as_reranker,
    chosen_reranker,
    load_reranker,
    register_reranker,
    reranker_key,
)


class Flat:
    name = "flat"

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        return [0.0] * len(passages)


@pytest.fixture
def flat(monkeypatch: pytest.MonkeyPatch) -> Iterator[Flat]:
    monkeypatch.setattr(rerankers, "_registered", {})
    register_reranker("flat", flat := Flat())
    yield flat


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/rerank"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/rerank"),
        ("https://host/v2/rerank", "https://host/v2/rerank"),
        ("https://host/reranking?x=1", "https://host/reranking?x=1"),
    ],
)
def test_the_endpoint_lies_below_the_base_address(base_url: str, url: str) -> None:
    assert rerank_url(base_url) == url


@pytest.mark.parametrize("base_url", ["127.0.0.1:8080", "host/v1", "ftp://host", "http://[::1"])
def test_what_is_no_address_is_told(base_url: str) -> None:
    settings = Settings(reranker_base_url=base_url)
    with pytest.raises(SettingsError, match="reranker_base_url"):
        load_reranker("endpoint:bge", settings)


@pytest.mark.parametrize("name", ["bge", "endpoint:", "voyage:rerank", ":x"])
def test_an_unknown_name_tells_the_forms(name: str) -> None:
    with pytest.raises(SettingsError, match="unknown reranker") as caught:
        load_reranker(name, Settings(reranker_base_url="http://127.0.0.1:9"))
    assert "cross-encoder:NAME" in caught.value.hint


def test_an_endpoint_without_an_address_tells_the_variable() -> None:
    with pytest.raises(SettingsError, match="has no server") as caught:
        load_reranker("endpoint:bge", Settings())
    assert "HOPTRAIL_RERANKER_BASE_URL" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "variable"),
    [("jina:jina-reranker-v2", "JINA_API_KEY"), ("cohere:rerank-v3.5", "COHERE_API_KEY")],
)
def test_a_missing_key_is_told_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, name: str, variable: str
) -> None:
    monkeypatch.delenv(variable, raising=False)
    assert reranker_key(name, Settings()) is False
    with pytest.raises(ModelKeyError) as caught:
        load_reranker(name, Settings())
    assert caught.value.hint == f"set {variable}"
    monkeypatch.setenv(variable, "key")
    assert load_reranker(name, Settings()).name == name


def test_a_request_may_name_what_is_listed(flat: Flat) -> None:
    settings = Settings(reranker="endpoint:own", allowed_models=["jina:other"])
    assert chosen_reranker(None, settings) == "endpoint:own"
    assert chosen_reranker("none", settings) is None
    for name in ("endpoint:own", "jina:other", "flat"):
        assert chosen_reranker(name, settings) == name
    with pytest.raises(SettingsError, match="'cross-encoder:/etc' is not listed here"):
        chosen_reranker("cross-encoder:/etc", settings)


def test_a_program_gives_a_name_or_an_object(flat: Flat) -> None:
    settings = Settings(reranker="flat")
    assert as_reranker(None, settings) is flat
    assert as_reranker("flat", Settings()) is flat
    assert as_reranker("none", settings) is None
    assert as_reranker(None, Settings()) is None
    other = Flat()
    assert as_reranker(other, settings) is other
    with pytest.raises(SettingsError, match="list is no reranker"):
        as_reranker([], settings)  # type: ignore[arg-type]


def test_a_reranker_is_loaded_once() -> None:
    settings = Settings(reranker_base_url="http://127.0.0.1:9")
    assert load_reranker("endpoint:bge", settings) is load_reranker("endpoint:bge", settings)


def test_the_doctor_looks_at_the_one_that_is_set(flat: Flat) -> None:
    assert check_reranker(None, Settings()) is None
    assert check_reranker("none", Settings()) is None
    works = check_reranker("flat", Settings())
    assert works is not None and works.error is None and works.seconds is not None
    lacks = check_reranker("endpoint:bge", Settings())
    assert lacks is not None and "has no server" in (lacks.error or "")
