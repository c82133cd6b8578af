"""The command as a user meets it: real processes, real streams, real exit codes."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage

from hoptrail.models.chat import register_chat_model
from hoptrail.testing import OpenAIStubServer, ScriptedChatModel
from hoptrail.testing.faults import http_error
from hoptrail.testing.rerank_stub import RerankStubServer
from tests.commands import Done
from tests.commands import run as run_apart
from tests.typed import run_shown as run
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ARTICLES = ROOT / "examples" / "articles"
COMMAND = (sys.executable, "-c", "from hoptrail.cli import main; main()")
MODEL_VARIABLES = ("GROQ_API_KEY", "OPENAI_API_KEY", "HOPTRAIL_MODEL")


@pytest.fixture(autouse=True)
def without_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in MODEL_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start the command as a process of its own."""
    pipe = subprocess.PIPE
    return subprocess.Popen([*COMMAND, *map(str, arguments)], stdin=pipe, stdout=pipe, stderr=pipe)


def finish(process: subprocess.Popen[bytes], stdin: str = "") -> Done:
    out, err = process.communicate(stdin.encode(), timeout=120)
    return Done(process.returncode, out.decode(), err.decode())


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "kb"
    done = run("index", ARTICLES, "--kb", folder, "--source", "articles", "--json")
    assert done.json["documents"]["added"] == len(list(ARTICLES.glob("*.md")))
    return folder


@pytest.fixture
def small_kb(tmp_path: Path) -> Path:
    run("index", "-", "--kb", tmp_path / "kb", stdin="Ann Lee founded Oak Mill in Varde in 1901.")
    return tmp_path / "kb"


def test_index_again_changes_nothing(kb: Path) -> None:
    report = run("index", ARTICLES, "--kb", kb, "--source", "articles", "--json").json
    counts = report["documents"]
    assert counts["unchanged"] == len(list(ARTICLES.glob("*.md")))
    assert counts["added"] == counts["replaced"] == counts["failed"] == 0


def test_index_prints_a_table_and_names_skipped_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann Lee founded Oak Mill.")
    (tmp_path / "b.bin").write_bytes(bytes(range(256)))
    done = run("index", tmp_path / "a.txt", tmp_path / "b.bin", "--kb", tmp_path / "kb")
    assert done.code == 0
    assert "1 added" in done.out
    assert "b.bin:binaryfile" in "".join(done.out.split())


@pytest.mark.parametrize(("passages_read", "code"), [(0, 1), (1, 0)])
def test_index_fails_only_where_the_model_read_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passages_read: int, code: int
) -> None:
    for name in ("tern", "yard"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} is old.")
    empty: dict[str, list[str]] = {"entities": [], "relations": []}
    with OpenAIStubServer([*[empty] * passages_read, http_error(404)]) as server:
        monkeypatch.setenv("HOPTRAIL_BASE_URL", server.url)
        monkeypatch.setenv("HOPTRAIL_MODEL", "openai:stub")
        options = ("--kb", tmp_path / "kb", "--yes", "--beta", "1", "--concurrency", "1", "--json")
        done = run("index", tmp_path / "tern.txt", tmp_path / "yard.txt", *options)

    assert done.code == code
    report = json.loads(done.out)
    assert len(report["failed"]) == 2 - passages_read
    assert report["failed"][-1]["doc_id"].endswith("yard.txt")
    assert ("error" in report) is bool(code)


def test_dry_run_forecasts_and_stores_nothing(tmp_path: Path) -> None:
    done = run("index", ARTICLES, "--kb", tmp_path / "kb", "--dry-run", "--json")
    assert done.json["forecast"]["calls"] == 0
    assert run("info", "--kb", tmp_path / "kb").code == 1


@pytest.fixture
def priced_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPTRAIL_MODEL", "openai:dear")
    monkeypatch.setenv("HOPTRAIL_BASE_URL", "http://127.0.0.1:9/v1")
    prices = {"openai:dear": {"prompt": 1000, "completion": 1000}}
    monkeypatch.setenv("HOPTRAIL_PRICES", json.dumps(prices))


