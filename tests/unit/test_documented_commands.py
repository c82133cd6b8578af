"""Whatever the README and docs/ tell a reader to type, or to write into a file, is accepted.

`tests/integration/test_documented_commands.py` runs it.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from hoptrail.cli.app import build_app
from hoptrail.core.settings import Settings, load_settings
from tests.conftest import ROOT
from tests.documented import Block, blocks, commands

SHELL = [block for block in blocks() if block.language == "shell"]
COMMANDS = [(block, command) for block in SHELL for command in commands(block.text)]
ELSEWHERE = frozenset(
    {
        "docker",
        "helm",
        "kubectl",
        "sudo",
        "ollama",
        "llama-server",
        "phoenix",
        "curl",
        "base64",
        "hf",
    }
    | {"mkdir", "cp", "rm", ".", "export", "printf", "bash", "sudo", "/opt/hoptrail/bin/hoptrail"}
)


def place(block: Block) -> str:
    return block.place


def of(*names: str) -> list[Any]:
    return [
        pytest.param(command, id=block.place) for block, command in COMMANDS if command[0] in names
    ]


@cache
def command_tree() -> Any:
    """Return the commands with their options, each of which does nothing."""
    tree = typer.main.get_command(build_app())
    waiting = [tree]
    while waiting:
        command = waiting.pop()
        command.callback = lambda **options: None
        waiting += getattr(command, "commands", {}).values()
    return tree


@pytest.mark.parametrize("command", of("hoptrail", "/opt/hoptrail/bin/hoptrail"))
def test_a_command_has_the_options_that_it_is_shown_with(command: list[str]) -> None:
    words = ["ask" if word == "COMMAND" else word for word in command[1:]]

    command_tree().main(words, prog_name="hoptrail", standalone_mode=False)


def test_an_option_that_is_not_there_is_found() -> None:
    with pytest.raises(Exception, match="No such option: --nowhere"):
        command_tree().main(["ask", "Who?", "--nowhere"], standalone_mode=False)


def test_every_shell_block_has_commands_that_are_known() -> None:
    known = ELSEWHERE | {"hoptrail", "pip", "make", "python", "python3", "#!/bin/bash"}

    assert [(block.place, command) for block, command in COMMANDS if command[0] not in known] == []
    assert len(COMMANDS) > 200


@pytest.mark.parametrize("command", of("pip", "/opt/hoptrail/bin/pip"))
def test_pip_is_given_extras_that_are_there(command: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {
        name
        for word in command
        for extras in re.findall(r"\[(.*)\]", word)
        for name in extras.split(",")
    }

    assert named <= project["optional-dependencies"].keys()


@pytest.mark.parametrize("command", of("make"))
def test_make_is_given_targets_that_are_there(command: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert [
        name
        for name in command[1:]
        if not re.search(rf"^{re.escape(name.partition('=')[0])} ?:", makefile, re.MULTILINE)
    ] == []


@pytest.mark.parametrize("command", of("python", "python3"))
def test_python_is_given_programs_and_options_that_are_there(command: list[str]) -> None:
    module = command[2].replace(".", "/") if command[1] == "-m" else command[1].removesuffix(".py")
    if command[1] == "-c" or module in ("venv", "pip"):
        return
    program = (ROOT / module).with_suffix(".py")
    file = program if program.exists() else ROOT / module / "__main__.py"
    text = file.read_text(encoding="utf-8")

    assert [word for word in command[2:] if word.startswith("--") and f'"{word}"' not in text] == []


@pytest.mark.parametrize("block", SHELL, ids=place)
def test_a_variable_of_hoptrail_is_one_of_its_settings(block: Block) -> None:
    told = re.findall(r"\bHOPTRAIL_([A-Z_]+)=", block.text)

    assert [
        name for name in told if name.lower().partition("__")[0] not in Settings.model_fields
    ] == []


@pytest.mark.parametrize(
    "block",
    [one for one in blocks() if one.language == "toml" and "[project]" not in one.text],
    ids=place,
)
def test_settings_are_accepted(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WIKI_TOKEN", "secret")
    text = re.sub(r'sha256 = "\.\.\."', f'sha256 = "{"0" * 64}"', block.text)
    text = text.replace("/etc/hoptrail/jwks.json", str(tmp_path / "jwks.json"))
    (tmp_path / "hoptrail.toml").write_text(text, encoding="utf-8")

    settings = load_settings()

    assert tomllib.loads(text).keys() <= settings.model_fields_set


@pytest.mark.parametrize(
    "block", [one for one in blocks() if one.language in ("json", "yaml")], ids=place
)
def test_data_is_read_as_what_it_says_it_is(block: Block) -> None:
    if block.language == "yaml":
        assert yaml.safe_load(block.text)
        return
    try:
        assert json.loads(block.text)
    except json.JSONDecodeError:  # one object a line
        assert [json.loads(line) for line in block.text.splitlines()]


def test_every_block_that_looks_like_a_command_is_read_as_one() -> None:
    screens = [block for block in blocks() if block.language in ("text", "console")]

    assert [
        block.place
        for block in screens
        if re.search(r"^(?:hoptrail|pip) ", block.text, re.MULTILINE)
    ] == []
