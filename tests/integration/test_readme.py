"""The examples of the README and of docs/ run as they stand."""

import contextlib
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("python", "guide", "settings", "rerankers")),
]
LINKING = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_console_examples_print_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    assert run("index", "examples/articles", "--kb", "demo-kb")
    for command, shown in console_commands(blocks("console")):
        if command[0] == "cat":
            Path(command[1]).write_text(shown, encoding="utf-8")
            continue
        printed = bare(run(*command[1:]))
        assert bare(shown.partition("\n...")[0]) in printed, command


@pytest.mark.slow
def test_the_readmes_commands_do_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    printed = {command[1]: run(*command[1:]) for command in readme_commands()}
    assert "Brackenholm" in printed["ask"].splitlines()[0]  # the last one, under a filter
    assert "articles/askar.md" in printed["info"]
    assert Path("graph.graphml").exists()
    assert Path("kb.zip").exists()


def readme_commands() -> Iterator[list[str]]:
    """Yield the commands over the base of the README's section, but for those with a place to fill.

    A conversation, which waits for what is typed, is left out too.
    """
    section = PAGES[0].read_text(encoding="utf-8").partition("## Command line")[2]
    for line in re.findall(r"^    (hoptrail .*)$", section.partition("## ")[0], re.MULTILINE):
        command = shlex.split(line, comments=True)
        if not {"chat", "web", "NAME", "COMMAND"} & {*command}:
            yield command


def console_commands(examples: list[str]) -> Iterator[tuple[list[str], str]]:
    """Yield each command of terminal examples with what it is said to print."""
    for block in examples:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            end = next((n for n, line in enumerate(lines) if n and line[:2] != "  "), len(lines))
            yield shlex.split(" ".join(lines[:end])), "\n".join(lines[end:])


def run(*arguments: str) -> str:
    """Return what a command that succeeds prints."""
    from hoptrail.cli.app import build_app
    from hoptrail.cli.failures import run_guarded

    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run_guarded(build_app(), arguments) == 0
    return out.getvalue()


def bare(screen: str) -> str:
    """Return the text of a screen without its line breaks, tree and seconds."""
    return re.sub(r"[\s│├└─]|[\d.]+ s$", "", screen, flags=re.MULTILINE)


def test_the_settings_example_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hoptrail.core.settings import load_settings

    monkeypatch.chdir(tmp_path)
    (tmp_path / "hoptrail.toml").write_text(blocks("toml")[0], encoding="utf-8")
    assert load_settings().models == {"answerer": "groq:llama-3.3-70b-versatile"}


def test_the_tables_name_every_setting_and_no_other() -> None:
    from hoptrail.core.settings import Settings
    from hoptrail.graphs.context import Context

    for heading, fields in (("setting", Settings), ("choice", Context)):
        table = re.search(rf"^\| {heading} \|.*?\n\n", TEXT, re.DOTALL | re.MULTILINE)
        assert table is not None
        names = re.findall(r"^\| `(\w+)`", table.group(), re.MULTILINE)
        assert sorted(names) == sorted(fields.model_fields)


def test_the_table_of_prompts_names_each_with_its_role_and_placeholders() -> None:
    from hoptrail.prompts.loader import SHIPPED

    table = re.search(r"^\| prompt \|.*?\n\n", TEXT, re.DOTALL | re.MULTILINE)
    assert table is not None
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*) \|", table.group(), re.MULTILINE)
    listed = {name: (role, *re.findall(r"\w+", inputs)) for name, role, inputs in rows}
    assert listed == {
        name: (prompt.role, *prompt.inputs) for name, prompt in SHIPPED.load_all().items()
    }


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", ["README.md", "docs/install.md"])
def test_pip_is_used_in_a_virtual_environment(name: str) -> None:
    lines = re.findall(r"^    (.*\w.*)$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    installing = next(at for at, line in enumerate(lines) if line.startswith("pip install"))
    assert any(line.startswith("python3 -m venv .venv") for line in lines[:installing])


def test_what_the_readmes_commands_make_is_ignored_by_git() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    made = re.findall(r"--kb (\S+)|--to (\S+)|backup \S+ (\S+)|restore \S+ ([\w-]+)", readme)
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    names = {name for found in made for name in found if name}
    assert names >= {"kb", "demo-kb", "kb.zip", "graph.graphml", "new-kb"}
    assert {
        name for name in names if not {f"/{name}", f"/{name}/", f"{name}/"} & {*ignored}
    } == set()


def test_every_page_of_docs_is_linked_from_the_readme() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f"](docs/{page.name})" in readme, page.name


def test_the_readmes_figures_stand_in_the_table_of_all() -> None:
    figures = re.findall(r"\b0\.\d{3}\b", PAGES[0].read_text(encoding="utf-8"))
    table = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    assert figures
    assert [figure for figure in figures if figure not in table] == []
