"""The tutorial and the notebooks, run as a reader runs them."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.integration.test_readme import ROOT, bare, console_commands, run

pytestmark = pytest.mark.slow

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
NOTEBOOKS = ROOT / "examples" / "notebooks"
SHOWN = {
    "quick_start": ["River Oskel", "Where was Edda Thornvale born?", "True - I don't know"],
    "compare_methods": ["setwise", "recall@5", "McNemar"],
    "langgraph_agent": ["Step 1, stated: Morning Tern was built at Thornvale Yard", "'trail': ["],
}


def test_the_tutorial_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs", "docs")
    commands = [
        shlex.split(line)
        for line in re.findall(r"^    ((?:mkdir|cp|rm|hoptrail) .*)$", TUTORIAL, re.M)
    ]
    asked = [*console_commands(re.findall(r"^```console\n(.*?)^```", TUTORIAL, re.M | re.S))]

    for command in commands:
        if command[0] == "mkdir":
            Path(command[1]).mkdir()
        elif command[0] == "cp":
            for file in command[1:-1]:
                shutil.copy(file, command[-1])
        elif command[:2] == ["hoptrail", "index"]:
            run(*command[1:])
            for question, shown in asked:
                printed = bare(run(*question[1:]))
                for part in bare(shown).split("..."):
                    assert part in printed, question
        elif command[0] == "rm":
            Path(command[1]).unlink()
        elif command[:2] == ["hoptrail", "sync"]:
            assert "deleted" in run(*command[1:])

    assert len(asked) == 4


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_notebook_runs_and_shows_what_it_says(name: str) -> None:
    nbformat = pytest.importorskip("nbformat", reason="the extra dev is not installed")
    client = pytest.importorskip("nbclient").NotebookClient
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4)
    where = {"metadata": {"path": str(NOTEBOOKS)}}

    client(notebook, timeout=600, kernel_name="python3", resources=where).execute()

    shown = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    text = "\n".join(one.get("text") or one.get("data", {}).get("text/plain", "") for one in shown)
    assert [part for part in SHOWN[name] if part not in text] == []
    if name == "quick_start":
        assert any("<svg" in one.get("data", {}).get("image/svg+xml", "") for one in shown)


def test_every_notebook_is_run() -> None:
    assert {file.stem for file in NOTEBOOKS.glob("*.ipynb")} == SHOWN.keys()
