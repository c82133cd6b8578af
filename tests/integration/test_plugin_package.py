"""A retriever and a preset from a package outside the source tree, as its users meet them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

PACKAGE = ROOT / "tests" / "data" / "plugin_package"
QUESTIONS = ROOT / "examples" / "questions.jsonl"
QUESTION = "Who founded the Thornvale Yard?"
OVER_KB = ("--kb", "kb", "--json")
COMMANDS = {
    "index": ("index", str(ROOT / "examples" / "articles"), "--extractor", "nlp", *OVER_KB),
    "retrieve": ("retrieve", QUESTION, "--retriever", "query_likelihood", "-k", "2", *OVER_KB),
    "ask": ("ask", QUESTION, "--preset", "lexical", *OVER_KB),
    **{
        f"eval {name}": (
            *("eval", "--questions", str(QUESTIONS), option, name, "--out", f"runs/{name}"),
            *("--limit", "3", "--allow-missing-gold", *OVER_KB),
        )
        for option, name in (("--retriever", "query_likelihood"), ("--preset", "lexical"))
    },
    **{f"{name} --help": (name, "--help") for name in ("retrieve", "ask", "chat", "eval", "info")},
    "doctor": ("doctor", "--json"),
    "presets": ("presets", "--json"),
}
BESIDE_A_BROKEN_PACKAGE = {
    "retrieve": ("retrieve", QUESTION, *OVER_KB),
    "retrieve sunk": ("retrieve", QUESTION, "--retriever", "sunk", *OVER_KB),
    "retrieve own": COMMANDS["retrieve"],
    "ask": ("ask", QUESTION, "--preset", "auto", *OVER_KB),
    "doctor": COMMANDS["doctor"],
}
COMMAND_LINE = """
import contextlib, io, json, sys
from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded

done = {}
for name, arguments in json.loads(sys.argv[1]).items():
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_guarded(build_app(), arguments)
    done[name] = {"code": code, "out": out.getvalue(), "err": err.getvalue()}
print(json.dumps(done))
"""
SESSION = """
import asyncio, contextlib, io, json, sys
import pytest
from hoptrail import Hoptrail, HoptrailError
from hoptrail.graphs.qa import graph

question, seen = sys.argv[1], {}
with Hoptrail.open("kb") as h:
    seen["documents"] = len(h.retriever("query_likelihood", k=2, mu=50.0).invoke(question))
    seen["tools"] = [tool.name for tool in h.tools("retrieve_query_likelihood")]
    seen["answer"] = h.ask(question, preset="lexical").text
    context = {"knowledge_base": str(h.knowledge_base.path.resolve()), "preset": "lexical"}
    state = asyncio.run(graph.ainvoke({"question": question}, context=context))
    seen["preset"] = state["answer"]["preset"]
    for choice in ({"preset": "lexcal"}, {"retriever": "query_likelyhood"}):
        try:
            h.ask(question, **choice)
        except HoptrailError as error:
            seen.setdefault("errors", []).append(str(error))
with contextlib.redirect_stdout(io.StringIO()) as shown:
    seen["tests"] = int(pytest.main(["-q", "-p", "no:cacheprovider", "package"]))
