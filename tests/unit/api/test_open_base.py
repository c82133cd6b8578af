"""An open knowledge base takes the writer's lock for a while, and goes on where it cannot."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import KnowledgeBaseLockedError, NothingIndexedError, SettingsError
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Document
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.ships import QUESTION, hashing_settings, index_ships, ship_documents


def test_after_a_lock_of_another_it_reads_and_takes_the_lock_only_to_write(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    with Hoptrail.open(tmp_path / "kb", settings=settings, preset="offline") as hoptrail:
        with (
            KnowledgeBase.open(tmp_path / "kb", writable=True),
            pytest.raises(KnowledgeBaseLockedError),
        ):
            hoptrail.index(ship_documents(), extractor="nlp")

        assert hoptrail.ask(QUESTION).text == "Edda Thorn"
        hoptrail.index(ship_documents(), extractor="nlp")
        with KnowledgeBase.open(tmp_path / "kb", writable=True) as other:
            assert other.counts()["documents"] == 3


def test_what_was_handed_out_stays_usable_and_finds_what_is_written_later(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    with Hoptrail.open(tmp_path / "kb", settings=settings, preset="offline") as hoptrail:
        stored, knowledge_base = hoptrail.stored, hoptrail.knowledge_base
        retriever = hoptrail.retriever("bm25")
        tool = next(iter(hoptrail.tools("retrieve_bm25")))

        hoptrail.index([Document("kite", "Kite", "The Tern is a kite of silk.")], extractor="nlp")

        assert "silk" in retriever.invoke("Which kite is of silk?")[0].page_content
        assert "silk" in tool.invoke({"question": "Which kite is of silk?"})
        assert stored.counts()["documents"] == knowledge_base.counts()["documents"] == 4


def test_questions_are_answered_while_documents_are_written(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    answers: list[str] = []

    with Hoptrail.open(tmp_path / "kb", settings=settings, preset="offline") as hoptrail:

        class Asking(NoProgress):
            """Asks in another thread at the first stage, and waits for the answer."""

            def start(self, stage: str, total: int | None) -> None:
                if not answers:
                    asker = Thread(target=lambda: answers.append(hoptrail.ask(QUESTION).text))
                    asker.start()
                    asker.join(60)

        hoptrail.index(
            [Document("kite", "Kite", "The Tern is a kite.")], extractor="nlp", progress=Asking()
        )

    assert answers == ["Edda Thorn"]


def test_a_model_that_one_base_was_asked_with_is_not_allowed_over_another(tmp_path: Path) -> None:
    settings = hashing_settings()
    for name in ("kb", "other"):
        index_ships(tmp_path / name, settings)
    with (
        Hoptrail.open(tmp_path / "kb", settings=settings, preset="offline") as asked,
        Hoptrail.open(tmp_path / "other", settings=settings, preset="offline") as other,
    ):
        asked.ask(QUESTION, model="openai:own")

        graph: Any = other.graph()
        with pytest.raises(SettingsError, match="is not listed here"):
            graph.invoke({"question": QUESTION}, context={"model": "openai:own"})


def test_a_new_base_into_which_nothing_could_be_read_is_removed(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"no text")
    with (
        pytest.raises(NothingIndexedError),
        Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()) as hoptrail,
    ):
        hoptrail.index([tmp_path / "photo.png"], extractor="nlp")
    assert not (tmp_path / "kb").exists()


def test_a_new_base_that_was_not_written_to_stays(tmp_path: Path) -> None:
    with Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()):
        pass
    assert (tmp_path / "kb").is_dir()
