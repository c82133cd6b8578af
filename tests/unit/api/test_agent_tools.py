import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from hoptrail import Hoptrail
from hoptrail.api.agent_texts import LONGEST_RESULT
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Answer, Document
from hoptrail.testing.scripted import ScriptedChatModel
from tests.ships import QUESTION, hashing_settings, ship_documents

LONG = "Longest Log"
HUB = "Port Selwick"
Tools = dict[str, BaseTool]


@pytest.fixture
def tools(hoptrail: Hoptrail) -> Tools:
    return {tool.name: tool for tool in hoptrail.tools()}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hoptrail]:
    """A base with a long document and an entity of many relations."""
    log = " ".join(
        f"On day {day} the Morning Tern met ship {day} off the cape." for day in range(900)
    )
    sailors = [f"Captain Ole{'abcdefghij'[n % 10]}{n} was born in {HUB}." for n in range(150)]
    documents = [
        *ship_documents(),
        Document("t/log.txt", LONG, log, "t"),
        Document("t/sailors.txt", "Sailors", "\n\n".join(sailors), "t"),
    ]
    folder = tmp_path_factory.mktemp("large")
    settings = hashing_settings()
    with Hoptrail.open(folder, create=True, settings=settings, preset="offline") as opened:
        opened.index(documents, extractor="nlp")
        yield opened


def call(tool: BaseTool, **arguments: Any) -> ToolMessage:
    message = tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": arguments})
    assert isinstance(message, ToolMessage)
    return message


def test_a_model_gets_four_tools_whose_schema_is_short(hoptrail: Hoptrail) -> None:
    tools = hoptrail.tools()

    assert [tool.name for tool in tools] == ["ask", "search", "explore", "read"]
    schema = [(tool.description, tool.tool_call_schema.model_json_schema()) for tool in tools]  # type: ignore[union-attr]
    assert len(json.dumps(schema)) < 4_000


def test_the_steps_of_the_graph_are_there_by_name(hoptrail: Hoptrail) -> None:
    tools = hoptrail.tools("retrieve_ppr", "read")

    assert [tool.name for tool in tools] == ["retrieve_ppr", "read"]


def test_a_tool_that_is_not_there_is_named(hoptrail: Hoptrail) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'retrieve_ppr'"):
        hoptrail.tools("retrieve_pr")


def test_a_prefix_tells_the_tools_of_two_bases_apart(hoptrail: Hoptrail) -> None:
    tools = hoptrail.tools(prefix="ships")

    assert [tool.name for tool in tools][:2] == ["ships_ask", "ships_search"]
    assert "ships_read" in tools[1].description
    assert "the documents 'ships'" in tools[1].description


def test_what_is_hidden_stands_in_no_description(hoptrail: Hoptrail) -> None:
    subject = hoptrail.stored.description.split(".")[0]
    assert subject in hoptrail.tools()[0].description

    filtered = hoptrail.tools(filter={"field": "source", "eq": "none"})
    assert not [tool.name for tool in filtered if subject in tool.description]


def test_a_prefix_that_no_model_would_accept_is_refused(hoptrail: Hoptrail) -> None:
    with pytest.raises(InputError, match="cannot begin the name of a tool"):
        hoptrail.tools(prefix="my ships")


def test_ask_gives_the_answer_with_the_place_of_each_quote(tools: Tools) -> None:
    said = call(tools["ask"], question=QUESTION)

    assert said.text.startswith("Edda Thorn\n")
    assert isinstance(said.artifact, Answer)
    for hop in said.artifact.trail.hops:
        assert f"{hop.doc_id} {hop.start}-{hop.end}" in said.text
        assert f"passage {hop.chunk_id}" in said.text


def test_a_question_alone_is_a_call(tools: Tools) -> None:
    assert "Edda Thorn" in tools["ask"].invoke(QUESTION)


def test_an_abstention_names_passages_to_read(tools: Tools) -> None:
    said = call(tools["ask"], question="Which composer lived in Alder Yard's attic in 1950?")

    assert said.artifact.abstained
    assert said.artifact.nearest[0].chunk_id in said.text


def test_what_search_found_can_be_read_by_its_id(tools: Tools) -> None:
    found = call(tools["search"], query="Alder Yard", k=1)
    chunk_id = found.artifact["passages"][0]["chunk_id"]

    assert f"passage {chunk_id}" in found.text
    assert "founded by Edda Thorn" in call(tools["read"], source=chunk_id).text


@pytest.mark.parametrize("source", ["t/Edda Thorn", "edda thorn", "Edda Th"])
def test_a_document_is_read_by_id_title_or_a_part_of_them(tools: Tools, source: str) -> None:
    assert "born in Brackenholm" in call(tools["read"], source=source).text


def test_a_name_of_several_documents_lists_them(tools: Tools) -> None:
    said = call(tools["read"], source="t/")

    assert said.status == "error"
    assert "t/Alder Yard, t/Edda Thorn, t/Morning Tern" in said.text


