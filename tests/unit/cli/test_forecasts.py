"""`--dry-run` beside a process that writes: it needs no lock and changes nothing."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.chat import register_chat_model
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder, ScriptedChatModel
from tests.ships import hashing_settings
from tests.typed import run

MODEL = "scripted-forecaster"
TEXT = "Edda Thornvale founded the Harbour Guild. The Harbour Guild stands in Port Selwick."


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A base with a published graph and a further document, held open by its writer."""
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    monkeypatch.chdir(tmp_path)
    register_chat_model(MODEL, ScriptedChatModel())
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/more.md").write_text("Ines Marlow keeps the Tide Archive.", encoding="utf-8")
    folder = tmp_path / "kb"
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        first = Document("s/edda", "Edda Thornvale", TEXT, "s")
        Indexer(kb).index([first], IndexOptions(extractor="nlp"))
        kb.put_document(Document("s/ines", "Ines Marlow", "Ines Marlow lives.", "s"), [])
        yield folder


def content(folder: Path) -> dict[str, bytes]:
    """Return the files but the log's index, in which SQLite notes who reads."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files if not path.name.endswith("-shm")}


@pytest.mark.parametrize(
    "command",
    [
        "index notes/more.md --kb kb --dry-run",
        "communities --kb kb --dry-run",
        f"communities --kb kb --dry-run --rebuild --model {MODEL}",
        f"consolidate --kb kb --dry-run --type Person --model {MODEL}",
    ],
)
def test_a_forecast_goes_beside_a_writer_and_changes_nothing(written: Path, command: str) -> None:
    before = content(written)

    assert run(*command.split(), "--json") == 0

    assert content(written) == before


SERVED = "openai:text-embedding-3-small"


PAID = (
    "index notes/more.md --kb new --extractor nlp",
    "sync notes --kb new --extractor nlp",
    f"reembed --kb kb --embedder {SERVED}",
)


@pytest.mark.parametrize("command", PAID)
def test_vectors_of_a_served_embedder_are_not_paid_for_unasked(
    written: Path,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy = shutil.copytree(written, "copy")  # which nobody writes to
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", SERVED)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert run(*command.replace("kb kb", "kb copy").split()) == 1
    told = capsys.readouterr().err
    assert "forecast to cost $0.0000" in told
    assert SERVED in told
    assert "--yes" in told
    assert not Path("new").exists()
    with KnowledgeBase.open(copy) as kb:
        assert kb.info()["embedder"]["name"] == "hashing-64"


@pytest.mark.parametrize("command", PAID)
def test_a_dry_run_tells_what_vectors_cost_and_sends_nothing(
    written: Path,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = content(written)
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", SERVED)
    # Nothing could be sent: unit tests have no sockets.
    assert run(*command.split(), "--json", "--dry-run") == 0
    forecast = json.loads(capsys.readouterr().out)["forecast"]
    assert forecast["embedding"]["calls"] > 0
    assert 0 < forecast["usd"] == forecast["embedding"]["usd"]
    assert content(written) == before


@pytest.mark.parametrize("command", ["index", "sync"])
def test_what_an_interrupted_run_left_to_embed_is_forecast(
    tmp_path: Path,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/edda.md").write_text(f"{TEXT}\n" * 2000, encoding="utf-8")
    arguments = [command, str(tmp_path / "notes"), "--kb", str(tmp_path / "kb")]
    chosen = IndexOptions(extractor="nlp")
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb:
        monkeypatch.setattr(HashingEmbedder, "embed", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            Indexer(kb).index([tmp_path / "notes"], chosen)
        stored = kb.counts()["chunks"]
    monkeypatch.undo()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")

    assert run(*arguments, "--json", "--dry-run") == 0

    forecast = json.loads(capsys.readouterr().out)["forecast"]
    assert forecast["chunks"] == stored > 0
    assert forecast["minutes"] > 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
