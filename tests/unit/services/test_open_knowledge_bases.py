from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.errors import UnknownNameError
from hoptrail.core.settings import Settings
from hoptrail.services import open_knowledge_bases
from hoptrail.services.open_knowledge_bases import find_knowledge_base
from hoptrail.stores.knowledge_base import KnowledgeBase


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A knowledge base that the settings of a fresh process name for commands."""
    folder = tmp_path / "notes"
    KnowledgeBase.open(folder, writable=True, create=True).close()
    settings = Settings(kb=str(folder))
    monkeypatch.setattr(open_knowledge_bases, "_opened", {})
    monkeypatch.setattr(open_knowledge_bases, "_process_settings", lambda: settings)
    return folder


def test_without_a_listed_base_the_default_is_that_of_commands(folder: Path) -> None:
    assert find_knowledge_base("default").records.path == folder


def test_a_folder_is_no_name(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown knowledge base"):
        find_knowledge_base(str(folder))
