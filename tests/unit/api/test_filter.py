"""Questions under a filter: what is answered, told, remembered and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError, SettingsError, UnknownNameError
from hoptrail.core.types import Document
from hoptrail.graphs.presets import PRESETS
from hoptrail.models.chat import register_chat_model
from hoptrail.testing.scripted import ScriptedChatModel
from tests.ships import FACTS, QUESTION, REPLY, hashing_settings

SECRET = "Edda Thorn, known as Nightjar, was a spy. Zarkov founded the Alder Yard with her."
HINTS = ("zarkov", "nightjar")
PUBLIC = "level = public"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    documents = [
        Document(f"t/{title}", title, text, "t", metadata={"level": level})
        for title, text, level in (
            *((title, text, "public") for title, text in FACTS.items()),
            ("Memo", SECRET, "private"),
        )
    ]
    with Hoptrail.open(folder, create=True, settings=hashing_settings()) as hoptrail:
        hoptrail.index(documents, extractor="nlp")
        hoptrail.communities(extractive=True)
    return folder


@pytest.fixture
def hoptrail(folder: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(folder, settings=hashing_settings(), preset="offline") as opened:
        yield opened


def leaks(told: Any) -> list[str]:
    text = told if isinstance(told, str) else json.dumps(told)
    return [hint for hint in HINTS if hint in text.lower()]


def test_an_answer_tells_its_filter_and_what_is_left_out(hoptrail: Hoptrail) -> None:
    answer = hoptrail.ask(QUESTION, filter=PUBLIC)
    assert answer.text == "Edda Thorn"
    assert answer.filter == {"field": "level", "eq": "public"}
    assert [line for line in answer.degraded if "community reports are left out" in line]
    whole = hoptrail.ask(QUESTION)
    assert whole.filter is None
    assert not [line for line in whole.degraded if "reports" in line]


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_nothing_outside_is_in_a_prompt_or_an_answer(hoptrail: Hoptrail, preset: str) -> None:
    model = ScriptedChatModel(replies=[REPLY] * 40)
    register_chat_model("scripted", model)
    asked = "What did Edda Thorn found, and who was with her?"
    answer = hoptrail.ask(asked, preset=preset, model="scripted", filter=PUBLIC)
    assert leaks(answer.to_contract()) == []
    prompts = [call.text for call in model.calls]
    assert [prompt for prompt in prompts if leaks(prompt)] == []
    # A filter is answered from the folder, which takes no query.
    asks = PRESETS[preset].needs_model and PRESETS[preset].search != "by_query"
    assert bool(prompts) == asks


def test_without_a_filter_the_same_words_are_found(hoptrail: Hoptrail) -> None:
    assert leaks(hoptrail.context("Who founded the Alder Yard with Zarkov?")) != []
    assert leaks(hoptrail.context("Who founded the Alder Yard?", filter=PUBLIC)) == []


def test_an_answer_given_without_the_filter_is_not_part_of_the_history(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="free")
    follow_up = hoptrail.ask("Where was she born?", thread_id="free", filter=PUBLIC)
    assert follow_up.standalone_question == "Where was she born?"


def test_answers_under_the_same_filter_are_remembered(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="bound", filter=PUBLIC)
    same = hoptrail.ask("Where was she born?", thread_id="bound", filter="level in (public)")
    assert same.standalone_question == "Where was she born?"  # another filter, if of one meaning
    hoptrail.ask(QUESTION, thread_id="again", filter=PUBLIC)
    follow_up = hoptrail.ask("Where was she born?", thread_id="again", filter=PUBLIC)
    assert follow_up.standalone_question == "Where was Edda Thorn born?"
    open_again = hoptrail.ask("Where was she born?", thread_id="again")
    assert open_again.standalone_question == "Where was Edda Thorn born?"


def test_retriever_and_tools_are_bound_to_the_filter(hoptrail: Hoptrail) -> None:
    found = hoptrail.retriever("bm25", filter=PUBLIC).invoke("Zarkov Nightjar Edda Thorn")
    assert found
    assert leaks([document.page_content for document in found]) == []
    steps = ("read_chunks", "find_entities", "describe_graph")
    bound = hoptrail.tools(*steps, filter={"field": "level", "eq": "public"})
    tools = {tool.name: tool for tool in bound}
    (memo,) = hoptrail.retriever("bm25", k=1).invoke("Zarkov Nightjar")
    assert leaks(tools["read_chunks"].invoke({"chunk_ids": [memo.id]})) == []
    assert leaks(tools["find_entities"].invoke({"names": ["Zarkov"]})) == []
    assert leaks(tools["describe_graph"].invoke({})) == []


def test_a_retrieval_tells_its_filter(hoptrail: Hoptrail) -> None:
    found = hoptrail.retrieve(QUESTION, retriever="bm25", filter=["level=public", "source=t"])
    assert found["filter"] == {
        "and": [{"field": "level", "eq": "public"}, {"field": "source", "eq": "t"}]
    }
    assert hoptrail.retrieve(QUESTION, retriever="bm25")["filter"] is None


def test_a_filter_given_to_open_holds_until_a_question_gives_another(folder: Path) -> None:
    with Hoptrail.open(folder, settings=hashing_settings(), filter=PUBLIC) as bound:
        assert leaks(bound.context("Zarkov")) == []
        assert bound.retrieve("Zarkov", retriever="bm25")["passages"] == []
        assert leaks(bound.context("Zarkov founded what?", filter="")) != []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("level =", SettingsError),
        ({"field": "level"}, SettingsError),
        ("levle = public", UnknownNameError),
        ("level = none", InputError),
    ],
)
def test_a_filter_that_cannot_be_used_is_an_error(
    hoptrail: Hoptrail, given: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        hoptrail.ask(QUESTION, filter=given)


def test_info_tells_the_fields(hoptrail: Hoptrail) -> None:
    assert hoptrail.info(fields=True)["fields"]["level"]["values"] == ["public", "private"]
    assert "fields" not in hoptrail.info()
