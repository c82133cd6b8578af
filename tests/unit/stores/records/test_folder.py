from pathlib import Path

from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.folder import remove_if_empty


def test_a_base_without_documents_is_removed(tmp_path: Path) -> None:
    KnowledgeBase.open(tmp_path / "kb", create=True).close()
    remove_if_empty(tmp_path / "kb", with_folder=True)
    assert not (tmp_path / "kb").exists()


def test_a_base_that_cannot_be_read_stays_and_hides_no_other_error(tmp_path: Path) -> None:
    (tmp_path / DATABASE_NAME).write_bytes(b"what a full disk left of it" * 50)
    remove_if_empty(tmp_path, with_folder=True)
    assert (tmp_path / DATABASE_NAME).exists()
