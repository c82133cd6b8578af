import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

from hoptrail import Hoptrail, HoptrailError
from hoptrail.core.errors import (
    ClosedError,
    EmbedderMismatchError,
    InputError,
    NotAKnowledgeBaseError,
    SettingsError,
    UnknownNameError,
)
from hoptrail.core.settings import Settings
from hoptrail.core.types import AnswerEvent, Document, HopEvent, NodeEvent, TokenEvent
from hoptrail.graphs.qa import RECURSION_LIMIT
from hoptrail.models.chat import register_chat_model
from hoptrail.models.embedder import register_embedder
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.testing.scripted import ScriptedChatModel
from tests.ships import QUESTION, hashing_settings, index_ships

ARTICLE = Document("t/yard", "Alder Yard", "Edda Thorn founded the Alder Yard in 1880.", "t")


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


@pytest.mark.parametrize(
    "told", ["Who founded the yard?", {"role": "user", "content": "Who?"}, ("Who?",), ("Who?", 7)]
)
def test_a_history_of_another_form_is_refused(hoptrail: Hoptrail, told: Any) -> None:
    with pytest.raises(InputError, match=r"history\[1\] is no question with its answer"):
        hoptrail.ask("Where was she born?", history=[(QUESTION, "Edda Thorn"), told])


def test_a_thread_without_a_name_is_refused(hoptrail: Hoptrail) -> None:
    with pytest.raises(InputError, match="a thread needs a name"):
        hoptrail.ask(QUESTION, thread_id="")


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
    assert tools == {"ask", "search", "explore", "read"}


def test_a_retriever_by_words_outlives_the_first_question(hoptrail: Hoptrail) -> None:
    retriever = hoptrail.retriever("bm25", k=1)
    hoptrail.ask(QUESTION)

    assert retriever.invoke("Alder Yard")[0].metadata["title"] == "Alder Yard"


async def test_graph_has_the_knowledge_base_bound(hoptrail: Hoptrail) -> None:
    state = await hoptrail.graph().ainvoke({"question": QUESTION})

    assert state["answer"]["answer"] == "Edda Thorn"


def test_evidence_is_what_a_prompt_would_hold_and_asks_no_model(ships: Path) -> None:
    model = ScriptedChatModel()
    register_chat_model("silent", model)
    with Hoptrail.open(ships, settings=hashing_settings(), model="silent") as opened:
        evidence = opened.evidence(QUESTION, preset="vector", k=2)

    assert "Alder Yard" in {hit.item.title for hit in evidence.chunks}
    assert model.calls == []


def test_an_option_that_does_not_exist_is_named(hoptrail: Hoptrail) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'concurrency'"):
        hoptrail.forecast([], concurency=2)


def test_communities_are_reported_on_by_level(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path, settings)
    with Hoptrail.open(tmp_path, settings=settings) as opened:
        built = opened.communities(extractive=True)
        reports = opened.reports(level=0)

    assert built["levels"][0]["reported"] == len(reports) > 0
    assert all(report.title and report.summary for report in reports)


def test_delete_takes_away_what_only_that_document_supported(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path, settings)
    with Hoptrail.open(tmp_path, settings=settings, preset="offline") as opened:
        opened.delete("t/Edda Thorn")

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


def test_vectors_that_the_first_use_of_a_filter_needs_are_counted(tmp_path: Path) -> None:
    texts = (  # alone, the first one gives the town another name than the others do
        "Edda Thorn founded the Alder Yard of ALDER HAVEN. Edda Thorn lived in ALDER HAVEN.",
        "Edda Thorn founded the Birch Mill in Alder Haven.",
        "Alder Haven lies in Wick. Ada Marsh lived in Alder Haven.",
    )
    documents = [Document(f"t/{n}", f"Note {n}", text, "t") for n, text in enumerate(texts)]
    embeddings = DeterministicFakeEmbedding(size=24)
    with Hoptrail.open(tmp_path / "kb", create=True, embedder=embeddings) as opened:
        opened.index(documents, extractor="nlp")
        question = "Who founded the Alder Yard?"
        opened.ask(question, preset="offline")
        answer = opened.ask(question, preset="offline", filter="doc_id = t/0")
    assert answer.usage.by_node["contextualize"].embedding_calls > 0


