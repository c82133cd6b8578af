"""An open knowledge base takes the writer's lock for a while, and goes on where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import KnowledgeBaseLockedError, NothingIndexedError
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
