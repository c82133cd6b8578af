"""A killed indexer is resumed and ends where an undisturbed one does."""

from __future__ import annotations

import importlib
import io
import os
import random
import re
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import VectorKind
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.stub_server import OpenAIStubServer, prompt_text
from tests.forks import count_calls, finish, run_in_child, run_until_call

KILLS = 20
KINDS: tuple[VectorKind, ...] = ("chunk", "entity", "relation", "word")
TOWNS = ("Alba", "Brod", "Cork", "Dorn", "Elva", "Faro", "Gera", "Hull", "Imst", "Jena")


class SlowEmbedder(HashingEmbedder):
    """Takes its time, so that a kill also falls between two batches of vectors."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        time.sleep(0.0005 * len(texts))
        return super().embed(texts)


def corpus(size: int) -> list[Document]:
    chance = random.Random(3)
    documents = []
    for number in range(size):
        here, there = chance.sample(TOWNS, 2)
        text = (
            f"Person P{number} was born in {here} in {1800 + number}. "
            f"He moved to {there} and met Person P{chance.randrange(size)} there. "
            f"The Society of {there} (SO{there[0]}) honoured him with {number + 2} members."
        )
        documents.append(Document(f"towns/{number}", f"Person P{number}", text, "towns"))
    return documents


class Run:
    """One way to index, over any folder."""

    def __init__(
        self, options: IndexOptions, settings: Settings | None = None, *, size: int = 60
    ) -> None:
        self._options = options
        self._settings = settings or Settings()
        self._documents = corpus(size)

    def __call__(self, folder: Path) -> None:
        with KnowledgeBase.open(folder, embedder=SlowEmbedder(), create=True) as kb:
            Indexer(kb, settings=self._settings).index(self._documents, self._options)


def state(folder: Path) -> tuple[str, dict[str, FloatArray]]:
    with KnowledgeBase.open(folder) as kb:
        stream = io.StringIO()
        kb.export(stream, "jsonl")
        ids = {
            "chunk": kb.index.chunk_ids,
            "entity": kb.index.entity_ids,
            "relation": kb.index.relation_ids,
            "word": kb.lexicon.words,
        }
        vectors: dict[str, FloatArray] = {
            kind: np.array(kb.vectors(kind).vectors(ids[kind])) for kind in KINDS
        }
        return stream.getvalue(), vectors


def assert_same(folder: Path, wanted: tuple[str, dict[str, FloatArray]]) -> None:
    export, arrays = state(folder)
    assert export == wanted[0]
    for kind, array in wanted[1].items():
        np.testing.assert_allclose(arrays[kind], array, atol=1e-5, err_msg=kind)


def kill_and_resume(
    tmp_path: Path, run: Run, after_run: Callable[[Path], None] = lambda folder: None
) -> None:
    """Kill runs at random moments, always resuming, until there were enough kills."""
    reference = tmp_path / "reference"
    begin = time.perf_counter()
    assert finish(run_in_child(lambda: run(reference))) == 0
    duration = time.perf_counter() - begin
    after_run(reference)
    wanted = state(reference)
    chance = random.Random(7)
    kills, bases = 0, 0
    while kills < KILLS:
        folder = tmp_path / f"killed-{bases}"
        bases += 1
        for _ in range(6):
            pid = run_in_child(lambda folder=folder: run(folder))  # type: ignore[misc]
            time.sleep(chance.uniform(0, duration))
            os.kill(pid, signal.SIGKILL)
            status = finish(pid)
            assert status in (0, -signal.SIGKILL)
            kills += status != 0
            after_run(folder)
        assert finish(run_in_child(lambda folder=folder: run(folder))) == 0  # type: ignore[misc]
        after_run(folder)
        with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert_same(folder, wanted)


@pytest.mark.slow
def test_killed_phrase_extraction(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, Run(IndexOptions(extractor="nlp")))


@pytest.mark.slow
def test_killed_triples(tmp_path: Path) -> None:
    triples = tmp_path / "facts.txt"
    triples.write_text("".join(f"P{number}|knows|P{number * 7 % 60}\n" for number in range(400)))
    kill_and_resume(tmp_path, Run(IndexOptions(extractor="none", triples=(triples,))))


def wait_for_last_request(server: OpenAIStubServer) -> None:
    """Wait until the server has taken down what a killed run had sent."""
    known = -1
    while known != len(server.requests):
        known = len(server.requests)
        time.sleep(0.25)  # where others take the processors, a request is taken down late


@pytest.mark.slow
def test_killed_model_extraction_pays_for_no_passage_twice(tmp_path: Path) -> None:
    importlib.import_module("langchain_openai")  # the forked runs find it loaded
    with OpenAIStubServer(reply) as server:
        settings = Settings(model="openai:stub", base_url=server.url, api_key="none")  # type: ignore[arg-type]
        run = Run(IndexOptions(extractor="llm", beta=1.0, concurrency=4), settings, size=12)
        paid: dict[Path, set[str]] = {}
        seen = 0

        def check_calls(folder: Path) -> None:
            nonlocal seen
            wait_for_last_request(server)
            calls = [subject_of(request.text) for request in server.requests[seen:]]
            seen = len(server.requests)
            assert len(calls) == len(set(calls))
            assert paid.get(folder, set()).isdisjoint(calls)
            paid[folder] = stored_subjects(folder)

        kill_and_resume(tmp_path, run, check_calls)


@pytest.mark.slow
def test_an_interrupted_run_is_resumable(tmp_path: Path) -> None:
    run = Run(IndexOptions(extractor="nlp"))
    run(tmp_path / "reference")
    pid = run_in_child(lambda: run(tmp_path / "kb"))
    time.sleep(0.3)
    os.kill(pid, signal.SIGINT)
    assert finish(pid) in (0, 130)
    run(tmp_path / "kb")
    assert_same(tmp_path / "kb", state(tmp_path / "reference"))


def reply(body: dict[str, Any]) -> dict[str, Any]:
    subject = subject_of(prompt_text(body))
    text = prompt_text(body)
    town = next(town for town in TOWNS if re.search(rf"born in {town}\b", text))
    return {
        "entities": [{"name": subject, "type": "person"}, {"name": town, "type": "place"}],
        "relations": [{"subject": subject, "predicate": "born in", "object": town}],
    }


def subject_of(prompt: str) -> str:
    match = re.search(r"<passage>\s*(Person P\d+) ", prompt)
    assert match is not None
    return match.group(1)


def stored_subjects(folder: Path) -> set[str]:
    if not (folder / "hoptrail.sqlite").exists():
        return set()
    with KnowledgeBase.open(folder) as kb:
        return {extraction.entities[0].name for _, _, _, extraction in kb.mentions()}


def consistent_ids(folder: Path) -> set[str]:
    """Return the documents that a reader sees; all that its arrays name has to be there."""
    with KnowledgeBase.open(folder) as kb, kb.pinned():
        index, store = kb.index, kb.store
        assert len(store.chunks(index.chunk_ids.tolist())) == len(index.chunk_ids)
        assert len(store.entities(index.entity_ids.tolist())) == len(index.entity_ids)
        assert len(store.relations(index.relation_ids.tolist())) == len(index.relation_ids)
        return set(index.doc_ids.tolist())


def delete_halves(folder: Path) -> None:
    """Delete every second document in turn, of those that are still there."""
    with KnowledgeBase.open(folder, embedder=SlowEmbedder(), writable=True) as kb:
        for doc_id in list(kb.content_hashes())[::2]:
            Indexer(kb).delete([doc_id])


@pytest.mark.slow
def test_a_killed_delete_is_done_or_undone_and_the_same_command_works_after_it(
    tmp_path: Path,
) -> None:
    whole = tmp_path / "whole"
    Run(IndexOptions(extractor="nlp"), size=24)(whole)
    for name in ("reference", "counted"):  # what is loaded at first use is not counted
        shutil.copytree(whole, tmp_path / name)
        calls = count_calls(lambda name=name: delete_one(tmp_path / name, "towns/7"))  # type: ignore[misc]
    wanted = state(tmp_path / "reference")
    every = consistent_ids(whole)
    left_alone = 0
    for number in range(KILLS):
        folder = tmp_path / f"killed-{number}"
        shutil.copytree(whole, folder)
        # The last one falls behind the commit, which leaves a fiftieth of the calls.
        last = calls * (number + 1) // KILLS - calls // 100
        pid = run_until_call(lambda folder=folder: delete_one(folder, "towns/7"), last)  # type: ignore[misc]
        assert finish(pid) == -signal.SIGKILL
        left = consistent_ids(folder)
        assert left in (every, every - {"towns/7"})
        if left == every:
            left_alone += 1
            delete_one(folder, "towns/7")
        assert_same(folder, wanted)
        shutil.rmtree(folder)
    assert 0 < left_alone < KILLS


@pytest.mark.slow
def test_readers_beside_a_running_delete_see_a_whole_generation(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    Run(IndexOptions(extractor="nlp"), size=24)(folder)
    every = consistent_ids(folder)
    pid = run_in_child(lambda: delete_halves(folder))
    seen: set[int] = set()
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        left = consistent_ids(folder)
        assert left <= every
        seen.add(len(left))
    assert consistent_ids(folder) < every
    assert len(seen) > 2


def delete_one(folder: Path, doc_id: str) -> None:
    with KnowledgeBase.open(folder, embedder=SlowEmbedder(), writable=True) as kb:
        Indexer(kb).delete([doc_id])