def test_explore_leads_from_an_entity_to_the_next(tools: Tools) -> None:
    said = call(tools["explore"], entity="Morning Tern")
    [yard] = {one["target"] for one in said.artifact["relations"] if one["object"] == "Alder Yard"}

    assert f"Alder Yard (entity {yard})" in said.text
    assert "Edda Thorn" in call(tools["explore"], entity=yard).text


def test_a_relation_about_what_is_looked_for_comes_first(large: Hoptrail) -> None:
    [explore] = large.tools("explore")
    lines = call(explore, entity=HUB, about="Olea120").text.splitlines()

    assert "Olea120" in next(line for line in lines if line.startswith("- "))


def test_a_name_that_several_entities_share_is_asked_back(large: Hoptrail) -> None:
    [explore] = large.tools("explore")
    said = call(explore, entity="Captain Olea")

    assert "may mean several" in said.text
    assert said.artifact["entities"][0]["id"] in said.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": "Morning Tern", "k": 20}),
        ("explore", {"entity": HUB}),
        ("read", {"source": LONG}),
        ("ask", {"question": QUESTION}),
    ],
)
def test_a_result_is_within_its_tokens(large: Hoptrail, name: str, arguments: Any) -> None:
    [tool] = large.tools(name)

    assert estimate_tokens(call(tool, **arguments).text) <= LONGEST_RESULT


def test_a_long_document_is_read_to_its_end_without_a_gap(large: Hoptrail) -> None:
    [read] = large.tools("read")
    text, start = "", 0
    while start is not None:
        said = call(read, source=LONG, start=start).text
        page = said.partition("\n\n")[2].partition("\n\nIt goes on")[0]
        text, start = text + page, start + len(page) if "It goes on" in said else None  # type: ignore[assignment]

    assert text == large.document("t/log.txt")["text"]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("ask", {"question": " "}, "the question is empty"),
        ("search", {"query": "x", "k": 99}, "k: Input should be less than or equal to 20"),
        ("explore", {"entity": "Zeppelin"}, "unknown entity 'Zeppelin'"),
        ("read", {"source": "nothing.md"}, "search for it, and take an id from there"),
        ("read", {"source": "t/Edda Thorn", "start": 9_000}, "characters"),
    ],
)
def test_a_mistake_in_a_call_is_told_to_the_model(
    tools: Tools, name: str, arguments: Any, told: str
) -> None:
    said = call(tools[name], **arguments)

    assert said.status == "error"
    assert told in said.text


def test_a_mistake_in_a_call_of_a_single_step_is_told_to_the_model(hoptrail: Hoptrail) -> None:
    (tool,) = hoptrail.tools("retrieve_ket")

    assert tool.invoke({"question": " "}).startswith("error: ")
    assert tool.invoke({"question": QUESTION, "k": 0}).startswith("error: k: ")
    assert "Alder Yard" in tool.invoke({"question": QUESTION})


def test_a_filter_holds_for_all_four(hoptrail: Hoptrail) -> None:
    tools = {tool.name: tool for tool in hoptrail.tools(filter='title = "Morning Tern"')}

    assert call(tools["ask"], question="Where was Edda Thorn born?").artifact.abstained
    assert "Brackenholm" not in call(tools["search"], query="Edda Thorn").text
    assert call(tools["explore"], entity="Edda Thorn").status == "error"
    assert call(tools["read"], source="t/Edda Thorn").status == "error"


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_agent_asks_twice_at_once_and_keeps_its_own_thread_clean(
    hoptrail: Hoptrail, is_async: bool
) -> None:
    questions = [QUESTION, "Where was Edda Thorn born?"]
    calls: Any = [{"name": "ask", "args": {"question": one}, "id": one} for one in questions]
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=calls), AIMessage("done")])
    saver = InMemorySaver()
    agent: Any = create_agent(model, hoptrail.tools(), checkpointer=saver)
    turn = {"messages": [("user", "Tell me.")]}
    config: Any = {"configurable": {"thread_id": "t"}}

    state = await agent.ainvoke(turn, config) if is_async else agent.invoke(turn, config)

    said = [message.text for message in state["messages"] if message.type == "tool"]
    assert [text.partition("\n")[0] for text in said] == ["Edda Thorn", "Brackenholm"]
    kept = {one.config["configurable"]["checkpoint_ns"] for one in saver.list(None)}
    assert kept == {""}


async def test_a_thread_that_is_asked_within_a_graph_is_continued_outside(
    hoptrail: Hoptrail,
) -> None:
    class AppState(TypedDict, total=False):
        text: str

    async def node(state: AppState) -> AppState:
        return {"text": (await hoptrail.aask(QUESTION, thread_id="within")).text}

    app: Any = StateGraph(AppState)
    app.add_node("node", node)
    app.add_edge(START, "node")
    app.add_edge("node", END)
    config: Any = {"configurable": {"thread_id": "t"}}
    await app.compile(checkpointer=InMemorySaver()).ainvoke({"text": ""}, config)

    assert (await hoptrail.aask("Where was she born?", thread_id="within")).text == "Brackenholm"
