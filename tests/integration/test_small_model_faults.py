"""Mistakes of small models end in an honest answer, within its time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.types import Answer
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import Fault, dropped, http_error, stalled
from tests.ships import hashing_settings

pytestmark = pytest.mark.slow

UNSTATED = "Which song did the engineer Edda Thorn like?"
NO_ANSWERS: dict[str, Any] = {
    "echoes the prompt": f"Question: {UNSTATED}\nAnswer:",
    "repeats itself": "the " * 48,
    "thinks aloud and does not end": "<think>" + "Let me see what the passages say. " * 600,
    "speaks another language": "Das steht nicht in den Texten.",
    "points at a passage": "[2]",
    "makes something up": "The Blue Danube",
    "says nothing": "",
    "answers with an object of its own": '{"thought": "hm", "tool": "search"}',
}
FAILURES: dict[str, Any] = {
    "is killed in the middle": dropped("It may well be that"),
    "has no room for the prompt": http_error(
        400, "the request exceeds the available context size", retry_after=None
    ),
    "falls silent": stalled("It may well be that"),
}


def ask(ships: Path, server: OpenAIStubServer) -> Answer:
    settings = hashing_settings(
        model="openai:stub",
        base_url=server.url,
        small_model=True,
        timeout_seconds=0.5,
        max_retries=0,
    )
    with Hoptrail.open(ships, settings=settings) as hoptrail:
        return hoptrail.ask(UNSTATED)


@pytest.mark.parametrize("reply", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_no_answer_from_the_passages_is_withheld(ships: Path, reply: str) -> None:
    with OpenAIStubServer(reply) as server:
        answer = ask(ships, server)

    assert answer.abstained
    assert answer.nearest
    assert server.calls == 1


@pytest.mark.parametrize("fault", FAILURES.values(), ids=FAILURES)
def test_a_model_that_fails_is_told_and_the_answer_comes_without_it(
    ships: Path, fault: Fault
) -> None:
    with OpenAIStubServer(fault) as server:
        answer = ask(ships, server)

    assert answer.stop_reason == "model_unavailable"
    assert "openai:stub" in " ".join(answer.degraded)


def test_a_thought_before_the_answer_is_no_part_of_it(ships: Path) -> None:
    with OpenAIStubServer("<think>The town comes to mind.</think>\nBrackenholm") as server:
        answer = ask(ships, server)

    assert (answer.text, answer.perhaps) == ("Brackenholm", True)
