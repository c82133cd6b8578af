"""A knowledge base, a thread and a user's prompts of version 0.1.0 can be continued."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.models.chat import register_chat_model
from hoptrail.prompts.loader import SHIPPED, Prompts
from hoptrail.testing.scripted import ScriptedChatModel
from tests.conftest import ROOT
from tests.ships import QUESTION, REPLY, hashing_settings

OLD = ROOT / "tests" / "data" / "version_0_1_0"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD, tmp_path / "old"))


@pytest.fixture
def hoptrail(old: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(old / "kb", settings=hashing_settings(), preset="offline") as opened:
        yield opened


def test_a_knowledge_base_answers_from_what_it_holds(hoptrail: Hoptrail) -> None:
    assert hoptrail.ask(QUESTION).text == "Edda Thorn"
    assert len(hoptrail.reports()) > 0


def test_a_knowledge_base_takes_further_documents(hoptrail: Hoptrail, tmp_path: Path) -> None:
    (tmp_path / "ida.txt").write_text("Ida Holm was born in Varde.", encoding="utf-8")

    report = hoptrail.index([tmp_path / "ida.txt"], extractor="nlp")

    assert report["documents"]["added"] == 1
    assert hoptrail.ask("Where was Ida Holm born?").text == "Varde"


def test_a_thread_goes_on_where_it_was(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask("Who founded the yard that built it?", thread_id="talk")

    assert answer.standalone_question == "Who founded the yard that built the Morning Tern?"
    assert answer.text == "Edda Thorn"


def test_a_run_that_was_killed_is_read_and_not_mixed_with_another_version(
    old: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    monkeypatch.chdir(old)
    before = (old / "run" / "rows.jsonl").read_text(encoding="utf-8")

    command = "eval --questions questions.jsonl --kb kb --preset offline --out"
    assert run_guarded(build_app(), [*command.split(), "run"]) == 1
    assert "another hoptrail: '0.1.0'" in capsys.readouterr().err
    assert (old / "run" / "rows.jsonl").read_text(encoding="utf-8") == before

    assert run_guarded(build_app(), [*command.split(), "new"]) == 0
    rows = (old / "new" / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["id"] for row in rows] == ["q1", "q2", "q3"]


def test_a_folder_of_prompts_still_overrides_by_file_name(old: Path) -> None:
    model = ScriptedChatModel(by_role={"router": "bridge", "answerer": REPLY})
    register_chat_model("scripted", model)
    settings = hashing_settings(prompts_dir=old / "prompts")

    with Hoptrail.open(old / "kb", settings=settings, model="scripted") as opened:
        opened.ask(QUESTION, preset="vector")
        opened.ask(QUESTION, preset="reasoning")

    plain, sparql = model.calls_of("answerer")
    assert "You work in the archive of a shipping museum" in plain.text
    assert "archive of a shipping museum" not in sparql.text


def test_a_folder_of_prompts_passes_the_check_of_its_files(old: Path) -> None:
    prompts = Prompts(old / "prompts").load_all()

    changed = {name for name in prompts if prompts[name] != SHIPPED.load(name)}
    assert changed == {"answer_plain"}