@pytest.mark.usefixtures("priced_model")
def test_nothing_is_spent_where_nobody_can_be_asked(tmp_path: Path) -> None:
    done = run("index", ARTICLES, "--kb", tmp_path / "kb", "--json")
    assert "forecast to cost $" in done.error["message"]
    assert "--yes" in done.error["hint"]


@pytest.mark.usefixtures("priced_model")
def test_documents_on_stdin_need_consent_before_a_model_reads_them(tmp_path: Path) -> None:
    done = run("index", "-", "--kb", tmp_path / "kb", "--json", stdin="Ann Lee founded Oak Mill.")
    assert "--max-usd" in done.error["hint"]


@pytest.mark.usefixtures("priced_model")
def test_a_run_without_model_needs_no_consent(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann Lee founded Oak Mill.")
    assert run("index", tmp_path / "a.txt", "--kb", tmp_path / "kb", "--extractor", "nlp").code == 0


def test_ask_prints_answer_and_trail(kb: Path) -> None:
    done = run("ask", "Who founded the Thornvale Yard?", "--kb", kb)
    assert done.code == 0
    assert done.out.startswith("Edda Thornvale\n")
    assert "trail" in done.out
    assert "no language model was used" in done.out


def test_ask_as_json_is_the_contract(kb: Path) -> None:
    answer = run("ask", "-", "--kb", kb, "--json", stdin="Who founded the Thornvale Yard?").json
    assert answer["answer"] == "Edda Thornvale"
    assert answer["preset"] == "offline"
    assert answer["usage"]["llm_calls"] == 0
    assert all(hop["supported"] for hop in answer["trail"])
    text = (ARTICLES / "thornvale-yard.md").read_text(encoding="utf-8")
    for citation in answer["citations"]:
        if citation["doc_id"].endswith("thornvale-yard.md"):
            assert citation["quote"] in text


def test_an_abstention_is_done(kb: Path) -> None:
    answer = run("ask", "Who was Helka Brandt's husband?", "--kb", kb, "--json").json
    assert answer["abstained"] is True
    assert answer["abstain_reason"]


def test_context_only_prints_evidence(kb: Path) -> None:
    done = run("ask", "Who founded the Thornvale Yard?", "--kb", kb, "--context-only")
    assert done.code == 0
    assert "Edda Thornvale" in done.out


@pytest.mark.parametrize(
    "question", ["", "  \n", "word " * 20_000, "Кто основал верфь?", "谁创立了船厂？", "?"]
)
def test_odd_questions_end_cleanly(kb: Path, question: str) -> None:
    done = run("ask", "-", "--kb", kb, "--json", stdin=question)
    report = json.loads(done.out)
    assert (done.code, "error" in report) in {(0, False), (1, True)}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--preset", "resoning"), "reasoning"),
        (("--set", "budget"), "NAME=VALUE"),
        (("--model", "ansewrer=groq:x"), "answerer"),
    ],
)
def test_a_bad_choice_is_one_line_that_helps(
    kb: Path, arguments: tuple[str, ...], hint: str
) -> None:
    done = run("ask", "Who?", "--kb", kb, *arguments, "--json")
    assert done.code == 1
    assert hint in json.dumps(done.error)
    assert len(done.err.strip().splitlines()) == 1


def test_without_a_model_vector_shows_the_nearest_passages_and_says_what_to_set(kb: Path) -> None:
    arguments = ("ask", "Who built the Grey Petrel?", "--kb", kb, "--preset", "vector")
    answer = run(*arguments, "--json").json
    shown = run(*arguments)

    assert (answer["abstained"], answer["abstain_reason"]) == (True, "no_model")
    assert len(answer["nearest"]) == 3
    assert shown.code == 0
    assert "no language model is set" in shown.out
    assert "HOPTRAIL_MODEL" in shown.out
    assert "nearest passages" in shown.out


def test_retrieve_lists_distinct_ranks(kb: Path) -> None:
    done = run("retrieve", "Grey Petrel", "--kb", kb, "--retriever", "bm25", "-k", "3", "--json")
    passages = done.json["passages"]
    assert [passage["rank"] for passage in passages] == [1, 2, 3]
    assert passages[0]["doc_id"].startswith("articles/")