def test_any_langchain_embeddings_make_the_vectors(tmp_path: Path) -> None:
    embeddings = DeterministicFakeEmbedding(size=24)
    with Hoptrail.open(tmp_path / "kb", create=True, embedder=embeddings) as opened:
        report = opened.index([ARTICLE], extractor="nlp")
        answer = opened.ask("Who founded the Alder Yard?", preset="offline")
        assert opened.info()["embedder"] == {"name": "DeterministicFakeEmbedding", "dim": 24}

    assert report["usage"]["embedding_calls"] > 0
    assert answer.text == "Edda Thorn"
    assert answer.usage.embedding_calls > 0
    assert answer.usage.llm_calls == 0


def test_langchain_embeddings_are_known_by_the_name_they_are_given(tmp_path: Path) -> None:
    embeddings = DeterministicFakeEmbedding(size=24)
    with Hoptrail.open(
        tmp_path / "kb", create=True, embedder=embeddings, embedder_name="fakes-1"
    ) as opened:
        opened.index([ARTICLE], extractor="none")
    other = Hoptrail.open(tmp_path / "kb", embedder=embeddings, embedder_name="fakes-2")
    with other, pytest.raises(EmbedderMismatchError, match="fakes-1"):
        other.retrieve("Alder Yard", retriever="vector")


def test_a_limit_of_dollars_needs_the_embedders_price(tmp_path: Path) -> None:
    embeddings = DeterministicFakeEmbedding(size=24)
    with Hoptrail.open(tmp_path / "kb", create=True, embedder=embeddings) as opened:
        with pytest.raises(SettingsError, match="price of DeterministicFakeEmbedding"):
            opened.index([ARTICLE], extractor="none", max_usd=1.0)
        assert opened.info()["counts"]["documents"] == 0


def test_what_is_no_embedder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="int is no embedder"):
        Hoptrail.open(tmp_path / "kb", create=True, embedder=5)  # type: ignore[arg-type]


def test_the_store_opens_without_an_embedder(ships: Path) -> None:
    with Hoptrail.open(ships, settings=Settings(embedder="not-installed")) as opened:
        assert len(opened.stored.index.doc_ids) > 0


def test_folder_without_a_knowledge_base_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError, match=r"Hoptrail\.open\(\.\.\., create=True\)"):
        Hoptrail.open(tmp_path, settings=hashing_settings())


@pytest.mark.parametrize("choice", [{"preset": "magic"}, {"retriever": "magic"}, {"magic": 1}])
def test_unknown_choice_is_named(ships: Path, choice: dict[str, Any]) -> None:
    with Hoptrail.open(ships, settings=hashing_settings()) as opened:
        with pytest.raises(UnknownNameError, match="magic"):
            opened.ask(QUESTION, **choice)


def test_the_graph_can_be_invoked_without_an_event_loop(hoptrail: Hoptrail) -> None:
    assert hoptrail.graph().invoke({"question": QUESTION})["answer"]["answer"] == "Edda Thorn"


def test_the_graph_takes_the_model_that_the_base_was_opened_with(ships: Path) -> None:
    choices: dict[str, Any] = {"model": "openai:unlisted", "max_model_calls": 0}
    with Hoptrail.open(ships, settings=hashing_settings(), **choices) as opened:
        answer = opened.graph().invoke({"question": QUESTION})["answer"]

    assert answer["answer"] == "Edda Thorn"


async def test_the_graph_can_be_invoked_inside_a_running_loop(hoptrail: Hoptrail) -> None:
    assert hoptrail.graph().invoke({"question": QUESTION})["answer"]["answer"] == "Edda Thorn"


def test_the_graph_is_a_node_of_an_application_that_is_invoked(hoptrail: Hoptrail) -> None:
    class AppState(TypedDict, total=False):
        question: str
        answer: dict[str, Any]

    app: Any = StateGraph(AppState)
    app.add_node("qa", hoptrail.graph())
    app.add_edge(START, "qa")
    app.add_edge("qa", END)

    assert app.compile().invoke({"question": QUESTION})["answer"]["answer"] == "Edda Thorn"


