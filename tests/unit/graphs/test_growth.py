"""Evidence that grows: what a further call reads, and when there is none."""

from pathlib import Path
from typing import Any

from hoptrail.core.settings import Settings
from hoptrail.graphs.qa import graph
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.ships import FACTS, QUESTION, ship_documents
from tests.unit.graphs.conftest import scripted

BEGUN = """HOPS:
HOP 1: Morning Tern | built at | Alder Yard | P1
HOP 2: Alder Yard | founded by | UNKNOWN | -
FINAL ANSWER: I don't know"""
DONE = """HOPS:
HOP 1: Morning Tern | built at | Alder Yard | P1
HOP 2: Alder Yard | founded by | Edda Thorn | P2
FINAL ANSWER: Edda Thorn"""
FIRST_PASSAGE_ALONE = 50


async def ask(**context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": "ships", "model": "scripted", "preset": "growth", **context}
    state: dict[str, Any] = await graph.ainvoke({"question": QUESTION}, context=chosen)
    return state


async def test_a_further_call_reads_what_is_established_and_new_passages(ships: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": [BEGUN, DONE]})

    state = await ask(compressed_budget=FIRST_PASSAGE_ALONE)

    first, second = ("\n".join(map(str, (m.content for m in c))) for c in answer_calls(model))
    assert FACTS["Alder Yard"] not in first
    assert "- Morning Tern | built at | Alder Yard | P1" in second
    assert "- Alder Yard | founded by | ?x1" in second
    assert FACTS["Morning Tern"] in second
    assert FACTS["Alder Yard"] in second
    assert (state["answer"]["answer"], state["answer"]["strategy"]) == ("Edda Thorn", "growth")


async def test_a_reply_that_may_be_replaced_is_told_as_a_draft_while_it_is_written(
    ships: str,
) -> None:
    scripted(by_role={"router": "bridge", "answerer": DONE})
    chosen: Any = {"knowledge_base": "ships", "model": "scripted", "preset": "growth"}

    stream = graph.astream({"question": QUESTION}, context=chosen, stream_mode="custom")
    told = [data["text"] async for data in stream if data["type"] == "draft"]

    *written, answer = told
    assert len(written) > 1
    assert all(DONE.startswith(text) for text in written)
    assert answer == "Edda Thorn"


async def test_a_long_draft_is_not_told_at_each_word(ships: str) -> None:
    long = "STEPS: " + "the Alder Yard is looked at again, " * 100 + DONE
    scripted(by_role={"router": "bridge", "answerer": long})
    chosen: Any = {"knowledge_base": "ships", "model": "scripted", "preset": "growth"}

    stream = graph.astream({"question": QUESTION}, context=chosen, stream_mode="custom")
    told = [data["text"] async for data in stream if data["type"] == "draft"]

    assert sum(map(len, told)) < 40 * len(long)


async def test_no_call_is_made_where_nothing_new_is_found(ships: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": BEGUN})

    state = await ask()

    assert len(answer_calls(model)) == 1
    assert state["answer"]["stop_reason"] == "nothing_new"


async def test_a_call_that_establishes_nothing_is_the_last(ships: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": BEGUN})

    state = await ask(compressed_budget=FIRST_PASSAGE_ALONE)

    assert len(answer_calls(model)) == 2
    assert state["answer"]["stop_reason"] == "nothing_new"


async def test_an_answer_of_another_kind_than_asked_is_asked_for_again(ships: str) -> None:
    other = """HOPS:
HOP 1: Morning Tern | built in | 1871 | P1
FINAL ANSWER: 1871"""
    model = scripted(by_role={"router": "bridge", "answerer": [other, DONE]})

    state = await ask(compressed_budget=FIRST_PASSAGE_ALONE)

    assert (state["answer"]["answer"], len(answer_calls(model))) == ("Edda Thorn", 2)


async def test_prompts_show_passages_without_lines_of_relations(ships: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": DONE})

    await ask()

    (call,) = answer_calls(model)
    assert "Passages:" in str(call[-1].content)
    assert "Relations:" not in str(call[-1].content)


async def test_an_answered_comparison_is_not_asked_again(ships: str) -> None:
    reply = "HOPS:\nHOP 1: Morning Tern | older than | Alder Yard | -\nFINAL ANSWER: yes"
    model = scripted(by_role={"router": "comparison", "answerer": reply})

    state = await ask(compressed_budget=FIRST_PASSAGE_ALONE)

    assert (state["answer"]["answer"], len(answer_calls(model))) == ("yes", 1)


def answer_calls(model: Any) -> list[Any]:
    return [call.messages for call in model.calls_of("answerer")]


async def test_a_graph_without_passages_is_read_by_its_relations(films: str) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": DONE})

    chosen = {"knowledge_base": films, "model": "scripted", "preset": "growth"}
    await graph.ainvoke({"question": "Who directed Red Fern?"}, context=chosen)

    first = "\n".join(map(str, (message.content for message in answer_calls(model)[0])))
    assert "Ida Holm" in first


async def test_the_first_call_reads_eight_passages_at_most(tmp_path: Path) -> None:
    model = scripted(by_role={"router": "bridge", "answerer": DONE})
    facts = {f"Tern {n}": f"The Tern {n} was a steamer of the Alder Yard." for n in range(12)}
    with KnowledgeBase.open(tmp_path, embedder=HashingEmbedder(), create=True) as kb:
        Indexer(kb, settings=Settings()).index(ship_documents(facts), IndexOptions(extractor="nlp"))
        register_knowledge_base("terns", kb, Settings(max_retries=0))
        await ask(knowledge_base="terns")
    forget_knowledge_base("terns")

    first = "\n".join(map(str, (message.content for message in answer_calls(model)[0])))
    assert "[P8]" in first
    assert "[P9]" not in first