def test_retrieve_takes_its_limits_from_set_too(kb: Path) -> None:
    done = run(
        "retrieve", "Grey Petrel", "--kb", kb, "--set", "k=2", "--set", "budget=300", "--json"
    )
    assert len(done.json["passages"]) <= 2
    assert done.json["tokens"] <= 300


def test_retrieve_passes_parameters_to_the_retriever(kb: Path) -> None:
    arguments = ("retrieve", "River Oskel", "--kb", kb, "--retriever", "multistage", "--json")
    found = run(*arguments, "--set", "parameters.edges=2").json
    assert len(found["relations"]) == 2
    wrong = run(*arguments, "--set", "parameters.egdes=2")
    assert "egdes" in wrong.error["message"]


@pytest.mark.parametrize("command", ["info", "ask", "retrieve", "export", "delete", "chat"])
def test_a_folder_that_is_no_knowledge_base(command: str, tmp_path: Path) -> None:
    extra: dict[str, list[str | Path]] = {
        "ask": ["Who?"],
        "retrieve": ["Who?"],
        "export": ["--to", tmp_path / "out.jsonl"],
        "delete": ["some/document"],
    }
    done = run(command, *extra.get(command, []), "--kb", tmp_path / "none", "--json")
    assert done.code == 1
    assert done.error["code"] == "not_a_knowledge_base"
    assert not (tmp_path / "none").exists()


def test_delete_removes_a_document_and_unknown_ids_are_named(small_kb: Path) -> None:
    assert run("delete", "nonsense", "--kb", small_kb).code == 1
    (document,) = run("info", "--kb", small_kb, "--documents", "--json").json["documents"]
    assert run("delete", document["doc_id"], "--kb", small_kb).code == 0
    assert run("info", "--kb", small_kb, "--json").json["counts"]["documents"] == 0


def test_a_merge_is_listed_and_taken_back(tmp_path: Path) -> None:
    kb, text = tmp_path / "kb", "The World Health Organization (WHO) met. The WHO sits in Geneva."
    (tmp_path / "un.txt").write_text("In 1948 the WHO had an office in New York City.")
    (tmp_path / "who.txt").write_text(text)
    run("index", tmp_path / "un.txt", tmp_path / "who.txt", "--kb", kb)
    (merge,) = run("merges", "--kb", kb, "--json").json["merges"]
    assert "who = world health organization" in run("merges", "--kb", kb).out
    assert run("merges", "--kb", kb, "--undo", "nonsense").code == 1
    assert run("merges", "--kb", kb, "--undo", merge["id"]).out == "undone: 1 merge\n"
    assert run("merges", "--kb", kb, "--json").json == {"merges": []}


