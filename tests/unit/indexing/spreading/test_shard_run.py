"""One shard: which documents it reads, how it is continued, what a model reads in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import HoptrailError, InputError
from hoptrail.core.settings import Price, Settings
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.shards.shard_folder import ShardState
from hoptrail.indexing.shards.shard_set import finished_shards, stopped_by
from hoptrail.indexing.spreading.shard_run import index_shard
from hoptrail.indexing.spreading.spread_run import DriverPurse
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder, ScriptedChatModel
from tests.sharded import BY_RULES, COUNT, exported, index_all, merge, task

MODEL = "scripted-shards"
PRICES = {MODEL: Price(prompt=1, completion=1)}
NAMES = ("Edda", "Oren", "Signe", "Tomas", "Pia")


def read(messages: list[BaseMessage]) -> dict[str, Any]:
    found = [name for name in NAMES if name in str(messages[-1].content)]
    return {"entities": [{"name": name, "type": "person"} for name in found], "relations": []}


@pytest.fixture
def model() -> Iterator[ScriptedChatModel]:
    scripted = ScriptedChatModel(by_role={"extractor": read})
    register_chat_model(MODEL, scripted)
    yield scripted


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [
        {"id": f"d{n}", "title": f"Day {n}", "text": f"{NAMES[n % 5]} met {NAMES[n % 4]} on {n}."}
        for n in range(24)
    ]
    path = tmp_path / "days.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def by_model(**choices: Any) -> IndexOptions:
    return IndexOptions(**{"extractor": "llm", "beta": 1.0, **choices})


def run(
    corpus: Path, into: Path, options: IndexOptions, *, purse: DriverPurse | None = None
) -> list[ShardState]:
    settings = Settings(prices=PRICES, max_retries=0)
    return [
        index_shard(
            task([corpus], into, number, options=options, settings=settings, model=MODEL),
            embedder=HashingEmbedder(),
            purse=purse,
        )
        for number in range(1, COUNT + 1)
    ]


def of_one_process(folder: Path, corpus: Path, options: IndexOptions) -> str:
    settings = Settings(prices=PRICES, max_retries=0)
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        models = ChatModels(settings, {"default": MODEL})
        Indexer(kb, settings=settings, models=models).index([corpus], options)
        return exported(kb)


def test_a_shard_that_is_done_stays_as_it_is(corpus: Path, tmp_path: Path) -> None:
    first = index_all([corpus], tmp_path / "shards")
    assert index_all([corpus], tmp_path / "shards") == first


def test_files_that_changed_since_are_read_again(
    corpus: Path, tmp_path: Path, kb: KnowledgeBase
) -> None:
    index_all([corpus], tmp_path / "shards")
    lines = corpus.read_text(encoding="utf-8").splitlines()
    extra = json.dumps({"id": "new", "text": "Pia met Tomas."})
    corpus.write_text("\n".join([*lines, extra]), encoding="utf-8")
    states = index_all([corpus], tmp_path / "shards")
    assert [state.stage for state in states] == ["done"] * 3
    assert sum(state.documents for state in states) == 25
    merge(kb, tmp_path / "shards")
    with KnowledgeBase.open(tmp_path / "one", embedder=HashingEmbedder(), create=True) as one:
        Indexer(one).index([corpus], BY_RULES)
        assert exported(kb) == exported(one)


class Killed(BaseException):
    """An end that no handler of the program sees."""


class DyingEmbedder(HashingEmbedder):
    def embed(self, texts: Sequence[str]) -> FloatArray:
        if len(texts) > 1:
            raise Killed
        return super().embed(texts)


def test_a_shard_that_was_cut_short_is_named_and_goes_on(
    corpus: Path, tmp_path: Path, kb: KnowledgeBase
) -> None:
    with pytest.raises(Killed):
        index_shard(task([corpus], tmp_path / "shards", 1), embedder=DyingEmbedder())
    with pytest.raises(InputError, match="shard 1/3 was cut short, shard 2/3 is missing"):
        merge(kb, tmp_path / "shards")
    index_all([corpus], tmp_path / "shards")
    merge(kb, tmp_path / "shards")
    with KnowledgeBase.open(tmp_path / "one", embedder=HashingEmbedder(), create=True) as one:
        Indexer(one).index([corpus], BY_RULES)
        assert exported(kb) == exported(one)


def test_other_settings_in_the_same_folder_are_refused(corpus: Path, tmp_path: Path) -> None:
    index_all([corpus], tmp_path / "shards")
    with pytest.raises(InputError, match="made with chunk_tokens 300, not 100"):
        index_all([corpus], tmp_path / "shards", options=replace(BY_RULES, chunk_tokens=100))


def test_another_number_of_shards_in_the_same_folder_is_refused(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "shards" / "shard-1-of-9").mkdir(parents=True)
    with pytest.raises(InputError, match="of a run of 9, not of 3"):
        index_all([corpus], tmp_path / "shards")


def test_documents_keep_the_names_that_the_base_gave_them(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    inner = tmp_path / "notes" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.txt").write_text("Edda Thorn founded the Alder Yard.")
    Indexer(kb).index([tmp_path / "notes"], BY_RULES)
    index_all([inner], tmp_path / "shards", base=kb.path)
    assert merge(kb, tmp_path / "shards").documents.unchanged == 1
    assert list(kb.content_hashes()) == ["notes/inner/a.txt"]


def test_what_the_base_has_of_a_passage_is_taken_over(
    corpus: Path, tmp_path: Path, model: ScriptedChatModel, kb: KnowledgeBase
) -> None:
    settings = Settings(prices=PRICES, max_retries=0)
    models = ChatModels(settings, {"default": MODEL})
    Indexer(kb, settings=settings, models=models).index([corpus], by_model())
    calls = len(model.calls)
    state = index_shard(
        task(
            [corpus],
            tmp_path / "shards",
            options=by_model(),
            settings=settings,
            model=MODEL,
            base=kb.path,
        ),
        embedder=HashingEmbedder(),
    )
    assert state.documents > 0
    assert (state.stage, len(model.calls)) == ("done", calls)


def test_the_central_passages_are_chosen_among_those_of_all_shards(
    corpus: Path, tmp_path: Path, model: ScriptedChatModel, kb: KnowledgeBase
) -> None:
    options = by_model(beta=0.5)
    first = run(corpus, tmp_path / "shards", options)
    assert [state.stage for state in first] == ["loaded", "loaded", "done"]
    with pytest.raises(InputError, match="shard 1/3 is loaded but not read"):
        merge(kb, tmp_path / "shards")
    second = run(corpus, tmp_path / "shards", options)
    assert [state.stage for state in second] == ["done"] * 3
    assert len(model.calls) == 12
    merge(kb, tmp_path / "shards")
    assert exported(kb) == of_one_process(tmp_path / "one", corpus, options)


def test_all_shards_together_stay_within_the_limit_and_are_continued(
    corpus: Path, tmp_path: Path, model: ScriptedChatModel, kb: KnowledgeBase
) -> None:
    options = by_model(max_usd=0.01, concurrency=1)
    states = run(corpus, tmp_path / "shards", options, purse=DriverPurse(0.01))
    assert 0 < sum(state.usage.usd for state in states) <= 0.01
    assert states[-1].stage == "stopped"
    shards = finished_shards(tmp_path / "shards")
    assert isinstance(stopped_by(shards), HoptrailError)
    merge(kb, tmp_path / "shards")
    assert kb.counts()["chunks"] == 24  # usable: rules have read the rest
    states = run(corpus, tmp_path / "shards", by_model())
    assert [state.stage for state in states] == ["done"] * 3
    assert sum(state.read.by_model for state in states) == len(model.calls) == 24
    assert sum(state.read.by_rules for state in states) == 0
    merge(kb, tmp_path / "shards")
    assert exported(kb) == of_one_process(tmp_path / "one", corpus, by_model())
