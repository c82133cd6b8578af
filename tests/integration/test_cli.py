"""The command as a user meets it: real processes, real streams, real exit codes."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ARTICLES = ROOT / "examples" / "articles"
COMMAND = (sys.executable, "-c", "from hoptrail.cli import main; main()")
NO_MODEL = {
    key: value
    for key, value in os.environ.items()
    if not key.startswith("HOPTRAIL_") and key not in ("GROQ_API_KEY", "OPENAI_API_KEY")
} | {"HF_HUB_OFFLINE": "1"}


def run(
    *arguments: str | Path, stdin: str | bytes = b"", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command; no run, whatever it is given, may show a traceback."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin if isinstance(stdin, bytes) else stdin.encode(),
        capture_output=True,
        cwd=cwd,
        env=NO_MODEL | environment,
        timeout=120,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def json_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    value: dict[str, Any] = json.loads(done.stdout)
    return value


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "kb"
    done = run("index", ARTICLES, "--kb", folder, "--source", "articles", "--json")
    assert json_of(done)["documents"]["added"] == len(list(ARTICLES.glob("*.md")))
    return folder


@pytest.fixture
def small_kb(tmp_path: Path) -> Path:
    run("index", "-", "--kb", tmp_path / "kb", stdin="Ann Lee founded Oak Mill in Varde in 1901.")
    return tmp_path / "kb"


def test_index_again_changes_nothing(kb: Path) -> None:
    report = json_of(run("index", ARTICLES, "--kb", kb, "--source", "articles", "--json"))
    counts = report["documents"]
    assert counts["unchanged"] == len(list(ARTICLES.glob("*.md")))
    assert counts["added"] == counts["replaced"] == counts["failed"] == 0


def test_index_prints_a_table_and_names_skipped_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann Lee founded Oak Mill.")
    (tmp_path / "b.bin").write_bytes(bytes(range(256)))
    done = run("index", tmp_path / "a.txt", tmp_path / "b.bin", "--kb", tmp_path / "kb")
    assert done.returncode == 0
    assert "1 added" in done.stdout
    assert "b.bin: " in done.stdout


def test_nothing_to_index_is_an_error(tmp_path: Path) -> None:
    done = run("index", tmp_path / "missing.txt", "--kb", tmp_path / "kb", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "nothing_indexed"
    assert "missing.txt" in done.stderr


def test_dry_run_forecasts_and_stores_nothing(tmp_path: Path) -> None:
    done = run("index", ARTICLES, "--kb", tmp_path / "kb", "--dry-run", "--json")
    assert json_of(done)["forecast"]["calls"] == 0
    assert run("info", "--kb", tmp_path / "kb").returncode == 1


def test_ask_prints_answer_and_trail(kb: Path) -> None:
    done = run("ask", "Who founded the Thornvale Yard?", "--kb", kb)
    assert done.returncode == 0
    assert done.stdout.startswith("Edda Thornvale\n")
    assert "trail" in done.stdout
    assert "no language model was used" in done.stdout


def test_ask_as_json_is_the_contract(kb: Path) -> None:
    answer = json_of(run("ask", "-", "--kb", kb, "--json", stdin="Who founded the Thornvale Yard?"))
    assert answer["answer"] == "Edda Thornvale"
    assert answer["preset"] == "offline"
    assert answer["usage"]["llm_calls"] == 0
    assert all(hop["supported"] for hop in answer["trail"])
    text = (ARTICLES / "thornvale-yard.md").read_text(encoding="utf-8")
    for citation in answer["citations"]:
        if citation["doc_id"].endswith("thornvale-yard.md"):
            assert citation["quote"] in text


def test_an_abstention_is_done(kb: Path) -> None:
    answer = json_of(
        run("ask", "What is the name of Helka Brandt's husband?", "--kb", kb, "--json")
    )
    assert answer["abstained"] is True
    assert answer["abstain_reason"]


def test_context_only_prints_evidence(kb: Path) -> None:
    done = run("ask", "Who founded the Thornvale Yard?", "--kb", kb, "--context-only")
    assert done.returncode == 0
    assert "Edda Thornvale" in done.stdout


@pytest.mark.parametrize(
    "question", ["", "  \n", "word " * 20_000, "Кто основал верфь?", "谁创立了船厂？", "?"]
)
def test_odd_questions_end_cleanly(kb: Path, question: str) -> None:
    done = run("ask", "-", "--kb", kb, "--json", stdin=question)
    report = json.loads(done.stdout)
    assert (done.returncode, "error" in report) in {(0, False), (1, True)}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--preset", "resoning"), "reasoning"),
        (("--set", "bugdet=5"), "budget"),
        (("--set", "budget=many"), "budget"),
        (("--set", "budget"), "NAME=VALUE"),
        (("--model", "ansewrer=groq:x"), "answerer"),
        (("--preset", "reasoning"), "model"),
    ],
)
def test_a_bad_choice_is_one_line_that_helps(
    kb: Path, arguments: tuple[str, ...], hint: str
) -> None:
    done = run("ask", "Who?", "--kb", kb, *arguments, "--json")
    assert done.returncode == 1
    assert hint in json.dumps(json.loads(done.stdout)["error"])
    assert len(done.stderr.strip().splitlines()) == 1


def test_retrieve_lists_distinct_ranks(kb: Path) -> None:
    done = run("retrieve", "Grey Petrel", "--kb", kb, "--retriever", "bm25", "-k", "3", "--json")
    passages = json_of(done)["passages"]
    assert [passage["rank"] for passage in passages] == [1, 2, 3]
    assert passages[0]["doc_id"].startswith("articles/")


def test_an_unknown_retriever_names_the_known(kb: Path) -> None:
    done = run("retrieve", "Grey Petrel", "--kb", kb, "--retriever", "bm52")
    assert done.returncode == 1
    assert "bm25" in done.stderr


@pytest.mark.parametrize("command", ["info", "ask", "retrieve", "export", "delete", "chat"])
def test_a_folder_that_is_no_knowledge_base(command: str, tmp_path: Path) -> None:
    extra: dict[str, list[str | Path]] = {
        "ask": ["Who?"],
        "retrieve": ["Who?"],
        "export": ["--to", tmp_path / "out.jsonl"],
        "delete": ["some/document"],
    }
    done = run(command, *extra.get(command, []), "--kb", tmp_path / "none", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "not_a_knowledge_base"
    assert not (tmp_path / "none").exists()


def test_delete_removes_a_document_and_unknown_ids_are_named(small_kb: Path) -> None:
    assert run("delete", "nonsense", "--kb", small_kb).returncode == 1
    (document,) = json_of(run("info", "--kb", small_kb, "--documents", "--json"))["documents"]
    assert run("delete", document["doc_id"], "--kb", small_kb).returncode == 0
    assert json_of(run("info", "--kb", small_kb, "--json"))["counts"]["documents"] == 0


@pytest.mark.parametrize("suffix", ["jsonl", "graphml", "csv"])
def test_export_writes_a_file(small_kb: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"out.{suffix}"
    assert json_of(run("export", "--kb", small_kb, "--to", target, "--json"))["bytes"] > 0
    assert "Oak Mill" in target.read_text(encoding="utf-8")


def test_export_to_an_unknown_format_is_an_error(small_kb: Path, tmp_path: Path) -> None:
    done = run("export", "--kb", small_kb, "--to", tmp_path / "out.docx")
    assert done.returncode == 1
    assert ".graphml" in done.stderr


def test_chat_keeps_its_thread_between_processes(kb: Path) -> None:
    first = run(
        "chat", "--kb", kb, "--thread", "t1", "--json", stdin="Who founded Thornvale Yard?\n"
    )
    second = run(
        "chat", "--kb", kb, "--thread", "t1", "--json", stdin="Where was she born?\n/quit\n"
    )
    assert json_of(first)["answer"] == "Edda Thornvale"
    answer = json_of(second)
    assert "Thornvale" in answer["standalone_question"]
    assert answer["answer"] == "Brackenholm"


def test_chat_survives_a_bad_line(kb: Path) -> None:
    done = run("chat", "--kb", kb, stdin="/nonsense\n/trail\n???\nWho founded Thornvale Yard?\n")
    assert done.returncode == 0
    assert "unknown command /nonsense" in done.stderr
    assert "no trail yet" in done.stderr
    assert "Edda Thornvale" in done.stdout


def test_a_closed_pipe_is_quiet(kb: Path) -> None:
    command = subprocess.Popen(
        [*COMMAND, "info", "--documents", "--kb", str(kb)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=NO_MODEL,
    )
    assert command.stdout is not None and command.stderr is not None
    command.stdout.close()
    assert command.stderr.read() == b""
    assert command.wait(60) in (0, 1)
    command.stderr.close()


@pytest.fixture
def big_folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(3000):
        text = f"Ann Lee {number} founded Oak Mill {number} in Varde in {1000 + number}. " * 20
        (folder / f"{number}.txt").write_text(text)
    yield folder


def test_an_interrupted_index_run_can_be_continued(big_folder: Path, tmp_path: Path) -> None:
    command = subprocess.Popen(
        [*COMMAND, "index", str(big_folder), "--kb", str(tmp_path / "kb"), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=NO_MODEL,
    )
    while not (tmp_path / "kb").exists() and command.poll() is None:
        time.sleep(0.05)
    time.sleep(1)
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=60)
    assert command.returncode == 130
    assert b"Traceback" not in err
    assert json.loads(out)["resumable"] is True


def test_doctor_reports_roles_embedder_and_stores(small_kb: Path) -> None:
    report = json_of(
        run("doctor", "--json", HOPTRAIL_KNOWLEDGE_BASES=json.dumps({"mine": str(small_kb)}))
    )
    assert report["embedder"]["ok"] is True
    assert report["knowledge_bases"]["mine"]["ok"] is True


def test_serve_checks_its_folders_before_it_starts(tmp_path: Path) -> None:
    done = run("serve", "--kb", f"a={tmp_path / 'none'}", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "not_a_knowledge_base"


def test_help_and_import_stay_light() -> None:
    code = (
        "import sys, hoptrail; from hoptrail.cli.app import build_app; build_app();"
        "print(sorted({'torch', 'numpy', 'langgraph', 'langchain_core', 'pydantic', 'rich'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_help_takes_less_than_a_third_of_a_second_of_work() -> None:
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert "ask" in run("--help").stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds) < 0.3
