"""The application as it is made, before it starts."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.settings import ServedBase
from hoptrail.web.application import create_app
from hoptrail.web.options import WebOptions
from hoptrail.web.server import GracefulServer
from tests.ships import hashing_settings


def test_nothing_is_written_before_the_start(tmp_path: Path) -> None:
    bases = {"ships": ServedBase(records=tmp_path / "not-there")}

    create_app(WebOptions(bases, tmp_path / "data"), hashing_settings())

    assert list(tmp_path.iterdir()) == []


def test_the_mounted_application_writes_nothing_when_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "hoptrail.web.mounted", raising=False)

    importlib.import_module("hoptrail.web.mounted")

    assert list(tmp_path.iterdir()) == []


def test_a_base_that_cannot_be_opened_ends_the_start_with_its_own_error(tmp_path: Path) -> None:
    bases = {"ships": ServedBase(records=tmp_path / "not-there")}
    app = create_app(WebOptions(bases, tmp_path / "data"), hashing_settings())

    with pytest.raises(KnowledgeBaseError, match="not-there"):
        GracefulServer(app, host="127.0.0.1", port=0, root_path="", grace=1).run()
