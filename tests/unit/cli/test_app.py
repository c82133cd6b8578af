"""The command tree and its help."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from hoptrail.cli.app import COMMANDS, SUBCOMMANDS, build_app


@pytest.fixture(scope="module")
def listed() -> str:
    return CliRunner().invoke(build_app(), ["--help"], terminal_width=100).output


def section(text: str, heading: str) -> list[str]:
    """Return the first words of the lines below a heading."""
    lines = text.partition(f"\n{heading}:\n")[2].partition("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]


def test_help_begins_with_the_commands_that_a_newcomer_needs(listed: str) -> None:
    assert section(listed, "Start with") == ["index", "ask", "chat", "web", "doctor"]
    assert listed.index("Start with:") < listed.index("Ask:")


def test_every_command_stands_in_one_group_with_a_whole_sentence(listed: str) -> None:
    names = [name for line in listed.splitlines() if (name := line[2:15].strip())]
    for heading, commands in COMMANDS.items():
        assert section(listed, heading) == [*SUBCOMMANDS.get(heading, ()), *commands]
        assert all(names.count(name) == 1 for name in commands)
    assert "..." not in listed.partition("Start with:")[2]


def test_a_shell_completes_the_names_of_commands() -> None:
    asked = {"_HOPTRAIL_COMPLETE": "complete_bash", "COMP_WORDS": "hoptrail com", "COMP_CWORD": "1"}
    told = subprocess.run(
        [sys.executable, "-m", "hoptrail"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert told.stdout.split() == ["communities", "compare"]
