"""A base of a released version opens and goes on; `tests.released_version` leaves one behind."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail, __version__
from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.models.chat import register_chat_model
from hoptrail.prompts.loader import SHIPPED, Prompts
from hoptrail.testing.scripted import ScriptedChatModel
from tests.conftest import ROOT
from tests.ships import QUESTION, REPLY, hashing_settings

VERSIONS = ("0.1.0", "0.2.0")


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def old(version: str, tmp_path: Path) -> Path:
    folder = ROOT / "tests" / "data" / f"version_{version.replace('.', '_')}"
    return Path(shutil.copytree(folder, tmp_path / "old"))


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


def test_a_folder_is_synced_with_what_came_and_went(hoptrail: Hoptrail, old: Path) -> None:
    before = hoptrail.documents()["total"]
    folder = old / "ships"
    folder.mkdir(exist_ok=True)  # version 0.1.0 left no folder: then it is a new one
    (folder / "Ida Holm.txt").write_text("Ida Holm was born in Varde.", encoding="utf-8")
    was_synced = (folder / "Edda Thorn.txt").exists()
    if was_synced:
        (folder / "Edda Thorn.txt").write_text(
            "Edda Thorn was an engineer. She was born in Selwick in 1810.", encoding="utf-8"
        )
        (folder / "Alder Yard.txt").unlink()

    told = hoptrail.sync(folder, extractor="nlp", moved=was_synced)["documents"]

    assert (told["added"], told["replaced"], told["deleted"]) == (1, was_synced, was_synced)
    assert hoptrail.documents()["total"] == before + 1 - was_synced
    assert hoptrail.ask("Where was Ida Holm born?").text == "Varde"
    born = "Selwick" if was_synced else "Brackenholm"
    assert hoptrail.ask("Where was Edda Thorn born?").text == born


def test_a_thread_goes_on_where_it_was(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask("Who founded the yard that built it?", thread_id="talk")

    asked = answer.standalone_question.replace(" the Morning", " Morning")
    assert asked == "Who founded the yard that built Morning Tern?"
    assert answer.text == "Edda Thorn"


def test_a_run_that_was_killed_goes_on_and_is_not_mixed_with_another_version(
    version: str, old: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    monkeypatch.chdir(old)
    before = (old / "run" / "rows.jsonl").read_text(encoding="utf-8")
    command = "eval --questions questions.jsonl --kb kb --preset offline --out"

    def ids(run: str) -> list[str]:
        rows = (old / run / "rows.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(row)["id"] for row in rows]

    if version == __version__:
        assert run_guarded(build_app(), [*command.split(), "run"]) == 0
        assert (old / "run" / "rows.jsonl").read_text(encoding="utf-8").startswith(before)
        assert ids("run") == ["q1", "q2", "q3"]
        return
    assert run_guarded(build_app(), [*command.split(), "run"]) == 1
    assert f"another hoptrail: '{version}'" in capsys.readouterr().err
    assert (old / "run" / "rows.jsonl").read_text(encoding="utf-8") == before
    assert run_guarded(build_app(), [*command.split(), "new"]) == 0
    assert ids("new") == ["q1", "q2", "q3"]


def test_a_base_is_left_for_each_version() -> None:
    assert __version__ in VERSIONS


@pytest.mark.parametrize("version", ["0.1.0"], indirect=True)
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


@pytest.mark.parametrize("version", ["0.1.0"], indirect=True)
def test_a_folder_of_prompts_passes_the_check_of_its_files(old: Path) -> None:
    prompts = Prompts(old / "prompts").load_all()

    changed = {name for name in prompts if prompts[name] != SHIPPED.load(name)}
    assert changed == {"answer_plain"}
