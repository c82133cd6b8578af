"""Questions about the whole: reports selected, mapped in branches, reduced; and without a model."""

import re
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from hoptrail.agents.answering.abstention import NOT_FROM_REPORTS
from hoptrail.core.errors import ModelReplyError
from hoptrail.graphs.qa import build_gathering, graph
from tests.ships import QUESTION as TWO_HOPS
from tests.ships import REPLY
from tests.unit.graphs.conftest import retrieved, scripted

QUESTION = "What are the main themes of the collection?"
REDUCED = "FINAL ANSWER: Ships and yards [reports: 1].\n\nThose who build them [reports: 2]."
TWO_BATCHES: dict[str, Any] = {"level": 0, "prefilter": False, "budget": 60}
UNKNOWN = "FINAL ANSWER: I don't know"


def helpful(messages: list[BaseMessage]) -> Any:
    """Return a point for each report of a batch."""
    numbers = re.findall(r"^\[(\d+)\]", messages[-1].text, re.MULTILINE)
    return {"points": [{"text": f"Point {n}.", "helpfulness": 80, "reports": [n]} for n in numbers]}


async def ask(knowledge_base: str, question: str = QUESTION, **context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": knowledge_base, "model": "scripted", **context}
    state: dict[str, Any] = await graph.ainvoke({"question": question}, context=chosen)
    return state


async def test_every_batch_is_a_call_and_every_reference_resolves_to_a_passage(
    reported: str,
) -> None:
    model = scripted(by_role={"reporter": helpful, "answerer": REDUCED})

    answer = (await ask(reported, preset="graphrag", **TWO_BATCHES))["answer"]

    assert [call.role for call in model.calls] == ["reporter", "reporter", "answerer"]
    assert (answer["strategy"], answer["stop_reason"]) == ("map_reduce", "answered")
    assert [report["number"] for report in answer["reports"]] == [1, 2]
    hops = {hop["hop"]: hop for hop in answer["trail"]}
    assert all(hops[hop]["quote"] for report in answer["reports"] for hop in report["hops"])
    # The second finding has two sentences, and its quote states one of them.
    assert [hop["support"] for hop in answer["trail"]] == ["stated", "partly"]
    assert [one["quote"] for one in answer["citations"]] == [answer["trail"][0]["quote"]]


async def test_auto_takes_a_question_about_the_whole_to_the_reports(reported: str) -> None:
    scripted(by_role={"reporter": helpful, "answerer": REDUCED})

    answer = (await ask(reported))["answer"]

    assert (answer["question_type"], answer["preset"]) == ("global", "graphrag")


async def test_auto_takes_other_questions_where_it_did_before(reported: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": REPLY})

    answer = (await ask(reported, TWO_HOPS))["answer"]

    assert (answer["preset"], answer["answer"]) == ("growth", "Edda Thorn")


async def test_without_reports_auto_answers_as_any_inference_and_names_the_command(
    ships: str,
) -> None:
    scripted(by_role={"answerer": REPLY})

    answer = (await ask(ships))["answer"]

    assert (answer["preset"], answer["strategy"]) == ("growth", "generic")
    assert any("hoptrail communities" in line for line in answer["degraded"])


async def test_without_reports_an_abstention_about_the_whole_names_the_command(ships: str) -> None:
    scripted(by_role={"answerer": UNKNOWN})

    answer = (await ask(ships))["answer"]

    assert answer["abstained"]
    assert "hoptrail communities" in answer["answer"]
    assert answer["degraded"] == []


async def test_a_preset_of_reports_without_any_tells_so_and_searches_locally(ships: str) -> None:
    scripted(by_role={"answerer": REPLY})

    state = await ask(ships, TWO_HOPS, preset="graphrag")

    answer = state["answer"]
    assert (answer["answer"], answer["strategy"]) == ("Edda Thorn", "generic")
    assert state["retrieved"]["chunks"]
    assert any("hoptrail communities" in line for line in answer["degraded"])


async def test_a_preset_of_reports_tells_that_they_did_not_answer(reported: str) -> None:
    scripted(by_role={"reporter": {"points": []}, "answerer": REPLY})

    answer = (await ask(reported, TWO_HOPS, preset="graphrag", **TWO_BATCHES))["answer"]

    assert (answer["answer"], answer["strategy"]) == ("Edda Thorn", "generic")
    assert NOT_FROM_REPORTS in answer["degraded"]


async def test_a_question_that_looks_something_up_needs_no_reports(ships: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": UNKNOWN})

    assert "communities" not in (await ask(ships, TWO_HOPS))["answer"]["answer"]


async def test_reports_that_leave_it_open_are_followed_by_a_local_search(reported: str) -> None:
    def reply(messages: list[BaseMessage]) -> str:
        return UNKNOWN if "<reports>" in messages[-1].text else REPLY

    scripted(by_role={"answerer": reply})

    state = await ask(reported, TWO_HOPS, preset="graphrag")

    assert (state["answer"]["strategy"], state["answer"]["answer"]) == ("generic", "Edda Thorn")


async def test_the_local_search_reads_reports_beside_passages(reported: str) -> None:
    model = scripted(by_role={"answerer": REPLY})

    state = await ask(reported, TWO_HOPS, preset="graphrag_local")

    assert state["answer"]["answer"] == "Edda Thorn"
    local: Any = {"knowledge_base": reported, "preset": "graphrag_local", "model": "scripted"}
    assert (await retrieved(TWO_HOPS, local))["reports"]
    assert "The engineer" in model.calls[0].text


@pytest.mark.parametrize(("level", "titles"), [(0, "Those who build ships"), (1, "The engineer")])
async def test_the_level_chooses_the_reports(reported: str, level: int, titles: str) -> None:
    model = scripted(by_role={"reporter": helpful, "answerer": REDUCED})

    await ask(reported, preset="graphrag", level=level, prefilter=False)

    assert titles in model.calls_of("answerer")[0].text


async def test_where_one_call_can_read_all_reports_it_answers(reported: str) -> None:
    model = scripted(by_role={"answerer": REDUCED})

    answer = (await ask(reported, preset="graphrag", level=0, prefilter=False))["answer"]

    assert [call.role for call in model.calls] == ["answerer"]
    assert "<reports>" in model.calls[0].text
    assert answer["strategy"] == "map_reduce"
    assert [report["number"] for report in answer["reports"]] == [1, 2]
    assert answer["degraded"] == []


@pytest.mark.parametrize("bad", ["", "As an AI I cannot answer this.", TimeoutError()])
async def test_a_bad_reply_to_all_reports_leaves_their_findings(reported: str, bad: Any) -> None:
    scripted(by_role={"answerer": bad})

    answer = (await ask(reported, preset="graphrag", level=0, prefilter=False))["answer"]

    assert answer["strategy"] == "extractive"
    assert "reduce" in answer["degraded"]
    assert answer["citations"]


@pytest.mark.parametrize(
    "bad", ["no JSON", {"points": "none"}, "", ModelReplyError("refused"), "x" * 50_000]
)
async def test_a_bad_reply_to_one_batch_costs_no_other(reported: str, bad: Any) -> None:
    scripted(
        by_pattern={"Ships and their yards": bad, "Those who build ships": helpful},
        by_role={"answerer": REDUCED},
    )

    answer = (await ask(reported, preset="graphrag", **TWO_BATCHES))["answer"]

    assert not answer["abstained"]
    assert answer["stop_reason"] == "answered"


@pytest.mark.parametrize("bad", ["", "FINAL ANSWER:", "As an AI I cannot answer this."])
async def test_a_bad_reduction_leaves_the_partial_answers(reported: str, bad: str) -> None:
    scripted(by_role={"reporter": helpful, "answerer": bad})

    answer = (await ask(reported, preset="graphrag", **TWO_BATCHES))["answer"]

    assert answer["strategy"] == "extractive"
    assert "reduce" in answer["degraded"]
    assert "Point 1." in answer["answer"]


async def test_a_model_that_is_down_leaves_the_reports_own_findings(reported: str) -> None:
    scripted(by_role={"reporter": TimeoutError(), "answerer": TimeoutError()})

    answer = (await ask(reported, preset="graphrag", **TWO_BATCHES))["answer"]

    assert (answer["strategy"], answer["stop_reason"]) == ("extractive", "model_unavailable")
    assert answer["degraded"][:2] == ["map_communities", "reduce"]
    assert ["no reply in time" in line for line in answer["degraded"][2:]] == [True]
    assert answer["citations"]


async def test_branches_share_the_calls_that_are_left(reported: str) -> None:
    scripted(by_role={"reporter": "no JSON", "answerer": REDUCED})

    answer = (await ask(reported, preset="graphrag", **TWO_BATCHES, max_model_calls=3))["answer"]

    assert answer["usage"]["by_node"]["map_communities"]["llm_calls"] == 2
    assert answer["usage"]["llm_calls"] == 3
    assert not answer["abstained"]


async def test_batches_are_read_at_the_same_time(reported: str) -> None:
    scripted(by_role={"reporter": helpful, "answerer": REDUCED})
    context: Any = {"knowledge_base": reported, "model": "scripted", **TWO_BATCHES}

    order = []
    async for event in graph.astream({"question": QUESTION}, context=context, stream_mode="tasks"):
        if event["name"] == "map_communities":
            order.append("end" if "result" in event else "begin")

    assert order == ["begin", "begin", "end", "end"]


async def test_no_more_batches_are_dealt_out_than_can_be_paid_for(reported: str) -> None:
    scripted(by_role={"reporter": helpful, "answerer": REDUCED})

    state = await ask(reported, preset="graphrag", **TWO_BATCHES, max_model_calls=2)

    assert [batch["numbers"] for batch in state["batches"]] == [[1]]


async def test_only_the_reduced_answer_is_streamed(reported: str) -> None:
    scripted(by_role={"reporter": helpful, "answerer": REDUCED})
    context: Any = {"knowledge_base": reported, "model": "scripted", **TWO_BATCHES}

    stream = graph.astream({"question": QUESTION}, context=context, stream_mode="messages")
    texts = [message.text async for message, _ in stream if isinstance(message, AIMessage)]

    assert "".join(texts) == REDUCED.removeprefix("FINAL ANSWER: ")
    assert len(texts) > 2


async def test_without_a_model_reports_answer_with_passages(reported: str) -> None:
    answer = (await ask(reported, preset="offline"))["answer"]

    assert (answer["strategy"], answer["usage"]["llm_calls"]) == ("extractive", 0)
    assert answer["reports"]
    assert answer["citations"]


async def test_the_selected_reports_are_the_evidence(reported: str) -> None:
    scripted()
    context: Any = {"knowledge_base": reported, "preset": "graphrag", "model": "scripted"}

    state = await build_gathering().compile().ainvoke({"question": QUESTION}, context=context)

    assert state["retrieved"]["reports"]