@pytest.mark.parametrize("is_async", [False, True])
async def test_the_graph_keeps_a_conversation_in_the_threads_of_an_application(
    hoptrail: Hoptrail, is_async: bool
) -> None:
    app: Any = StateGraph(MessagesState)
    app.add_node("qa", hoptrail.graph())
    app.add_edge(START, "qa")
    app.add_edge("qa", END)
    compiled = app.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "talk"}}

    for question in (QUESTION, "Where was she born?"):
        turn = {"messages": [("user", question)]}
        state = await compiled.ainvoke(turn, config) if is_async else compiled.invoke(turn, config)

    assert state["messages"][-1].text == "Brackenholm"
    assert len(state["messages"]) == 4


def test_the_graph_has_the_recursion_limit_of_a_turn(hoptrail: Hoptrail) -> None:
    config = hoptrail.graph().config
    assert config is not None
    assert config["recursion_limit"] == RECURSION_LIMIT


@pytest.mark.parametrize("question", [5, None, ["Who?"], b"Who?"])
def test_a_question_that_is_no_text_is_refused_in_one_line(
    hoptrail: Hoptrail, question: Any
) -> None:
    with pytest.raises(HoptrailError):
        hoptrail.ask(question)
    with pytest.raises(HoptrailError):
        hoptrail.retrieve(question)


@pytest.mark.parametrize("name", ["kb", "nmae", "self"])
@pytest.mark.parametrize("preset", ["offline", "dotrag"])
def test_an_unknown_parameter_is_named_with_the_known_ones(
    hoptrail: Hoptrail, name: str, preset: str
) -> None:
    with pytest.raises(UnknownNameError, match=name):
        hoptrail.ask(QUESTION, preset=preset, max_model_calls=0, parameters={name: "x"})


@pytest.mark.parametrize("parameters", [5, "x", ["alpha"], {"alpha": [1]}, {"alpha": "x"}])
def test_parameters_of_a_wrong_type_are_refused(hoptrail: Hoptrail, parameters: Any) -> None:
    with pytest.raises(HoptrailError):
        hoptrail.ask(QUESTION, preset="offline", retriever="ppr", parameters=parameters)


USES: dict[str, Callable[[Hoptrail], Any]] = {
    "ask": lambda h: h.ask(QUESTION),
    "stream": lambda h: list(h.stream(QUESTION)),
    "aask": lambda h: asyncio.run(h.aask(QUESTION)),
    "evidence": lambda h: h.evidence(QUESTION),
    "context": lambda h: h.context(QUESTION),
    "retrieve": lambda h: h.retrieve(QUESTION),
    "retriever": lambda h: h.retriever(),
    "tools": lambda h: h.tools(),
    "graph": lambda h: h.graph(),
    "info": lambda h: h.info(),
    "merges": lambda h: h.merges(),
    "reports": lambda h: h.reports(),
    "knowledge_base": lambda h: h.knowledge_base,
    "index": lambda h: h.index([]),
    "forecast": lambda h: h.forecast([]),
    "delete": lambda h: h.delete(["t/Edda Thorn"]),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("was_asked", [True, False])
def test_any_use_after_close_is_a_closed_error(
    ships: Path, use: Callable[[Hoptrail], Any], was_asked: bool
) -> None:
    opened = Hoptrail.open(ships, settings=hashing_settings(), preset="offline")
    if was_asked:
        opened.ask(QUESTION)
    opened.close()
    opened.close()

    with pytest.raises(ClosedError):
        use(opened)


@pytest.mark.parametrize("preset", ["offline", "auto"])
def test_a_base_without_documents_tells_how_to_add_some(tmp_path: Path, preset: str) -> None:
    with Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()) as empty:
        answer = empty.ask("Who founded the yard?", preset=preset)
    assert answer.abstained
    assert "hoptrail index FOLDER" in answer.text
