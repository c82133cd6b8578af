"""The README and docs/ as they stand: shell blocks are typed into bash, those of Python run.

What cannot run here is told by `REASONS`, a list of reasons; the unit test of this name checks
that its options are there, as those of all the others.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hoptrail.testing.openai_stub import script_from_json
from hoptrail.testing.rerank_stub import RerankStubServer
from hoptrail.testing.stub_server import OpenAIStubServer
from tests.collector import Collector
from tests.commands import Command
from tests.conftest import ROOT
from tests.documented import PAGES, Block, blocks, commands
from tests.serving import serving, serving_web
from tests.unit.eval.datasets.originals import HOTPOT, write_json

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a Unix shell"),
]

REASONS = {
    r"^(web|serve|serve-llm) ": "serves until it is stopped: integration/web, test_server.py",
    r" --watch": "goes on until it is stopped: test_sync_watch.py",
    r"^model (get|use|check)": "wants a model of 1.1 GB: integration/models has small ones",
    r"^train ": "takes minutes: test_train.py trains a small model",
    r"graph.llm|--preset (multistage|dagr)": "wants a trained checkpoint: test_graph_llm.py",
    r"neo4j://|^publish|--preset cypher|--kb films$": "wants Neo4j: integration/stores/neo4j",
    r" --ray ": "wants a Ray cluster: test_spread_indexing.py",
    r"https://|--crawl": "wants the network: test_crawl.py, test_fetched_documents.py",
    r"s3://": "wants an object store: test_object_store.py",
    r"(^| )(NAME|ID|COMMAND)( |$)": "has a place to fill in",
    r"\$|data/(2wiki|metaqa|webqsp)|runs/webqsp": "wants public data sets: tests marked data",
    r"(^| )/(data|documents)": "stands in a container, or on a cluster",
    r"^(sync wiki|index handbook notes)": "names a source of hoptrail.toml, on the network",
    r"^doctor": "its status tells what is not set up here: test_cli.py",
    r"--kb papers": "asks a workbook of the reader: unit/agents/tables",
    r"^(judge|questions) |--questions global": "wants a model's judgement: test_judging.py",
    r"^eval-marks ": "wants planted claims: test_planted_claims.py",
    r" --peer ": "wants the answers of another system: unit/eval/systems",
    r" --open": "opens a browser: unit/cli",
    r" --shard |^merge shards": "is one part of sixteen: unit/indexing/shards",
    r"runs/ordered": "compares with a run that is left out",
    r"--reranker cross-encoder": "wants weights of a hub: unit/models/test_reranker.py",
}
"""Why a command is not run, by a pattern of it as it is typed."""

PYTHON_REASONS = {
    "graph_llm.md": "wants a trained checkpoint: test_graph_llm.py and test_serve_llm.py",
    "guide.md": "wants a trained checkpoint: test_graph_llm.py",
    "servers.md": "wants Neo4j and Milvus: make test-readers",
    "extending.md": "is a package: test_plugin_package.py installs it",
}
"""Why the Python of a page is not run."""

ELSEWHERE_INSTALLED = {
    "langchain_neo4j": "no extra brings it; make test-readers installs it",
    "langchain_milvus": "no extra brings it; make test-readers installs it",
    "llama_index.graph_stores.neo4j": "no extra brings it; make test-readers installs it",
    "neo4j_graphrag": "no extra brings it; make test-readers installs it",
    "query_likelihood": "the package of tests/data, which docs/extending.md shows",
}
"""Packages that pages import and this environment does not have."""

FRAGMENTS = """
from hoptrail import Hoptrail
from langchain_community.document_loaders import CSVLoader
from llama_index.core import Document

class reader:
    load_data = staticmethod(lambda space_key: [Document(text="Red Fern is here.", id_="1")])

h = Hoptrail.open("kb")
answer = h.ask("Who founded the yard that built the Grey Petrel?")
"""
"""Stands before an indented block of Python, which shows a few lines of a program."""

ARTICLES = (
    *("askar", "brackenholm", "edda-thornvale", "grey-petrel", "morning-tern", "oren-pascoe"),
    *("thornvale-yard", "mount-averil-observatory", "port-selwick"),
)
"""The articles that the pages ask about."""

MINUTES = """---
author: Ada B
date: 2024-05-02
---
# Minutes of May

Edda Thorn was the founder of the yard.
"""
"""A document with the fields that the guide's filters name."""

NOT_TYPED = (
    "docker",
    "helm",
    "kubectl",
    "sudo",
    "pip",
    "make",
    "ollama",
    "llama-server",
    "phoenix",
    "python3",
)
"""Programs that install, or run servers and containers: they do nothing here."""

SHIM = f"""#!{sys.executable} -SE
import json, os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect(os.environ["COMMANDS_SOCKET"])
request = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "variables": dict(os.environ)}}
socket.send_fds(asked, [json.dumps(request).encode()], [0, 1, 2])
sys.exit(int(asked.recv(16)))
"""
"""The program `hoptrail` of the shell: the test starts the command, without the imports."""