print(json.dumps({**seen, "shown": shown.getvalue()}))
"""
Outcome = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package's copy, and its installation in `site`."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PACKAGE, folder / "package")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    target = ("--target", str(folder / "site"), str(folder / "package"))
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install")
    subprocess.run([*pip, *options, *target], check=True)
    return folder


def run(place: Path, *arguments: str, also: str = "") -> str:
    """Run Python where the package is installed and return what it prints."""
    paths = (str(place / "site"), also, os.environ.get("PYTHONPATH", ""))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def commands(place: Path) -> Outcome:
    """Return what the commands came to, all run in one process, which loads the embedder once."""
    outcome: Outcome = json.loads(run(place, "-c", COMMAND_LINE, json.dumps(COMMANDS)))
    assert {name: done["err"] for name, done in outcome.items() if done["code"] != 0} == {}
    return outcome


@pytest.fixture(scope="module")
def session(place: Path, commands: Outcome) -> dict[str, Any]:
    """Return what Python sees of the package, and its own tests: one process loads all once."""
    seen: dict[str, Any] = json.loads(run(place, "-c", SESSION, QUESTION))
    return seen


@pytest.fixture(scope="module")
def beside_broken(place: Path, commands: Outcome) -> Outcome:
    """Return what commands come to where another package cannot be imported."""
    info = place / "broken" / "broken-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(
        "[hoptrail.retrievers]\nsunk = no_such_module:Sunk\n"
        "[hoptrail.presets]\nauto = query_likelihood.preset:LEXICAL\n"
    )
    program = (COMMAND_LINE, json.dumps(BESIDE_A_BROKEN_PACKAGE))
    outcome: Outcome = json.loads(run(place, "-c", *program, also=str(info.parent)))
    return outcome


def printed(done: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(done["out"])
    return value


def test_its_retriever_is_asked_by_name(commands: Outcome) -> None:
    found = printed(commands["retrieve"])
    assert found["retriever"] == "query_likelihood"
    assert [passage["channel"] for passage in found["passages"]][:2] == ["likelihood"] * 2
    assert "Thornvale Yard" in found["passages"][0]["text"]


def test_its_preset_answers_by_name(commands: Outcome) -> None:
    answer = printed(commands["ask"])
    assert (answer["answer"], answer["preset"]) == ("Edda Thornvale", "lexical")
    assert answer["trail"][0]["supported"]


@pytest.mark.parametrize("name", ["query_likelihood", "lexical"])
def test_an_evaluation_measures_it_by_name(commands: Outcome, name: str) -> None:
    assert printed(commands[f"eval {name}"])["n"] == 3


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("retrieve", {"query_likelihood"}),
        ("ask", {"lexical"}),
        ("chat", {"lexical"}),
        ("eval", {"query_likelihood", "lexical"}),
        ("info", set()),
    ],
)
def test_the_help_of_a_command_names_what_it_takes(
    commands: Outcome, command: str, names: set[str]
) -> None:
    text = commands[f"{command} --help"]["out"]
    assert {name for name in ("query_likelihood", "lexical") if name in text} == names


def test_the_doctor_lists_what_packages_add(commands: Outcome) -> None:
    rows = printed(commands["doctor"])["plugins"]
    assert {(row["kind"], row["name"], row["distribution"], row["ok"]) for row in rows} == {
        ("retriever", "query_likelihood", "hoptrail-query-likelihood 0.1.0", True),
        ("preset", "lexical", "hoptrail-query-likelihood 0.1.0", True),
    }


def test_python_and_the_graph_know_its_names(session: dict[str, Any]) -> None:
    assert session["documents"] == 2
    assert "retrieve_query_likelihood" in session["tools"]
    assert (session["answer"], session["preset"]) == ("Edda Thornvale", "lexical")
    assert "did you mean 'lexical'?" in session["errors"][0]
    assert "did you mean 'query_likelihood'?" in session["errors"][1]


def test_its_own_tests_run_the_contracts(session: dict[str, Any]) -> None:
    assert session["tests"] == 0, session["shown"]
    assert "passed" in session["shown"]
    assert "skipped" not in session["shown"]


def test_a_package_that_cannot_be_imported_is_named_in_one_line(beside_broken: Outcome) -> None:
    assert beside_broken["retrieve"]["err"] == ""  # a built-in name needs no package
    shown = beside_broken["retrieve sunk"]["err"]
    reason = (
        "retriever 'sunk' of the package broken 2.0 cannot be used: "
        "ModuleNotFoundError: No module named 'no_such_module'"
    )
    assert shown.splitlines() == [f"error: {reason} (update or uninstall broken)"]
    assert printed(beside_broken["retrieve sunk"])["error"] == {
        "code": "plugin",
        "message": reason,
        "hint": "update or uninstall broken",
    }


def test_a_broken_package_is_not_told_of_where_nothing_asks_for_it(
    beside_broken: Outcome,
) -> None:
    told = {name: done["err"] for name, done in beside_broken.items() if name != "retrieve sunk"}
    assert "broken" not in " ".join(told.values())


def test_the_presets_of_packages_are_listed_with_what_they_do(commands: Outcome) -> None:
    [row] = [row for row in printed(commands["presets"])["presets"] if row["package"]]
    assert row["does"] == "searches the graph over the likeliest passages"
    assert row["choose_for"] == "questions that use the words of the text"


def test_a_broken_package_breaks_no_other_and_takes_no_name(beside_broken: Outcome) -> None:
    assert printed(beside_broken["retrieve own"])["passages"]
    assert printed(beside_broken["ask"])["preset"] == "offline"
    rows = printed(beside_broken["doctor"])["plugins"]
    assert {(row["name"], row["ok"]) for row in rows} == {
        ("query_likelihood", True),
        ("sunk", False),
        ("lexical", True),
        ("auto", False),
    }
