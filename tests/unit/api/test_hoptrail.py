from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail, HoptrailError
from hoptrail.core.errors import (
    EmbedderMismatchError,
    NotAKnowledgeBaseError,
    UnknownNameError,
)
from hoptrail.core.settings import Settings
from hoptrail.core.types import AnswerEvent, HopEvent, NodeEvent, TokenEvent
from hoptrail.models.embedder import register_embedder
from hoptrail.testing.embedder import HashingEmbedder
from tests.ships import QUESTION, hashing_settings, index_ships


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    return folder


@pytest.fixture
def hoptrail(folder: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(folder, settings=hashing_settings(), preset="offline") as opened:
        yield opened


def test_ask_answers_with_a_trail(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION)

    assert answer.text == "Edda Thorn"
    assert answer.trail.supported_share == 1.0


async def test_ask_works_inside_a_running_loop(hoptrail: Hoptrail) -> None:
    assert hoptrail.ask(QUESTION).text == (await hoptrail.aask(QUESTION)).text


def test_stream_ends_with_the_answer_after_nodes_tokens_and_hops(hoptrail: Hoptrail) -> None:
    events = list(hoptrail.stream(QUESTION))

    assert {type(event) for event in events} == {NodeEvent, TokenEvent, HopEvent, AnswerEvent}
    assert isinstance(events[-1], AnswerEvent)
    tokens = [event.text for event in events if isinstance(event, TokenEvent)]
    assert "".join(tokens) == events[-1].answer.text


def test_thread_remembers_the_turn_before(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="talk")

    follow_up = hoptrail.ask("Where was she born?", thread_id="talk")

    assert (follow_up.standalone_question, follow_up.text) == (
        "Where was Edda Thorn born?",
        "Brackenholm",
    )


def test_question_without_a_thread_has_no_history(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION)

    assert hoptrail.ask("Where was she born?").standalone_question == "Where was she born?"


def test_context_renders_evidence_within_the_budget(hoptrail: Hoptrail) -> None:
    text = hoptrail.context(QUESTION, budget=120)

    assert "<passage>" in text
    assert "born in Brackenholm" not in text


def test_retrieve_ranks_passages(hoptrail: Hoptrail) -> None:
    found = hoptrail.retrieve(QUESTION, retriever="bm25", k=2)

    assert [passage["rank"] for passage in found["passages"]] == [1, 2]
    assert found["passages"][0]["title"] == "Morning Tern"


def test_retriever_and_tools_plug_into_langchain(hoptrail: Hoptrail) -> None:
    documents = hoptrail.retriever("vector", k=1).invoke("Alder Yard")
    tools = {tool.name for tool in hoptrail.tools()}

    assert documents[0].metadata["title"] == "Alder Yard"
    assert {"retrieve_ket", "find_entities"} <= tools


async def test_graph_has_the_knowledge_base_bound(hoptrail: Hoptrail) -> None:
    state = await hoptrail.graph().ainvoke({"question": QUESTION})

    assert state["answer"]["answer"] == "Edda Thorn"


def test_delete_takes_away_what_only_that_document_supported(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path, settings)
    with Hoptrail.open(tmp_path, settings=settings, preset="offline") as opened:
        opened.delete(["t/Edda Thorn"])

        assert opened.info()["counts"]["documents"] == 2
        assert opened.ask("Where was Edda Thorn born?").abstained


def test_reembed_is_what_a_mismatch_asks_for(tmp_path: Path) -> None:
    index_ships(tmp_path, hashing_settings())
    register_embedder("wider", HashingEmbedder(dim=96))
    wider = Settings(embedder="wider")
    with Hoptrail.open(tmp_path, settings=wider, preset="offline") as opened:
        with pytest.raises(EmbedderMismatchError, match="hoptrail reembed"):
            opened.ask(QUESTION)
        opened.reembed("wider")

        assert opened.ask(QUESTION).text == "Edda Thorn"


def test_folder_without_a_knowledge_base_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError):
        Hoptrail.open(tmp_path, settings=hashing_settings())


@pytest.mark.parametrize("choice", [{"preset": "magic"}, {"retriever": "magic"}, {"magic": 1}])
def test_unknown_choice_is_named(folder: Path, choice: dict[str, Any]) -> None:
    with Hoptrail.open(folder, settings=hashing_settings()) as opened:
        with pytest.raises(UnknownNameError, match="magic"):
            opened.ask(QUESTION, **choice)


def test_errors_share_one_root(tmp_path: Path) -> None:
    with pytest.raises(HoptrailError):
        Hoptrail.open(tmp_path / "nothing")
