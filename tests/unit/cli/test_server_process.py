from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.cli.server_process import (
    OneLineForOwnErrors,
    WithoutRequestTexts,
    pin_settings,
    private_folder,
    require_no_pickle,
)
from hoptrail.core.errors import HoptrailError
from hoptrail.core.settings import ServedBase, load_settings

FILE = """
model = "openai:small"
api_key = "key"
embedder = "mini"
graph_llm = "runs/graph"
prompts_dir = "prompts"
allowed_models = ["openai:large"]
timeout_seconds = 7.5
reranker = "cross-encoder:mini"
[models]
router = "openai:tiny"
solver = "gguf:runs/small.gguf"
[prices."openai:small"]
prompt = 0.5
[knowledge_bases]
ships = { records = "kb", vectors = "vectors.db" }
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Whatever the test puts into the environment is taken out with the patch.
    monkeypatch.setattr(os, "environ", os.environ.copy())
    for folder in ("mini", "runs/graph", "prompts", "kb", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "runs" / "small.gguf").touch()
    (tmp_path / "hoptrail.toml").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_settings_are_the_same_from_any_directory_and_name_the_same_folders(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = pin_settings()
    monkeypatch.chdir(home / "elsewhere")

    assert load_settings() == pinned
    ships = ServedBase(records=home / "kb", vectors=str(home / "vectors.db"))
    assert pinned.knowledge_bases == {"ships": ships}
    assert pinned.prompts_dir == home / "prompts"
    assert pinned.embedder == str(home / "mini")
    assert pinned.graph_llm == str(home / "runs" / "graph")
    assert pinned.api_key is not None
    assert pinned.api_key.get_secret_value() == "key"
    assert (pinned.model, pinned.timeout_seconds) == ("openai:small", 7.5)
    small = f"gguf:{home / 'runs' / 'small.gguf'}"
    assert pinned.models == {"router": "openai:tiny", "solver": small}
    assert pinned.reranker == f"cross-encoder:{home / 'mini'}"
    assert pinned.prices["openai:small"].prompt == 0.5


def test_a_relative_folder_in_a_variable_is_fixed_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.environ["HOPTRAIL_PROMPTS_DIR"] = "prompts"
    os.environ["HOPTRAIL_GRAPH_LLM"] = "http://127.0.0.1:8000/v1"

    pin_settings()
    monkeypatch.chdir(home / "elsewhere")

    assert load_settings().prompts_dir == home / "prompts"
    assert load_settings().graph_llm == "http://127.0.0.1:8000/v1"


def test_what_is_not_set_stays_unset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = {name: value for name, value in os.environ.items() if "HOPTRAIL_" not in name}
    monkeypatch.setattr(os, "environ", others)
    monkeypatch.chdir(tmp_path)

    pin_settings()

    assert not [name for name in os.environ if name.startswith("HOPTRAIL_")]


OWN = "<class 'hoptrail.core.errors.InputError'>(no question)"
BUG = "<class 'KeyError'>('x')"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[logging.Logger]:
    logger, shortening = logging.getLogger("test_server_log"), OneLineForOwnErrors()
    logger.addFilter(shortening)
    yield logger
    logger.removeFilter(shortening)


def reports(error: str) -> list[dict[str, str]]:
    """Return the two entries that the server makes of a run that failed."""
    texts = (f"Run encountered an error in graph: {error}", f"Background run failed. {error}")
    return [{"event": text, "exception": "Traceback ..."} for text in texts]


def test_an_error_that_explains_itself_is_logged_once_without_its_traceback(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    for entry in reports(OWN):
        log.error(entry)

    assert [record.msg for record in caplog.records] == [{"event": f"Background run failed. {OWN}"}]


def test_the_traceback_of_a_bug_stays(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    for entry in reports(BUG):
        log.error(entry)

    assert [record.msg for record in caplog.records] == reports(BUG)


def test_other_entries_are_left_alone(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    log.error("%s failed", OWN)

    assert caplog.messages == [f"{OWN} failed"]


def test_a_refused_request_is_logged_without_what_it_held(
    caplog: pytest.LogCaptureFixture,
) -> None:
    logger, leaving_out = logging.getLogger("test_request_log"), WithoutRequestTexts()
    logger.addFilter(leaving_out)
    logger.warning({"event": "POST /runs/wait 422", "error_detail": 'On instance: {"question"}'})

    assert [record.msg for record in caplog.records] == [{"event": "POST /runs/wait 422"}]


def test_it_works_in_a_new_folder_of_its_own_and_removes_it() -> None:
    before = Path.cwd()

    with private_folder() as folder:
        inside = Path.cwd()
        mode = folder.stat().st_mode & 0o777

    assert inside == folder != before
    assert os.name == "nt" or mode == 0o700
    assert Path.cwd() == before
    assert not folder.exists()


def test_a_folder_with_what_the_server_would_unpickle_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".langgraph_api").mkdir()

    with pytest.raises(HoptrailError, match="could run code"):
        require_no_pickle(tmp_path)