@pytest.mark.parametrize("suffix", ["jsonl", "graphml", "csv"])
def test_export_writes_a_file(small_kb: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"out.{suffix}"
    assert run("export", "--kb", small_kb, "--to", target, "--json").json["bytes"] > 0
    assert "Oak Mill" in target.read_text(encoding="utf-8")


def test_communities_are_reported_once_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    run("index", ARTICLES, "--kb", folder)
    assert run("communities", "--kb", folder, "--dry-run", "--json").json["forecast"]["calls"] == 0
    first = run("communities", "--kb", folder, "--json").json
    again = run("communities", "--kb", folder, "--json").json
    assert [level["made"] for level in first["levels"]] == [
        level["reused"] for level in again["levels"]
    ]
    shown = run("communities", "--kb", folder, "--show", "--json").json["communities"]
    assert sum(level["communities"] for level in first["levels"]) == len(shown) > 1
    reported = [report for report in shown if report["title"]]  # groups that have something to tell
    assert len(reported) == sum(level["reported"] for level in first["levels"]) > 1
    assert all(report["findings"] for report in reported)
    tree = run("communities", "--kb", folder, "--show").out
    assert f"{len(shown)} communities" in tree
    (best, *_) = sorted(reported, key=lambda report: -report["rating"])
    text = run("communities", "--kb", folder, "--show", "--level", best["level"]).out
    assert best["title"] in " ".join(text.split())


@pytest.mark.usefixtures("priced_model")
def test_reports_cost_nothing_where_nobody_can_be_asked(kb: Path) -> None:
    done = run("communities", "--kb", kb, "--json")
    assert "forecast to cost $" in done.error["message"]
    assert run("communities", "--kb", kb, "--show", "--json").json["communities"] == []


def test_a_level_is_for_showing_only(kb: Path) -> None:
    done = run("communities", "--kb", kb, "--level", "1")
    assert done.code == 2
    assert "--level goes with --show" in done.err


def test_chat_keeps_its_thread_between_processes(kb: Path) -> None:
    chat = ("chat", "--kb", kb, "--thread", "t1", "--json")
    first = json.loads(run_apart(*chat, stdin="Who founded the Thornvale Yard?\n").out)
    second = json.loads(run_apart(*chat, stdin="Where was she born?\n/quit\n").out)
    assert first["answer"] == "Edda Thornvale"
    assert "Edda Thornvale" in second["standalone_question"]
    assert second["answer"] == "Brackenholm"


def test_chat_ends_where_the_key_is_refused(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIStubServer(http_error(401)) as server:
        monkeypatch.setenv("HOPTRAIL_BASE_URL", server.url)
        monkeypatch.setenv("HOPTRAIL_MODEL", "openai:stub")
        done = run("chat", "--kb", kb, stdin="Who founded Thornvale Yard?\nWho is she?\n")
    assert done.code == 1
    assert done.err.count("HOPTRAIL_API_KEY") == 1


def test_chat_survives_a_bad_line(kb: Path) -> None:
    done = run("chat", "--kb", kb, stdin="/nonsense\n/trail\n???\nWho founded Thornvale Yard?\n")
    assert done.code == 0
    assert "unknown command /nonsense" in done.err
    assert "no question was answered yet" in done.err
    assert "Edda Thornvale" in done.out


def test_doctor_reports_roles_embedder_and_stores(
    small_kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {"mine": str(small_kb), "gone": "nowhere"}
    monkeypatch.setenv("HOPTRAIL_KNOWLEDGE_BASES", json.dumps(named))
    done = run("doctor", "--json")
    assert done.code == 1  # one base is not there
    report = json.loads(done.out)
    assert report["embedder"]["ok"] is True
    assert report["knowledge_bases"]["mine"]["documents"] == 1
    assert report["knowledge_bases"]["gone"]["ok"] is False
    assert {row["part"] for row in report["roles"]} >= {"router", "answerer"}


def test_doctor_fails_where_a_service_that_is_set_cannot_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOPTRAIL_RERANKER", "endpoint:mini")
    with RerankStubServer() as reranker:
        monkeypatch.setenv("HOPTRAIL_RERANKER_BASE_URL", reranker.url)
        assert run_apart("doctor").code == 0
    down = run_apart("doctor")
    assert down.code == 1
    assert "reranker endpoint:mini: " in down.out


def test_serve_refuses_a_port_in_use(small_kb: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run("serve", "--kb", f"a={small_kb}", "--port", port, "--json")
    assert port in done.error["message"]


def test_eval_scores_a_retriever(kb: Path, tmp_path: Path) -> None:
    file = ROOT / "examples" / "questions.jsonl"
    out = tmp_path / "run"
    arguments = ("--questions", file, "--kb", kb, "--out", out, "--json")
    summary = run("eval", "--retriever", "ket", *arguments).json
    assert summary["n"] == 15
    assert summary["recall@5"] > 0.8
    assert len((out / "rows.jsonl").read_text(encoding="utf-8").splitlines()) == 15
    assert run("eval", *arguments).code == 2


def test_compare_sets_runs_against_the_first(kb: Path, tmp_path: Path) -> None:
    file = ROOT / "examples" / "questions.jsonl"
    runs = [tmp_path / name for name in ("bm25", "ket")]
    for out in runs:
        run("eval", "--questions", file, "--kb", kb, "--retriever", out.name, "--out", out)
    done = run("compare", *runs, "--out", tmp_path / "compared", "--json")
    assert (done.json["baseline"], done.json["n"]) == ("retriever:bm25", 15)
    written = {path.name for path in (tmp_path / "compared").iterdir()}
    tables = {f"comparison.{ending}" for ending in ("json", "md", "csv")}
    assert written == {"report.html", "metrics.svg", "outcomes.svg", "costs.svg", *tables}
    table = run("compare", *runs, "--out", tmp_path / "compared").out
    assert "retriever:ket against retriever:bm25, 15 questions" in table


def test_compare_needs_finished_runs(tmp_path: Path) -> None:
    assert run("compare", tmp_path, "--out", tmp_path / "compared").code == 2
    done = run("compare", tmp_path, tmp_path, "--out", tmp_path / "compared", "--json")
    assert "no finished run" in done.error["message"]
    assert not (tmp_path / "compared").exists()


def test_a_process_keeps_results_and_errors_apart(tmp_path: Path) -> None:
    done = finish(start("info", "--kb", tmp_path / "none", "--json"))
    assert done.error["code"] == "not_a_knowledge_base"
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 1


def test_a_closed_pipe_is_quiet(small_kb: Path) -> None:
    process = start("info", "--documents", "--kb", small_kb)
    assert process.stdin and process.stdout and process.stderr
    process.stdin.close()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 1


def test_an_interrupted_index_run_can_be_continued(tmp_path: Path) -> None:
    corpus, kb = tmp_path / "corpus.jsonl", tmp_path / "kb"
    with corpus.open("w", encoding="utf-8") as stream:
        for number in range(2000):
            text = f"Ann Lee {number} founded Oak Mill {number} in Varde. " * 20
            stream.write(json.dumps({"id": str(number), "text": text}) + "\n")
    process = start("index", corpus, "--kb", kb, "--json")
    begun = kb / "hoptrail.sqlite"
    wait_for(lambda: begun.exists() or process.poll() is not None, "no base was begun")
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(TimeoutError):
        process.wait(5)
    process.send_signal(signal.SIGINT)  # Python drops one that comes while an import ends
    done = finish(process)
    assert done.code == 130
    assert "hoptrail/" not in done.err  # no traceback of ours
    assert json.loads(done.out)["resumable"] is True


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, hoptrail; from hoptrail.cli.app import build_app; build_app();"
        "print(sorted({'torch', 'numpy', 'langgraph', 'langchain_core', 'pydantic', 'rich',"
        "'httpx', 'sqlite3', 'yaml', 'jinja2'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_tidying_needs_a_model(small_kb: Path) -> None:
    assert "language model" in run("consolidate", "--kb", small_kb, "--json").error["message"]


@pytest.mark.usefixtures("priced_model")
def test_tidying_is_forecast_and_needs_consent(tmp_path: Path) -> None:
    text = "Ann Lee founded Oak Mill in Varde. Ann Marie Lee sold the Oak Mill of Varde."
    run("index", "-", "--kb", tmp_path / "kb", "--extractor", "nlp", stdin=text)
    forecast = run("consolidate", "--kb", tmp_path / "kb", "--dry-run", "--json").json["forecast"]
    assert forecast["calls"] == 1
    done = run("consolidate", "--kb", tmp_path / "kb", "--json")
    assert "forecast to cost $" in done.error["message"]


def test_tidying_merges_what_the_model_confirms(tmp_path: Path) -> None:
    text = "Ann Lee founded Oak Mill in Varde. Ann Marie Lee sold the Oak Mill of Varde."
    run("index", "-", "--kb", tmp_path / "kb", "--extractor", "nlp", stdin=text)
    register_chat_model("scripted:same", ScriptedChatModel(by_role={"extractor": _all_same}))
    arguments = ("consolidate", "--kb", tmp_path / "kb", "--model", "scripted:same")
    assert run(*arguments, "--json").json["merged"] >= 1
    assert run(*arguments, "--json").json["usage"]["llm_calls"] == 0
    assert "pairs merged" in run(*arguments).out


def _all_same(messages: list[BaseMessage]) -> dict[str, list[list[int]]]:
    return {"same": [list(range(1, 20))]}
