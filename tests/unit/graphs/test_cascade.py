"""A small model: plain answers without it first, one short prompt for the rest, both compared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.settings import Settings
from hoptrail.graphs.qa import graph
from hoptrail.models.chat import register_chat_model
from hoptrail.models.embedder import load_embedder
from hoptrail.models.passage_reader import EMBEDDER, PassageReader
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.services.request_services import allow_models
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.testing.scripted import ScriptedChatModel
from tests.ships import FACTS, QUESTION, REPLY, ship_documents
from tests.unit.graphs.conftest import scripted

SMALL = "ollama:scripted"
UNSTATED = "Which song did the engineer Edda Thorn like?"


@pytest.fixture
def small_ships(ships_folder: Any) -> Iterator[str]:
    with KnowledgeBase.open(ships_folder, embedder=HashingEmbedder()) as kb:
        register_knowledge_base("ships", kb, Settings(max_retries=0, small_model=True))
        yield "ships"
    forget_knowledge_base("ships")


@pytest.fixture
def read_ships(reader: PassageReader, tmp_path: Path) -> Iterator[str]:
    """A base of the packaged embedder, whose passages its reader can read."""
    with Hoptrail.open(tmp_path / "kb", create=True, writable=True) as hoptrail:
        hoptrail.index(ship_documents(FACTS), extractor="nlp")
    with KnowledgeBase.open(tmp_path / "kb", embedder=load_embedder(EMBEDDER)) as kb:
        register_knowledge_base("ships", kb, Settings(max_retries=0))
        yield "ships"
    forget_knowledge_base("ships")


def small(*answers: str) -> ScriptedChatModel:
    model = ScriptedChatModel(by_role={"answerer": list(answers)})
    register_chat_model(SMALL, model)
    allow_models(SMALL)
    return model


async def ask(question: str = QUESTION, **context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": "ships", "model": SMALL, **context}
    state: dict[str, Any] = await graph.ainvoke({"question": question}, context=chosen)
    return state


async def test_a_plain_answer_costs_no_call_of_a_small_model(ships: str) -> None:
    model = small("nothing")

    state = await ask()

    assert (state["answer"]["answer"], state["answer"]["perhaps"]) == ("Edda Thorn", False)
    assert state["answer"]["presets"] == ["offline"]
    assert model.calls == []


async def test_a_small_model_is_asked_one_short_question_for_the_rest(ships: str) -> None:
    model = small("Brackenholm")

    state = await ask(UNSTATED)

    assert state["answer"]["presets"] == ["offline", "quick"]
    assert (state["answer"]["answer"], state["answer"]["perhaps"]) == ("Brackenholm", True)
    (call,) = model.calls
    assert call.role == "answerer"
    assert call.text.endswith(f"Question: {UNSTATED}\nAnswer:")


async def test_what_stands_in_no_passage_is_an_abstention(ships: str) -> None:
    small("The Blue Danube")

    state = await ask(UNSTATED)

    assert state["answer"]["abstained"]
    assert state["attempts"][1]["draft"]["reason"] == "unverified"


async def test_a_named_preset_of_a_small_model_is_asked_for_itself_and_never_plain(
    ships: str,
) -> None:
    model = small("Edda Thorn")

    state = await ask(preset="quick")

    assert (state["answer"]["presets"], state["answer"]["answer"]) == (["quick"], "Edda Thorn")
    assert len(model.calls) == 1
    assert state["answer"]["perhaps"]
    assert "what is asked" in state["answer"]["perhaps_reason"]


async def test_thrift_off_asks_a_small_model_at_once(ships: str) -> None:
    small("Edda Thorn")

    state = await ask(thrift=False)

    assert state["answer"]["presets"] == ["quick"]


async def test_thrift_saves_the_calls_of_a_large_model_too(ships: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": REPLY})

    state = await ask(model="scripted", thrift=True)

    assert (state["answer"]["presets"], state["answer"]["perhaps"]) == (["offline"], False)
    assert model.calls_of("answerer") == []


async def test_the_setting_says_that_any_model_is_small(small_ships: str) -> None:
    scripted(by_role={"answerer": "Brackenholm"})

    state = await ask(UNSTATED, model="scripted")

    assert state["answer"]["presets"] == ["offline", "quick"]


@pytest.mark.parametrize(
    ("reply", "abstains"), [("Port Selwick", True), ("1809", True), ("a steamer", False)]
)
async def test_words_that_answer_something_else_are_withheld(
    read_ships: str, reply: str, abstains: bool
) -> None:
    small(reply)

    state = await ask("Which kind of ship was the Tern?", preset="quick")

    assert state["answer"]["abstained"] == abstains


async def test_an_answer_that_is_more_likely_wrong_is_withheld_and_its_words_told(
    read_ships: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "What did Edda Thorn work as?"
    before = (await ask(question, preset="offline", model=None))["answer"]
    monkeypatch.setattr("hoptrail.agents.verification.likelihood.LEAST", 1.0)

    answer = (await ask(question, preset="offline", model=None))["answer"]

    assert before["perhaps"]
    assert (answer["abstained"], answer["abstain_reason"]) == (True, "unlikely")
    assert f'"{before["answer"]}", are more likely wrong than right' in answer["answer"]
    assert answer["trail"] == []
    assert answer["nearest"]
