"""`hoptrail chat` on a real pseudo-terminal, as a person meets it."""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import hang
from hoptrail.testing.stub_server import Reply
from tests.commands import Command
from tests.conftest import ROOT

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
pytestmark = pytest.mark.slow

PROMPT = "? "
PATIENCE = 120.0
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """The command with a pseudo-terminal as all three of its streams."""

    def __init__(self, *arguments: str | Path, **variables: str) -> None:
        self._mine, theirs = pty.openpty()
        self.process = Command(
            *arguments,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            variables={"TERM": "xterm", "COLUMNS": "100", **variables},
        )
        os.close(theirs)

    def type(self, keys: str) -> None:
        os.write(self._mine, keys.encode())

    def wait_for(self, ending: str) -> str:
        """Return the screen's text up to an ending that stays the last thing printed."""
        text, deadline = "", time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self._mine], [], [], 0.3)
            if ready:
                try:
                    text += os.read(self._mine, 65536).decode(errors="replace")
                except OSError:  # the other end is closed
                    return _plain(text)
            elif _plain(text).endswith(ending):
                return _plain(text)
        raise AssertionError(f"no {ending!r} at the end of {_plain(text)!r}")

    def ask(self, question: str) -> str:
        self.type(question + "\n")
        return self.wait_for(PROMPT)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._mine)


def _plain(text: str) -> str:
    return _COLOURS.sub("", text).replace("\r", "")


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chat") / "kb"
    with Hoptrail.open(folder, create=True) as hoptrail:
        hoptrail.index([ROOT / "examples" / "articles"], extractor="nlp")
    return folder


@pytest.fixture
def chat(kb: Path) -> Iterator[Any]:
    opened: list[Terminal] = []

    def start(*arguments: str, **variables: str) -> Terminal:
        opened.append(Terminal("chat", "--kb", kb, *arguments, **variables))
        opened[-1].wait_for(PROMPT)
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def test_each_question_gets_its_own_answer_and_follow_ups_their_meaning(chat: Any) -> None:
    terminal = chat()

    assert "no question was answered yet" in terminal.ask("/trail")
    assert "Edda Thornvale" in terminal.ask("Who founded the Thornvale Yard?")
    assert "Brackenholm" in terminal.ask("Where was she born?")
    assert "Tarnwick" in terminal.ask("Where was the leader of the Sunder Ice Expedition born?")
    assert "was born in" in terminal.ask("/trail")


def test_a_conversation_goes_on_in_a_new_process(chat: Any) -> None:
    first = chat("--thread", "lasting")
    first.ask("Who founded the Thornvale Yard?")
    first.type("/quit\n")
    assert "--thread lasting" in first.wait_for("--thread lasting\n")

    assert "Brackenholm" in chat("--thread", "lasting").ask("Where was she born?")


def test_ctrl_c_stops_the_answer_and_not_the_conversation(chat: Any) -> None:
    with OpenAIStubServer(_slowly) as server:
        terminal = chat(HOPTRAIL_BASE_URL=server.url, HOPTRAIL_MODEL="openai:stub")
        terminal.type("Who built the slow telescope?\n")
        while not server.requests:
            time.sleep(0.1)
        terminal.type("\x03")
        assert "stopped" in terminal.wait_for(PROMPT)

        assert "Edda Thornvale" in terminal.ask("Who founded the Thornvale Yard?")
        terminal.type("/quit\n")
        terminal.wait_for("\n")
        assert terminal.process.wait(PATIENCE) == 0


def _slowly(body: dict[str, Any]) -> Reply:
    if "slow telescope" in str(body["messages"]):
        return hang()
    return "FINAL ANSWER: Edda Thornvale"


def test_an_earlier_question_comes_back_with_the_arrow_key(chat: Any) -> None:
    terminal = chat()
    terminal.ask("Who founded the Thornvale Yard?")

    assert "Edda Thornvale" in terminal.ask("\x1b[A")
