"""Questions about a whole book whose index Microsoft GraphRAG made, answered from its reports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from hoptrail import Hoptrail
from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.core.settings import Settings
from hoptrail.core.types import Answer
from hoptrail.models.chat import register_chat_model
from hoptrail.models.embedder import register_embedder
from hoptrail.testing import HashingEmbedder, OpenAIStubServer, ScriptedChatModel
from hoptrail.testing.stub_server import Reply, prompt_text

pytestmark = [pytest.mark.slow, pytest.mark.data]

REFERENCE = re.compile(r"\[reports: ([\d, ]+)\]")
QUESTIONS = (
    "What are the main themes of the whole book?",
    "How do the spirits change the main character over the course of the story?",
    "Which social problems of its time does the book as a whole point to?",
    "What roles do families and households play throughout the text?",
    "How are memory, present and future set against each other in the work as a whole?",
)


def points_of(prompt: str) -> dict[str, Any]:
    """Make a point of each of the first reports that a mapper is shown."""
    numbers = re.findall(r"^\[(\d+)\] ", prompt, re.MULTILINE)
    return {
        "points": [
            {"text": f"Report {number} speaks of it.", "helpfulness": 60, "reports": [int(number)]}
            for number in numbers[:4]
        ]
    }


def answer_from(prompt: str) -> str:
    """Repeat the references of the points, one sentence for each."""
    _, _, shown = prompt.partition("<points>")
    references = dict.fromkeys(found.group() for found in REFERENCE.finditer(shown))
    return "FINAL ANSWER:\n" + "\n".join(f"- It is spoken of. {found}" for found in references)


def text_of(messages: Sequence[BaseMessage]) -> str:
    return "\n".join(message.text for message in messages)


def serve(body: dict[str, Any]) -> Reply:
    prompt = prompt_text(body)
    return points_of(prompt) if body.get("tools") else answer_from(prompt)


@pytest.fixture(scope="module")
def hashing() -> None:
    register_embedder("hashing-for-global-answers", HashingEmbedder())


@pytest.fixture(scope="module")
def kb(
    hashing: None, data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Hoptrail]:
    model = ScriptedChatModel(
        by_role={
            "reporter": lambda messages: points_of(text_of(messages)),
            "answerer": lambda messages: answer_from(text_of(messages)),
        }
    )
    register_chat_model("scripted-global-answers", model)
    settings = Settings(model="scripted-global-answers", embedder="hashing-for-global-answers")
    folder = tmp_path_factory.mktemp("carol") / "kb"
    with Hoptrail.open(folder, create=True, writable=True, settings=settings) as hoptrail:
        hoptrail.index([data_dir / "christmas_carol" / "ms_graphrag_index"])
        yield hoptrail


def cited(answer: str) -> list[int]:
    return [int(number) for found in REFERENCE.findall(answer) for number in found.split(",")]


def test_the_import_counts_what_the_index_lacks(kb: Hoptrail) -> None:
    info = kb.info()
    assert info["counts"]["relations"] == 978
    assert info["counts"]["entities"] == 529 + 32
    assert info["communities"] == {"levels": 4, "communities": 122, "reports": 122, "stale": False}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_reference_of_an_answer_leads_to_a_passage(kb: Hoptrail, question: str) -> None:
    answer = kb.ask(question, preset="graphrag")
    assert (answer.strategy, answer.degraded) == ("map_reduce", ())
    numbers = cited(answer.text)
    assert numbers
    assert {report.number for report in answer.reports} == set(numbers)
    hops = {hop.hop: hop for hop in answer.trail.hops}
    chunk_ids = {chunk.id for chunk in kb.knowledge_base.iter_chunks()}
    for report in answer.reports:
        assert {hops[hop].chunk_id for hop in report.hops} & chunk_ids


def test_the_pre_filter_saves_calls_and_tokens(kb: Hoptrail) -> None:
    def spent(*, prefilter: bool) -> tuple[int, int]:
        answers: list[Answer] = [
            kb.ask(question, preset="graphrag", level=1, prefilter=prefilter, budget=6_000)
            for question in QUESTIONS
        ]
        return (
            sum(answer.usage.llm_calls for answer in answers),
            sum(answer.usage.prompt_tokens for answer in answers),
        )

    calls, tokens = spent(prefilter=True)
    all_calls, all_tokens = spent(prefilter=False)
    assert calls < all_calls
    assert tokens < all_tokens


def test_the_command_prints_the_references_as_json(
    kb: Hoptrail, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing-for-global-answers")
    arguments = ["ask", QUESTIONS[0], "--kb", str(kb.knowledge_base.path), "--preset", "graphrag"]
    with OpenAIStubServer(serve) as server:
        monkeypatch.setenv("HOPTRAIL_BASE_URL", server.url)
        assert run_guarded(build_app(), [*arguments, "--model", "openai:stub", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["question_type"] == "global"
    assert {report["number"] for report in printed["reports"]} == set(cited(printed["answer"]))
    hops = {hop["hop"]: hop for hop in printed["trail"]}
    assert all(hops[hop]["chunk_id"] for report in printed["reports"] for hop in report["hops"])
