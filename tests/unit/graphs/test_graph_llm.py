"""The graph LLM as the one that answers: over a bare graph, a server's stand-in behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import ModelNotConfiguredError
from hoptrail.core.settings import Settings
from hoptrail.graphs.qa import graph
from hoptrail.models.chat import register_chat_model
from hoptrail.models.graph_llm.chat import ChatGraphLlama
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.fake_graph_llm import FakeGraphLlm, whole
from tests.unit.graphs.conftest import scripted

URL = "http://127.0.0.1:1/v1"
QUESTION = "Who are the starred actors of Red Fern?"


@pytest.fixture
def films_with_graph_llm(films_folder: Path) -> Iterator[str]:
    with KnowledgeBase.open(films_folder, embedder=HashingEmbedder()) as kb:
        register_knowledge_base("films-llm", kb, Settings(graph_llm=URL, max_retries=0))
        yield "films-llm"
    forget_knowledge_base("films-llm")


def graph_llm(*replies: str, error: Exception | None = None) -> FakeGraphLlm:
    """Let the name `graph_llm` stand for a model that gives these replies."""
    client = FakeGraphLlm([whole(reply) for reply in replies], error)
    register_chat_model("graph_llm", ChatGraphLlama(model=URL, client=client))
    return client


async def run(
    question: str = QUESTION, preset: str = "multistage", base: str = "films-llm", **context: Any
) -> dict[str, Any]:
    chosen: Any = {"knowledge_base": base, "preset": preset, **context}
    state = await graph.ainvoke({"question": question}, context=chosen)
    answer: dict[str, Any] = state["answer"]
    return answer


async def test_it_is_sent_the_question_and_the_subgraph_alone(films_with_graph_llm: str) -> None:
    client = graph_llm("Per Krogh")

    await run()

    [request] = client.requests
    assert request.messages == ({"role": "user", "content": QUESTION},)
    assert request.graph is not None
    assert ("Red Fern", "starred_actors", "Per Krogh") in request.graph.triples()
    assert request.options["temperature"] == 0


async def test_auto_asks_it_where_it_is_named_to_answer(films_with_graph_llm: str) -> None:
    client = graph_llm("Per Krogh")

    answer = await run(preset="auto", models={"answerer": "graph_llm"})

    assert len(client.requests) == 1
    assert (answer["answer"], answer["strategy"]) == ("Per Krogh", "graph_llm")


async def test_its_answers_are_entities_with_a_trail_each(films_with_graph_llm: str) -> None:
    graph_llm("Per Krogh; Ane Lund")

    answer = await run()

    assert (answer["answer"], answer["strategy"]) == ("Per Krogh; Ane Lund", "graph_llm")
    assert [(one["score"], bool(one["entity_id"])) for one in answer["answers"]] == [(1, True)] * 2
    assert [(hop["object"], hop["supported"]) for hop in answer["trail"]] == [
        ("Per Krogh", True),
        ("Ane Lund", True),
    ]
    assert answer["stop_reason"] == "answered"


async def test_what_it_took_is_counted(films_with_graph_llm: str) -> None:
    graph_llm("Per Krogh")

    usage = (await run())["usage"]

    assert (usage["llm_calls"], usage["prompt_tokens"], usage["completion_tokens"]) == (1, 12, 4)
    assert usage["by_node"]["answer"]["llm_calls"] == 1


async def test_an_answer_that_the_graph_lacks_is_not_verified(films_with_graph_llm: str) -> None:
    graph_llm("Ingmar Bergman; Per Krogh")

    answers = (await run())["answers"]

    assert [(one["text"], one["score"], one["entity_id"] is None) for one in answers] == [
        ("Per Krogh", 1, False),
        ("Ingmar Bergman", 0, True),
    ]


async def test_answers_that_nothing_bears_out_are_an_abstention(films_with_graph_llm: str) -> None:
    graph_llm("Ingmar Bergman")

    answer = await run()

    assert (answer["abstained"], answer["abstain_reason"]) == (True, "unverified")


@pytest.mark.parametrize("reply", ["", " \n", "I don't know", "none"])
async def test_no_answer_is_an_abstention(films_with_graph_llm: str, reply: str) -> None:
    client = graph_llm(reply)

    answer = await run()

    assert (answer["abstained"], answer["stop_reason"]) == (True, "abstained")
    assert len(client.requests) == 1


@pytest.mark.parametrize("preset", ["multistage", "dagr"])
async def test_one_that_is_down_leaves_the_answer_to_graph_search(
    films_with_graph_llm: str, preset: str
) -> None:
    graph_llm("", error=ConnectionError("refused"))

    answer = await run("Who directed Red Fern?", preset)

    assert (answer["answer"], answer["strategy"]) == ("Ida Holm", "graph_search")
    assert answer["stop_reason"] == "model_unavailable"


async def test_a_transient_failure_is_tried_again(films_folder: Path) -> None:
    client = FakeGraphLlm([(), whole("Per Krogh")])
    register_chat_model("graph_llm", ChatGraphLlama(model=URL, client=client))
    with KnowledgeBase.open(films_folder, embedder=HashingEmbedder()) as kb:
        register_knowledge_base("films-retry", kb, Settings(graph_llm=URL))
        answer = await run(base="films-retry")
    forget_knowledge_base("films-retry")

    assert answer["answer"] == "Per Krogh"
    assert answer["usage"]["llm_calls"] == 2


async def test_a_spent_budget_is_a_labelled_outcome(films_with_graph_llm: str) -> None:
    client = graph_llm("Per Krogh")

    answer = await run(max_tokens=0)

    assert answer["stop_reason"] == "budget_tokens"
    assert client.requests == []


async def test_another_model_that_is_named_answers_instead(films_with_graph_llm: str) -> None:
    client = graph_llm("Per Krogh")
    scripted(by_role={"answerer": "FINAL ANSWER: Ane Lund"})

    answer = await run(model="scripted")

    assert (answer["answer"], answer["strategy"]) == ("Ane Lund", "generic")
    assert client.requests == []


async def test_other_presets_are_as_they_were(films_with_graph_llm: str) -> None:
    client = graph_llm("Per Krogh")
    scripted(by_role={"router": "bridge", "answerer": "FINAL ANSWER: Ane Lund"})

    for preset in ("auto", "relation_path"):
        answer = await run(preset=preset, model="scripted")
        assert answer["strategy"] == "generic"
    assert (await run(preset="auto"))["preset"] == "offline"
    assert client.requests == []


async def test_any_preset_over_a_graph_can_be_told_to_ask_it(films_with_graph_llm: str) -> None:
    client = graph_llm("Per Krogh")

    answer = await run(preset="relation_path", models={"answerer": "graph_llm"})

    assert answer["strategy"] == "graph_llm"
    assert client.requests[0].graph is not None


async def test_an_abstention_is_not_asked_for_in_another_way(films_with_graph_llm: str) -> None:
    client = graph_llm("")
    scripted(by_role={"router": "bridge"})

    answer = await run(preset="reasoning", models={"answerer": "graph_llm", "router": "scripted"})

    assert answer["abstained"]
    assert len(client.requests) == 1


async def test_without_a_graph_it_is_a_chat_model_like_any_other(
    films_with_graph_llm: str,
) -> None:
    client = graph_llm("FINAL ANSWER: Per Krogh")

    answer = await run(preset="closed_book", models={"answerer": "graph_llm"})

    assert (answer["answer"], answer["strategy"]) == ("Per Krogh", "closed_book")
    assert client.requests[0].graph is None


async def test_sub_questions_go_to_it_where_it_is_the_solver(films_with_graph_llm: str) -> None:
    client = graph_llm("Per Krogh", "Blue Moss")
    steps = ["Who are the starred actors of Red Fern?", "Which film was directed by [1]?"]
    scripted(by_role={"decomposer": {"sub_questions": steps}})

    answer = await run(
        "Which film was directed by an actor of Red Fern?",
        "dagr",
        models={"decomposer": "scripted", "solver": "graph_llm"},
    )

    assert answer["answer"] == "Blue Moss"
    assert [request.messages[0]["content"] for request in client.requests] == [
        steps[0],
        "Which film was directed by an actor of Red Fern?",
    ]
    assert all(request.graph is not None for request in client.requests)


async def test_where_none_is_set_its_name_is_a_clear_error(films: str) -> None:
    with pytest.raises(ModelNotConfiguredError, match="HOPTRAIL_GRAPH_LLM"):
        await run(base="films", models={"answerer": "graph_llm"})


@pytest.mark.parametrize("name", ["/checkpoints/webqsp", "http://127.0.0.1:9/v1"])
async def test_a_client_can_name_it_but_no_path_or_address(
    films_with_graph_llm: str, name: str
) -> None:
    with pytest.raises(Exception, match="is not listed here"):
        await run(models={"answerer": name})
