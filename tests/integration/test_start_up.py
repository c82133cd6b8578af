"""A command imports what it needs and no more: that decides how long its user waits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hoptrail import Hoptrail

pytestmark = pytest.mark.slow

TORCH = {"sentence_transformers", "torch", "transformers"}
READERS = {"docx", "icalendar", "lxml", "openpyxl", "pptx", "pypdfium2", "trafilatura"}
PROVIDERS = {"groq", "langchain_groq", "langchain_openai", "openai"}
GRAPHS = {"langgraph"}
RETRIEVERS = {"langchain_core", "scipy"}
EMBEDDER = {"onnxruntime", "tokenizers"}
CHAT_MODELS = {"langsmith"}  # comes with the base class of LangChain's chat models
REPORT = """if True:
    import atexit, sys
    atexit.register(lambda: print("loaded:", *{name.partition(".")[0] for name in sys.modules}))
    from hoptrail.cli import main
    main()"""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start_up")
    (folder / "mill.txt").write_text("Ann Lee founded Oak Mill in Varde.", encoding="utf-8")
    with Hoptrail.open(folder / "kb", create=True, writable=True) as hoptrail:
        hoptrail.index([folder / "mill.txt"], extractor="nlp")
    return folder / "kb"


def loaded_by(*arguments: str, kb: Path) -> set[str]:
    """Return the top-level modules that a process has loaded when the command has ended."""
    command = [sys.executable, "-c", REPORT, *arguments, "--kb", str(kb)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    return set(done.stdout.rpartition("loaded:")[2].split())


def test_a_question_loads_no_torch_no_reader_and_no_provider(kb: Path) -> None:
    loaded = loaded_by("ask", "Who founded Oak Mill?", kb=kb)
    assert EMBEDDER <= loaded
    assert loaded & (TORCH | READERS | PROVIDERS) == set()


def test_a_search_by_words_loads_no_embedder_and_no_graph(kb: Path) -> None:
    loaded = loaded_by("retrieve", "Oak Mill", "--retriever", "bm25", kb=kb)
    assert loaded & (TORCH | READERS | PROVIDERS | EMBEDDER | GRAPHS) == set()


def test_indexing_without_a_model_loads_no_chat_model(kb: Path, tmp_path: Path) -> None:
    text = kb.parent / "mill.txt"
    loaded = loaded_by("index", str(text), "--extractor", "nlp", kb=tmp_path / "kb")
    assert EMBEDDER <= loaded
    assert loaded & (TORCH | READERS | PROVIDERS | GRAPHS | CHAT_MODELS) == set()


@pytest.mark.parametrize("command", ["chat", "info"])
def test_what_asks_nothing_loads_no_retriever(kb: Path, command: str) -> None:
    loaded = loaded_by(command, kb=kb)
    assert loaded & (TORCH | READERS | PROVIDERS | EMBEDDER | GRAPHS | RETRIEVERS) == set()


def test_the_command_is_a_module_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hoptrail", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("hoptrail ")
