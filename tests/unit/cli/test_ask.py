from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.api.steps import NEXT_STEP
from hoptrail.cli import ask
from hoptrail.cli.ask import answer_with_status
from hoptrail.cli.output import StatusLine
from hoptrail.graphs.qa import graph
from hoptrail.models.chat import register_chat_model
from hoptrail.testing.scripted import ScriptedChatModel
from tests.ships import QUESTION, hashing_settings, index_ships
from tests.typed import Terminal


def test_every_node_of_the_graph_has_words_for_what_comes_next() -> None:
    nodes = set(graph.get_graph().nodes) - {"__start__", "__end__"}

    assert nodes == set(NEXT_STEP)


def test_steps_and_words_are_shown_without_control_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_ships(tmp_path, hashing_settings())
    reply = "FINAL ANSWER: Edda Thorn of the \x1b]0;taken\x07 Alder Yard at the mouth of the river"
    register_chat_model("taken", ScriptedChatModel(replies=[reply]))
    terminal, line = Terminal(), StatusLine()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(ask, "STATUS", line)
    line.allow()
    with Hoptrail.open(tmp_path, settings=hashing_settings()) as hoptrail:
        answer_with_status(hoptrail, QUESTION, preset="vector", model="taken")

    assert "answering ..." in terminal.getvalue()
    assert "mouth of the river" in terminal.getvalue()
    assert "\x1b]0;" not in terminal.getvalue()
