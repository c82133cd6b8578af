from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import scipy.sparse  # noqa: F401  # a guest may not import it

from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.types import Chunk
from hoptrail.stores.knowledge_base import KnowledgeBase

GUEST = 65534

Put = Callable[[str, str, str], Chunk]


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Take the right to write away, also from the superuser."""
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    user = os.geteuid()
    if user == 0:
        os.seteuid(GUEST)
    try:
        yield
    finally:
        os.seteuid(user)
        for path in paths:
            path.chmod(0o755)


@pytest.fixture
def base(kb: KnowledgeBase, put: Put, publish: Callable[[], int]) -> Iterator[Path]:
    """A published base in a place that everyone may read."""
    put("s/1", "Title", "Some text.")
    publish()
    kb.close()
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        yield Path(shutil.copytree(kb.path, Path(place) / "kb"))


@pytest.mark.parametrize("has_cache", [True, False])
def test_a_read_only_base_can_be_read(base: Path, has_cache: bool) -> None:
    if not has_cache:
        shutil.rmtree(base / "cache")
    before = sorted(base.rglob("*"))
    with read_only(base), KnowledgeBase.open(base) as kb:
        assert kb.index.doc_ids.tolist() == ["s/1"]
        assert len(kb.vectors("chunk")) == 1
        assert [document.title for document in kb.store.documents(["s/1"])] == ["Title"]
    assert sorted(base.rglob("*")) == before


def test_a_read_only_base_cannot_be_opened_for_writing(base: Path) -> None:
    with read_only(base):
        with pytest.raises(KnowledgeBaseError, match="cannot be written: Permission denied"):
            KnowledgeBase.open(base, writable=True)


def test_a_base_cannot_be_made_in_a_read_only_folder(base: Path) -> None:
    with read_only(base):
        with pytest.raises(KnowledgeBaseError, match="Permission denied"):
            KnowledgeBase.open(base / "cache" / "new", create=True)