@dataclass
class Shell:
    """A bash whose `hoptrail` is that of this tree.

    Attributes:
        folder: Where the blocks of a page are typed.
        programs: What stands first in PATH.
        ran: Commands that ran, with their exit code.
    """

    folder: Path
    programs: Path
    ran: list[tuple[list[str], int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.programs.mkdir()
        (self.programs / "hoptrail").write_text(SHIM)
        (self.programs / "hoptrail").chmod(0o755)
        for name in NOT_TYPED:
            (self.programs / name).symlink_to("/bin/true")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.programs / "socket"))
        self._socket.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def type(self, block: str, variables: Mapping[str, str]) -> str:
        """Type a block; return what it prints."""
        environment = {
            **os.environ,
            **variables,
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "COMMANDS_SOCKET": str(self.programs / "socket"),
        }
        done = subprocess.run(
            ["bash", "-u", "-c", block],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "command not found" not in done.stderr
        assert done.returncode not in (126, 127), done.stderr
        return done.stdout + done.stderr

    def _serve(self) -> None:
        while True:
            asked, _ = self._socket.accept()
            with asked:
                message, descriptors, _, _ = socket.recv_fds(asked, 1 << 20, 3)
                asked.sendall(str(self._run(json.loads(message), descriptors)).encode())
                for descriptor in descriptors:
                    os.close(descriptor)

    def _run(self, request: dict[str, Any], streams: list[int]) -> int:
        arguments, folder = request["arguments"], Path(request["folder"])
        if reason(arguments) is not None:
            return 0
        stdin, stdout, stderr = streams
        with Command(
            *arguments,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            folder=folder,
            variables=request["variables"],
        ) as command:
            code = command.wait()
        self.ran.append((arguments, code))
        return code


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the pages take as given: a clone, bases, some notes and downloads."""
    folder = tmp_path_factory.mktemp("stock")
    (folder / "examples" / "articles").mkdir(parents=True)
    for name in ARTICLES:
        shutil.copy(ROOT / "examples" / "articles" / f"{name}.md", folder / "examples" / "articles")
    for name in ("benchmarks", "deploy"):
        (folder / name).symlink_to(ROOT / name)
    activate = folder / ".venv" / "bin" / "activate"
    activate.parent.mkdir(parents=True)
    activate.touch()
    articles = sorted((folder / "examples" / "articles").glob("*.md"))
    for name, chosen in {
        "my-notes": articles[:3],
        "notes": articles[3:5],
        "docs": articles[5:7],
    }.items():
        (folder / name).mkdir()
        for article in chosen:
            shutil.copy(article, folder / name)
    for page in ("install", "page", "security", "server", "web"):  # the tutorial copies them
        (folder / "docs" / f"{page}.md").write_text(f"# {page}\n\nThe {page} is a page.\n")
    (folder / "export").mkdir()
    shutil.copy(articles[8], folder / "export")
    (folder / "minutes").mkdir()
    (folder / "minutes" / "may.md").write_text(MINUTES, encoding="utf-8")
    (folder / "people.csv").write_text("name,town\nIda Holm,Varde\n", encoding="utf-8")
    run(folder, "index", "examples/articles", "--kb", "kb", "--extractor", "nlp")
    run(folder, "index", "minutes", "--kb", "kb", "--extractor", "nlp")
    run(folder, "index", "my-notes", "--kb", "theirs", "--extractor", "nlp")
    asked = "Who founded the yard that built the Grey Petrel?\n/bad Edda Thorn\n/quit\n"
    run(folder, "chat", "--kb", "kb", given=asked)
    for name in ("demo-kb", "hoptrail-kb"):
        shutil.copytree(folder / "kb", folder / name)
    questions = (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "questions.jsonl").write_text("\n".join(questions[:1]), encoding="utf-8")
    (folder / "examples" / "questions.jsonl").write_text("\n".join(questions[:1]), encoding="utf-8")
    corpus = json.dumps(
        {"id": "1", "title": "Alder Yard", "text": "Edda Thorn founded the Alder Yard."}
    )
    (folder / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    write_json(folder / "downloads" / "hotpotqa" / "hotpot_dev_distractor_v1.json", [HOTPOT])
    return folder


def run(folder: Path, *arguments: str, given: str = "") -> None:
    (folder / "given").write_text(given, encoding="utf-8")
    with (
        (folder / "given").open("rb") as stdin,
        (folder / "told").open("wb") as told,
        Command(*arguments, stdin=stdin, stdout=told, stderr=told, folder=folder) as command,
    ):
        assert command.wait() == 0, (folder / "told").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def servers() -> Iterator[Mapping[str, str]]:
    """Servers on loopback, by the addresses that the pages call them."""
    replies = script_from_json({"rules": [], "default": "Edda Thornvale"})
    with (
        OpenAIStubServer(replies) as model,
        RerankStubServer() as reranker,
        Collector() as collector,
    ):
        yield {
            "http://127.0.0.1:8080/v1": reranker.url,
            "http://127.0.0.1:8000/v1": model.url,
            "http://localhost:4318": collector.endpoint,
            "OPENAI": model.url,
        }


def copied(stock: Path, tmp_path: Path, shown: list[Block]) -> Path:
    """Return a copy of the folder for the blocks of a page.

    A base knows where its sources lie: what makes one of the copied articles finds none there. Nor
    does a page whose bases stand in a folder `kb`.
    """
    folder = tmp_path / "typed"
    shutil.copytree(stock, folder, symlinks=True)
    if any(re.search(r"examples/articles|kb/hotpotqa", block.text) for block in shown):
        shutil.rmtree(folder / "kb")
    return folder


def addressed(text: str, servers: Mapping[str, str]) -> str:
    for address, ours in servers.items():
        text = text.replace(address, ours)
    return text


def of_page(language: str) -> dict[str, list[Block]]:
    found = {page.name: [one for one in blocks() if one.page == page] for page in PAGES}
    told = {
        name: [one for one in these if one.language == language and "[--" not in one.text]
        for name, these in found.items()
    }  # a synopsis has its optional words in brackets, and is not to be typed
    return {name: these for name, these in told.items() if these}


SHELL, PYTHON = of_page("shell"), of_page("python")
SHOWN = {
    "README.md": "Edda Thornvale",
    "python.md": "Brackenholm",
    "server.md": "Edda Thornvale\nBrackenholm",
    "settings.md": "Name every place with its country.",
    "web.md": "Edda Thornvale",
}
"""Words that the Python of a page prints among other things."""

SERVED = {
    "server.md": (serving, "http://127.0.0.1:2024"),
    "web.md": (serving_web, "http://127.0.0.1:8077"),
}
"""Pages whose Python asks a server, with its address there."""


def typed(page: str) -> list[list[str]]:
    """Return what follows `hoptrail` in the commands of a page."""
    found = [command for block in SHELL[page] for command in commands(block.text)]
    return [command[1:] for command in found if command[0] == "hoptrail"]


def reason(arguments: list[str]) -> str | None:
    """Return the pattern of the reason why a command is not run, None where it is."""
    return next((one for one in REASONS if re.search(one, " ".join(arguments))), None)


@pytest.mark.parametrize("page", [name for name in SHELL if {None} & {*map(reason, typed(name))}])
def test_what_a_page_tells_to_type_works(
    page: str, stock: Path, servers: Mapping[str, str], tmp_path: Path
) -> None:
    folder = copied(stock, tmp_path, SHELL[page])
    shell = Shell(folder, tmp_path / "programs")
    variables = {
        "GROQ_API_BASE": servers["OPENAI"],
        "SLURM_ARRAY_TASK_ID": "1",
        **dict.fromkeys(("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY", "LANGSMITH_API_KEY"), "x"),
    }

    printed = [
        (block.place, shell.type(addressed(block.text, servers), variables))
        for block in SHELL[page]
    ]

    assert [command for command, code in shell.ran if code != 0] == [], printed
    assert shell.ran


def test_every_reason_keeps_some_command_from_running() -> None:
    used = {reason(arguments) for page in SHELL for arguments in typed(page)}

    assert REASONS.keys() - used == set()


@pytest.mark.parametrize("page", [name for name in PYTHON if name not in PYTHON_REASONS])
def test_the_python_of_a_page_runs(
    page: str,
    stock: Path,
    servers: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = copied(stock, tmp_path, PYTHON[page])
    monkeypatch.chdir(folder)
    code = "\n".join(addressed(block.text, servers) for block in PYTHON[page])
    if "Hoptrail.open(" not in code and "h." in code:
        code = FRAGMENTS + code + "\nh.close()\n"
    if page in SERVED:
        serves, address = SERVED[page]
        with serves(folder, "--kb", "articles=kb") as server:
            printed = output(code.replace(address, server.url))
    elif page == "tracing.md":  # it sets what is one for the whole process
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", servers["http://localhost:4318"])
        subprocess.run([sys.executable, "-c", code], check=True)
        printed = ""
    else:
        printed = output(code)

    assert SHOWN.get(page, "") in printed


def output(code: str) -> str:
    """Return what a program prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "page", "exec"), {"__name__": "page"})
    return out.getvalue()


@pytest.mark.parametrize("page", PYTHON)
def test_what_the_python_of_a_page_imports_is_there(page: str) -> None:
    for block in PYTHON[page]:
        for module, names in imports(ast.parse(block.text)):
            if not any(module.startswith(name) for name in ELSEWHERE_INSTALLED):
                found = importlib.import_module(module)
                assert [name for name in names if not hasattr(found, name)] == []


def imports(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [name.name for name in node.names]
        elif isinstance(node, ast.Import):
            yield from ((name.name, []) for name in node.names)
