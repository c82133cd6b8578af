"""`hoptrail chat` on a real pseudo-terminal, as a person meets it."""

from __future__ import annotations

import os
import re
import select
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import hang
from hoptrail.testing.stub_server import Reply
from tests.commands import Command
from tests.conftest import ROOT
from tests.waiting import PATIENCE, wait_for

fcntl = pytest.importorskip("fcntl", reason="this system has no pseudo-terminals")
termios = pytest.importorskip("termios")
pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
pytestmark = pytest.mark.slow

WHERE_IS_THE_CURSOR = "\x1b[6n"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """The command with a pseudo-terminal as all three of its streams."""

    def __init__(self, *arguments: str | Path, **variables: str) -> None:
        self._mine, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.process = Command(
            *arguments,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            variables={"TERM": "xterm", **variables},
        )
        os.close(theirs)

    def type(self, keys: str) -> None:
        os.write(self._mine, keys.encode())

    def wait_for(self, is_at_its_end: Callable[[str], bool]) -> str:
        """Return what was printed, once that is at its end and nothing more comes."""
        text = ""

        def is_over() -> bool:
            nonlocal text
            ready, _, _ = select.select([self._mine], [], [], 0.3)
            if not ready:
                return is_at_its_end(_plain(text))
            try:
                news = os.read(self._mine, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                return True
            text += news
            self.type("\x1b[40;1R" * news.count(WHERE_IS_THE_CURSOR))
            return False

        wait_for(is_over, lambda: f"no end of {_plain(text)!r}")
        return _plain(text)

    def ask(self, question: str) -> str:
        self.type(question + "\r")
        return self.wait_for(prompts)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._mine)


def prompts(text: str) -> bool:
    """Return whether an empty prompt is the last line."""
    return text.rstrip(" \n\b").rpartition("\n")[2] == "?"


def says(words: str) -> Callable[[str], bool]:
    return lambda text: words in text


def _plain(text: str) -> str:
    return _COLOURS.sub("", text).replace("\r", "")


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chat") / "kb"
    with Hoptrail.open(folder, create=True) as hoptrail:
        hoptrail.index([ROOT / "examples" / "articles"], extractor="nlp")
    return folder


@pytest.fixture
def chat(kb: Path, tmp_path: Path) -> Iterator[Any]:
    opened: list[Terminal] = []

    def start(*arguments: str, **variables: str) -> Terminal:
        state = {"XDG_STATE_HOME": str(tmp_path), **variables}
        opened.append(Terminal("chat", "--kb", kb, *arguments, **state))
        opened[-1].wait_for(prompts)
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
    first.type("/quit\r")
    first.wait_for(says("--thread lasting"))

    assert "Brackenholm" in chat("--thread", "lasting").ask("Where was she born?")


def test_ctrl_c_stops_the_answer_and_not_the_conversation(chat: Any) -> None:
    with OpenAIStubServer(_slowly) as server:
        terminal = chat(HOPTRAIL_BASE_URL=server.url, HOPTRAIL_MODEL="openai:stub")
        terminal.type("Who built the slow telescope?\r")
        wait_for(lambda: server.requests, "the model was not asked")
        terminal.type("\x03")
        assert "stopped" in terminal.wait_for(prompts)

        assert "Edda Thornvale" in terminal.ask("Who founded the Thornvale Yard?")
        terminal.type("/quit\r")
        assert terminal.process.wait(PATIENCE) == 0


def _slowly(body: dict[str, Any]) -> Reply:
    if "slow telescope" in str(body["messages"]):
        return hang()
    return "FINAL ANSWER: Edda Thornvale"


def test_the_words_of_a_model_are_shown_while_they_come(chat: Any) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    with OpenAIStubServer(lambda body: f"FINAL ANSWER: {words}") as server:
        model = {"HOPTRAIL_BASE_URL": server.url, "HOPTRAIL_MODEL": "openai:stub"}
        terminal = chat("--preset", "reasoning", **model)
        printed = terminal.ask("Who founded the Thornvale Yard?")

    assert "answering" in printed
    assert printed.count("word7 ") > 1  # the status line's draft, and the answer


def test_an_earlier_question_comes_back_with_the_arrow_key(chat: Any, tmp_path: Path) -> None:
    first = chat()
    first.ask("Who founded the Thornvale Yard?")
    assert "Edda Thornvale" in first.ask("\x1b[A")

    assert "Edda Thornvale" in chat().ask("\x1b[A")
    kept = tmp_path / "hoptrail" / "chat_history"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_history_can_be_switched_off(chat: Any, tmp_path: Path) -> None:
    chat(HOPTRAIL_CHAT_HISTORY="false").ask("Who founded the Thornvale Yard?")

    assert list(tmp_path.rglob("chat_history")) == []


def test_ctrl_c_at_the_prompt_clears_the_line_and_ctrl_d_ends(chat: Any) -> None:
    terminal = chat()
    terminal.type("/nonsense\x03")
    terminal.wait_for(prompts)
    assert "nonsense" not in terminal.ask("/trail")

    terminal.type("\x04")
    assert terminal.process.wait(PATIENCE) == 0


def test_a_pasted_text_of_several_lines_is_one_question(chat: Any) -> None:
    pasted = "Who founded\nthe Thornvale Yard?"

    assert "Edda Thornvale" in chat().ask(f"\x1b[200~{pasted}\x1b[201~")


def test_conversations_are_listed_opened_begun_and_deleted(chat: Any) -> None:
    terminal = chat("--thread", "yard")
    terminal.ask("Who founded the Thornvale Yard?")

    assert "conversation telescope, new" in terminal.ask("/new telescope")
    terminal.ask("Who built the great telescope of the Mount Averil Observatory?")
    listed = terminal.ask("/threads")
    assert listed.index("telescope  *") < listed.index("yard")
    assert "Who founded the Thornvale Yard?" in terminal.ask("/threads 2")
    assert "Brackenholm" in terminal.ask("Where was she born?")
    assert "deleted conversation telescope" in terminal.ask("/delete telescope")
    assert "unknown conversation 'telescope'" in terminal.ask("/threads telescope")


def test_what_is_typed_during_an_answer_waits_for_the_prompt(chat: Any) -> None:
    with OpenAIStubServer(_late) as server:
        terminal = chat(HOPTRAIL_BASE_URL=server.url, HOPTRAIL_MODEL="openai:stub")
        terminal.type("Who founded the Thornvale Yard?\r")
        wait_for(lambda: server.requests, "the model was not asked")
        terminal.type("/nonsense\r")
        printed = terminal.wait_for(says("unknown command /nonsense"))

    assert printed.index("model call") < printed.index("/nonsense")


def _late(body: dict[str, Any]) -> Reply:
    time.sleep(1)
    return "FINAL ANSWER: Edda Thornvale"
