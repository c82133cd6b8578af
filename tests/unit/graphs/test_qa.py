import re
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from hoptrail.core.errors import InputError, ModelNotConfiguredError, SettingsError
from hoptrail.graphs.presets import PRESETS
from hoptrail.graphs.qa import build_qa, graph
from tests.ships import FACTS, QUESTION, REPLY
from tests.unit.graphs.conftest import retrieved, scripted

OPEN_REPLY = """QUERY:
"Morning Tern" built at ?yard
?yard founded by ?founder
TRACE:
?yard = Alder Yard | P1
?founder = UNRESOLVED
FINAL ANSWER: I don't know"""
UNKNOWN = "FINAL ANSWER: I don't know"


async def run(question: str = QUESTION, **context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": "ships", **context}
    state = await graph.ainvoke({"question": question}, context=chosen)
    answer: dict[str, Any] = state["answer"]
    return answer


async def test_offline_answers_a_two_hop_question_with_a_checked_trail(ships: str) -> None:
    answer = await run(preset="offline")

    assert answer["answer"] == "Edda Thorn"
    assert [hop["supported"] for hop in answer["trail"]] == [True, True]
    assert answer["usage"]["llm_calls"] == 0


async def test_auto_routes_answers_and_cites(ships: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": REPLY})

    answer = await run(model="scripted")

    assert (answer["answer"], answer["strategy"], answer["preset"]) == (
        "Edda Thorn",
        "sparql",
        "growth",
    )
    assert "founded by Edda Thorn" in answer["citations"][-1]["quote"]
    assert answer["usage"]["llm_calls"] == len(model.calls) == 2


async def test_abstention_is_retried_with_the_other_strategy(ships: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": [UNKNOWN, REPLY]})

    answer = await run(model="scripted", preset="reasoning")

    assert (answer["answer"], answer["strategy"]) == ("Edda Thorn", "generic")


async def test_open_variable_leads_to_a_targeted_retrieval(ships: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": [OPEN_REPLY, UNKNOWN, REPLY]})

    answer = await run(model="scripted", preset="reasoning")

    assert answer["answer"] == "Edda Thorn"
    assert "retarget" in answer["usage"]["by_node"]
    assert len(model.calls_of("answerer")) == 3


async def test_lasting_abstention_says_why(ships: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": OPEN_REPLY})

    answer = await run(model="scripted", preset="reasoning")

    assert answer["abstained"]
    assert (answer["abstain_reason"], answer["stop_reason"]) == ("unresolved_variable", "abstained")


async def test_the_vector_baseline_tries_no_other_strategy(ships: str) -> None:
    model = scripted(by_role={"answerer": UNKNOWN})

    answer = await run(model="scripted", preset="vector")

    assert (answer["abstained"], answer["strategy"]) == (True, "plain")
    assert len(model.calls) == 1


async def test_orders_in_a_document_do_not_pass_verification(ships: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": "FINAL ANSWER: HACKED"})

    answer = await run(model="scripted")

    assert answer["abstained"]
    assert answer["abstain_reason"] == "unverified"


async def test_model_that_is_down_leaves_the_answer_to_graph_search(ships: str) -> None:
    scripted(by_role={"router": TimeoutError(), "answerer": TimeoutError()})

    answer = await run(model="scripted")

    assert (answer["answer"], answer["strategy"]) == ("Edda Thorn", "graph_search")
    assert answer["stop_reason"] == "model_unavailable"
    assert answer["degraded"][:2] == ["route", "answer"]
    assert ["no reply in time" in line for line in answer["degraded"][2:]] == [True]


async def test_spent_call_budget_is_a_labelled_outcome(ships: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": OPEN_REPLY})

    answer = await run(model="scripted", max_model_calls=2)

    assert answer["stop_reason"] == "budget_calls"
    assert answer["usage"]["llm_calls"] == 2


async def test_question_in_an_unknown_script_abstains(ships: str) -> None:
    answer = await run("谁创立了这个船厂？", preset="offline")

    assert answer["abstained"]


async def test_second_turn_is_made_standalone_and_accounts_for_itself_alone(ships: str) -> None:
    scripted(
        by_role={
            "router": "bridge",
            "answerer": REPLY,
            "decomposer": {"question": "Where was Edda Thorn born?"},
        }
    )
    compiled = build_qa().compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    context: Any = {"knowledge_base": "ships", "model": "scripted"}
    await compiled.ainvoke({"messages": [HumanMessage(QUESTION)]}, config, context=context)

    state = await compiled.ainvoke(
        {"messages": [HumanMessage("Where was she born?")]}, config, context=context
    )

    assert state["answer"]["standalone_question"] == "Where was Edda Thorn born?"
    assert state["answer"]["usage"]["llm_calls"] == 3
    assert [message.type for message in state["messages"]] == ["human", "ai", "human", "ai"]


async def test_thanks_get_one_line_and_no_call_or_search(ships: str) -> None:
    script = scripted(replies=[])
    answer = await run("Thank you!")
    assert (answer["answer"], answer["abstained"], answer["trail"]) == ("Glad to help.", True, [])
    assert set(answer["usage"]["by_node"]) <= {"contextualize", "finalize"}
    assert script.calls == []


async def test_messages_mode_streams_the_final_answer_alone(ships: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": REPLY})
    context: Any = {"knowledge_base": "ships", "model": "scripted"}

    stream = graph.astream({"question": QUESTION}, context=context, stream_mode="messages")
    texts = [message.text async for message, _ in stream if isinstance(message, AIMessage)]

    assert "".join(texts) == "Edda Thorn"


async def test_state_holds_references_instead_of_texts(ships: str) -> None:
    context: Any = {"knowledge_base": "ships", "preset": "offline"}

    held = (await retrieved(QUESTION, context))["chunks"]

    assert len(held) == 4
    assert not any(text in str(held) for text in FACTS.values())


async def test_of_the_evidence_the_state_keeps_what_the_answer_shows(ships: str) -> None:
    context: Any = {"knowledge_base": "ships", "preset": "offline"}

    state = await graph.ainvoke({"question": QUESTION}, context=context)

    answer, kept = state["answer"], state["retrieved"]
    shown = {one["chunk_id"] for one in (*answer["citations"], *answer["nearest"])}
    assert {hit[0] for hit in kept["chunks"]} == shown
    assert {hit[0] for hit in kept["relations"]} == {hop["relation_id"] for hop in answer["trail"]}
    assert {hit[0] for hit in kept["entities"]} == {answer["answers"][0]["entity_id"]}
    assert state["evidence"] == {}


async def test_evidence_that_was_not_compressed_is_held_once(ships: str) -> None:
    context: Any = {"knowledge_base": "ships", "preset": "offline"}
    stream = graph.astream({"question": QUESTION}, context=context, stream_mode="updates")

    updates = {node: written async for update in stream for node, written in update.items()}

    assert updates["retrieve"]["retrieved"]["chunks"]
    assert updates["retrieve"]["evidence"] == updates["compress"]["evidence"] == {}


@pytest.mark.parametrize(
    # Without a model `auto` is `offline`.
    "preset",
    sorted(name for name, one in PRESETS.items() if one.needs_model and name != "auto"),
)
async def test_without_a_model_a_preset_that_needs_one_shows_the_nearest_passages(
    ships: str, preset: str
) -> None:
    answer = await run(preset=preset)

    assert answer["abstained"]
    assert (answer["abstain_reason"], answer["stop_reason"]) == ("no_model", "model_unavailable")
    assert "no language model is set; these passages are the nearest" in answer["answer"]
    assert "HOPTRAIL_MODEL" in answer["answer"]
    assert any("Edda Thorn" in passage["sentence"] for passage in answer["nearest"])
    assert answer["trail"] == []


async def test_a_role_without_a_model_is_an_error(ships: str) -> None:
    scripted(by_role={"answerer": REPLY})
    with pytest.raises(ModelNotConfiguredError, match="decomposer"):
        await run(preset="dagr", models={"answerer": "scripted"})


async def test_model_that_nobody_listed_is_refused(ships: str) -> None:
    with pytest.raises(SettingsError, match="not listed"):
        await run(model="openai:somebody-elses")


@pytest.mark.parametrize("question", ["", " \n", "?!", "x" * 100_000])
async def test_unusable_question_is_a_clear_error(ships: str, question: str) -> None:
    with pytest.raises(InputError, match="question"):
        await run(question)


async def test_tries_that_nobody_answered_are_no_spent_budget(ships: str) -> None:
    scripted(by_role={"router": TimeoutError(), "answerer": TimeoutError()})

    answer = await run(model="scripted", max_model_calls=1)

    assert (answer["usage"]["llm_calls"], answer["stop_reason"]) == (1, "model_unavailable")


async def test_a_closed_book_answers_from_memory_without_reading(ships: str) -> None:
    model = scripted(by_role={"answerer": "FINAL ANSWER: Ada"})

    answer = await run(model="scripted", preset="closed_book")

    assert (answer["answer"], answer["strategy"], answer["citations"]) == ("Ada", "closed_book", [])
    assert "passage" not in model.calls[0].text


async def test_the_full_context_holds_every_passage(ships: str) -> None:
    model = scripted(by_role={"answerer": REPLY})

    answer = await run(model="scripted", preset="full_context")

    assert answer["answer"] == "Edda Thorn"
    assert all(text in model.calls[0].text for text in FACTS.values())


SUB_QUESTIONS = ["Which yard built the Morning Tern?", "Who founded #1?"]
BY_STEP: dict[str, Any] = {
    "model": "scripted",
    "preset": "dagr",
    "retriever": "vector",
    "k": 1,
    "budget": 60,
}


async def test_sub_questions_are_asked_in_turn_and_the_evidence_of_all_is_read(ships: str) -> None:
    model = scripted(
        by_role={
            "decomposer": {"sub_questions": SUB_QUESTIONS},
            "solver": "FINAL ANSWER: Alder Yard",
            "answerer": REPLY,
        }
    )

    context = {"knowledge_base": ships, **BY_STEP}
    state = await graph.ainvoke({"question": QUESTION}, context=context)

    asked = [one["question"] for one in state["steps"]]
    assert asked == [SUB_QUESTIONS[0], "Who founded Alder Yard?"]
    assert state["answer"]["answer"] == "Edda Thorn"
    assert [call.role for call in model.calls] == ["decomposer", "solver", "answerer"]
    of_steps = {hit[0] for one in state["steps"] for hit in one["evidence"]["chunks"]}
    found = await retrieved(QUESTION, context)
    assert {hit[0] for hit in found["chunks"]} == of_steps
    assert len(of_steps) > 1


async def test_a_spent_budget_leaves_the_steps_to_graph_search(ships: str) -> None:
    scripted(by_role={"decomposer": {"sub_questions": SUB_QUESTIONS}})

    answer = await run(**BY_STEP, max_model_calls=1)

    assert answer["stop_reason"] == "budget_calls"
    assert answer["usage"]["llm_calls"] == 1


async def test_keywords_of_both_levels_reach_the_retrieval(ships: str) -> None:
    model = scripted(
        by_role={
            "decomposer": {"entities": ["Alder Yard"], "themes": ["founding"]},
            "answerer": REPLY,
        }
    )
    context = {
        "knowledge_base": ships,
        "model": "scripted",
        "preset": "lightrag",
        "retriever": "ket",
    }

    state = await graph.ainvoke({"question": "Who founded the yard?"}, context=context)

    assert state["keywords"] == {"entities": ["Alder Yard"], "keywords": ["founding"]}
    assert [call.role for call in model.calls] == ["decomposer", "answerer"]


SPAN = {"spans": [{"text": "Morning Tern", "guess": "A ship."}]}
TWO_SPANS = {"spans": [{"text": "Morning Tern"}, {"text": "yard"}], "topics": ["founding"]}


def judge_all(verdict: str, next_question: str = "") -> Callable[[list[BaseMessage]], Any]:
    """Return a judge that gives every path of a prompt the same verdict."""

    def reply(messages: list[BaseMessage]) -> Any:
        numbers = re.findall(r"^\[(\d+)\]", messages[-1].text, re.MULTILINE)
        return {
            "verdicts": [
                {"path": int(number), "verdict": verdict, "next_question": next_question}
                for number in numbers
            ]
        }

    return reply


async def run_search(ships: str, judge: Any, concepts: Any = SPAN, **choices: Any) -> Any:
    scripted(
        by_pattern={
            "choose where a search": concepts,
            "A search starts at one concept": {"terminal": "a founder"},
            "judge paths": judge,
            "has not found": {"query": "founder of the yard"},
            "HOP 1": REPLY,
        }
    )
    context = {"knowledge_base": ships, "model": "scripted", "preset": "dotrag", **choices}
    return await graph.ainvoke({"question": QUESTION}, context=context)


async def test_a_search_keeps_judged_paths_and_answers_from_them(ships: str) -> None:
    state = await run_search(ships, judge_all("complete"))

    [dot] = state["dots"]
    assert dot["concept"]["text"] == "Morning Tern"
    assert {path[-1] for path in dot["paths"]} == {"complete"}
    assert state["retrieved"]["paths"]
    assert state["answer"]["answer"] == "Edda Thorn"


async def test_partial_paths_ask_the_next_rounds_query(ships: str) -> None:
    state = await run_search(ships, judge_all("partial", "Who founded it?"))

    asked = [one["queries"] for one in state["dots"][0]["rounds"]]
    assert asked[:2] == [[QUESTION], ["Who founded it?"]]


async def test_rejected_paths_lead_to_one_new_query_and_are_not_read(ships: str) -> None:
    state = await run_search(ships, judge_all("irrelevant"), search_rounds=2)

    [dot] = state["dots"]
    assert [one["queries"] for one in dot["rounds"]] == [[QUESTION], ["founder of the yard"]]
    assert dot["paths"] == state["retrieved"]["paths"] == []


async def test_every_concept_is_a_branch_and_each_call_is_accounted_for(ships: str) -> None:
    state = await run_search(ships, judge_all("complete"), {**TWO_SPANS, "needs_topics": True})

    concepts = {dot["concept"]["text"] for dot in state["dots"]}
    calls = state["answer"]["usage"]["by_node"]
    assert {"Morning Tern", "founding"} <= concepts
    assert calls["constrain"]["llm_calls"] == len(state["dots"])


async def test_branches_share_what_is_left_of_the_budget(ships: str) -> None:
    state = await run_search(
        ships, judge_all("complete"), {**TWO_SPANS, "needs_topics": True}, max_model_calls=4
    )

    assert state["answer"]["usage"]["llm_calls"] <= 4
    assert state["answer"]["stop_reason"] == "answered"


async def test_a_second_turn_forgets_the_searches_of_the_first(ships: str) -> None:
    scripted(by_role={"decomposer": SPAN, "judge": judge_all("complete"), "answerer": REPLY})
    threads = build_qa().compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    context: Any = {"knowledge_base": ships, "model": "scripted", "preset": "dotrag"}

    await threads.ainvoke({"question": QUESTION}, config, context=context)
    state = await threads.ainvoke({"question": QUESTION}, config, context=context)

    assert len(state["dots"]) == 1


async def test_a_graph_without_passages_answers_with_the_whole_set(films: str) -> None:
    answer = await run("who are the starred actors of Red Fern", knowledge_base=films)

    assert {one["text"] for one in answer["answers"]} == {"Ane Lund", "Per Krogh"}
    assert all(hop["supported"] and hop["chunk_id"] is None for hop in answer["trail"])
