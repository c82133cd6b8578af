"""Every test runs offline, without the user's settings and keys."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.skips import skip_lines

# A shell that starts the tests in the background ignores Ctrl-C, for their commands too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no failure.
settings.register_profile("hoptrail", deadline=None)
settings.load_profile("hoptrail")

ROOT = Path(__file__).parents[1]
collect_ignore = ["data"]  # a package there has tests of its own
FOREIGN_PREFIXES = (
    *("HOPTRAIL_", "OPENAI_", "GROQ_", "ANTHROPIC_", "LANGSMITH_", "LANGCHAIN_"),
    "OTEL_",
)

# Read when huggingface_hub is imported, so a fixture would come too late.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# The user's own choice of a model, and the files of models, are none of the tests'.
for _folder in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
    os.environ[_folder] = str(ROOT / ".pytest_cache" / "home" / _folder.lower())
DATA = Path(os.environ.get("HOPTRAIL_DATA") or ROOT / "../shared/data").resolve()


def pytest_collection_finish() -> None:
    """Spare the garbage collector the modules that every test needs: they are never garbage."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = list(skip_lines(terminalreporter.stats.get("skipped", ())))
    if lines:
        terminalreporter.section("skipped; make test-all installs what it can and runs everything")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session", autouse=True)
def no_wait_for_the_disk() -> Iterator[None]:
    """Leave files to the system, which keeps them when a process is killed: no test cuts power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(FOREIGN_PREFIXES) and name != "HOPTRAIL_DATA":
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"the real data sets are not at {DATA}: set HOPTRAIL_DATA to their folder")
    return DATA


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of the ships of a file's own: other files keep conversations in theirs."""
    from tests.ships import hashing_settings, index_ships

    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    return folder
