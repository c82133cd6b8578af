import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="the extra llama-index is not installed")

from llama_index.core import instrumentation
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore

from hoptrail import Hoptrail
from hoptrail.core.errors import HoptrailError
from hoptrail.core.types import Document
from hoptrail.llama_index import HoptrailQueryEngine, HoptrailRetriever, hoptrail_tools
from tests.ships import QUESTION, hashing_settings


@pytest.fixture
def hoptrail(ships: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(ships, settings=hashing_settings(), preset="offline") as opened:
        yield opened


def summary(nodes: list[NodeWithScore]) -> list[tuple[str, float | None, str | None]]:
    return [(found.node.node_id, found.score, found.node.ref_doc_id) for found in nodes]


async def test_the_retriever_finds_the_same_with_and_without_await(hoptrail: Hoptrail) -> None:
    retriever = HoptrailRetriever(hoptrail, "ket", k=2)

    found = retriever.retrieve(QUESTION)

    assert isinstance(retriever, BaseRetriever)
    assert summary(found) == summary(await retriever.aretrieve(QUESTION))
    assert len(found) == 2


def test_nodes_bear_the_ids_scores_and_offsets_of_passages(hoptrail: Hoptrail) -> None:
    expected = hoptrail.retrieve(QUESTION, retriever="ppr")["passages"]

    found = HoptrailRetriever(hoptrail, "ppr").retrieve(QUESTION)

    assert summary(found) == [(one["chunk_id"], one["score"], one["doc_id"]) for one in expected]
    for one in found:
        text = hoptrail.document(one.node.metadata["doc_id"])["text"]
        assert text[one.node.start_char_idx : one.node.end_char_idx] == one.text  # type: ignore[attr-defined]


def test_nodes_bear_the_fields_of_their_document_and_no_prompt_shows_them(tmp_path: Path) -> None:
    letter = Document("t/mail", "Letter", "The yard is sold.", "t", None, {"date": "2024-05-02"})
    with Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()) as opened:
        opened.index([letter], extractor="none")
        [found] = HoptrailRetriever(opened, "bm25").retrieve("yard")

    assert (found.node.metadata["date"], found.node.metadata["source"]) == ("2024-05-02", "t")
    assert "2024-05-02" not in found.node.get_content(MetadataMode.LLM)


def test_a_prompt_shows_the_title_and_no_id(hoptrail: Hoptrail) -> None:
    [found] = HoptrailRetriever(hoptrail, "bm25", k=1).retrieve("Alder Yard")

    shown = found.node.get_content(MetadataMode.LLM)

    assert "title: Alder Yard" in shown
    assert found.node.node_id not in shown


def test_the_retriever_keeps_to_its_filter_and_parameters(hoptrail: Hoptrail) -> None:
    retriever = HoptrailRetriever(hoptrail, "bm25", k1=0.9, filter='title = "Edda Thorn"')

    assert [one.node.ref_doc_id for one in retriever.retrieve("born in")] == ["t/Edda Thorn"]


@pytest.mark.parametrize(
    ("name", "parameters", "wrong"),
    [("kett", {}, "'kett'"), ("bm25", {"theta": 0.9}, "'theta'"), ("bm25", {"k": 0}, "k: ")],
)
def test_a_retriever_that_cannot_be_is_refused_before_the_first_question(
    hoptrail: Hoptrail, name: str, parameters: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(HoptrailError, match=wrong):
        HoptrailRetriever(hoptrail, name, **parameters)


@pytest.mark.parametrize(
    ("context", "wrong"),
    [
        ({"preset": "offlin"}, "'offlin'"),
        ({"retriever": "kett"}, "'kett'"),
        ({"retriever": "bm25", "parameters": {"theta": 0.9}}, "'theta'"),
        ({"prest": "offline"}, "'prest'"),
        ({"budget": -1}, "budget"),
    ],
)
def test_a_query_engine_that_cannot_be_is_refused_before_the_first_question(
    hoptrail: Hoptrail, context: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(HoptrailError, match=wrong):
        HoptrailQueryEngine(hoptrail, **context)


def test_a_query_engine_of_llama_index_reads_what_was_found(hoptrail: Hoptrail) -> None:
    engine = RetrieverQueryEngine.from_args(HoptrailRetriever(hoptrail), llm=MockLLM())

    response = engine.query(QUESTION)

    assert "founded by Edda Thorn" in str(response)  # the mock repeats its prompt
    assert response.source_nodes


def test_retrieval_is_told_to_llama_index_observers(hoptrail: Hoptrail) -> None:
    seen: list[int] = []

    class Observer(BaseEventHandler):
        def handle(self, event: Any, **_: Any) -> None:
            if isinstance(event, RetrievalEndEvent):
                seen.append(len(event.nodes))

    dispatcher = instrumentation.get_dispatcher()  # type: ignore[attr-defined]
    observer = Observer()
    dispatcher.add_event_handler(observer)
    try:
        HoptrailRetriever(hoptrail, k=2).retrieve(QUESTION)
    finally:
        dispatcher.event_handlers.remove(observer)

    assert seen == [2]


async def test_the_query_engine_bears_the_trail_and_its_quotes(hoptrail: Hoptrail) -> None:
    engine = HoptrailQueryEngine(hoptrail)

    response = engine.query(QUESTION)

    assert isinstance(engine, BaseQueryEngine)
    assert str(response) == str(await engine.aquery(QUESTION)) == "Edda Thorn"
    assert response.metadata is not None
    trail = response.metadata["trail"]
    assert [one.text for one in response.source_nodes] == [hop["quote"] for hop in trail]
    assert [one.node.ref_doc_id for one in response.source_nodes] == [
        hop["doc_id"] for hop in trail
    ]
    claims = [one.node.metadata["claims"] for one in response.source_nodes]
    assert claims == [[hop["claim"]] for hop in trail]


def test_an_answer_with_reserve_reads_as_one(hoptrail: Hoptrail) -> None:
    response = HoptrailQueryEngine(hoptrail).query("Who set up the Alder Yard?")

    assert response.metadata is not None
    assert str(response) == f"Edda Thorn\n\nperhaps: {response.metadata['perhaps_reason']}"
    assert response.metadata["perhaps_reason"]


def test_an_abstention_has_the_nearest_passages_as_sources(hoptrail: Hoptrail) -> None:
    response = HoptrailQueryEngine(hoptrail).query("Who painted the Alder Yard's portrait?")

    assert response.metadata is not None
    assert response.metadata["abstained"]
    assert [one.score for one in response.source_nodes] == [
        near["score"] for near in response.metadata["nearest"]
    ]


def test_the_query_engine_holds_its_choices(hoptrail: Hoptrail) -> None:
    engine = HoptrailQueryEngine(hoptrail, filter='title = "Morning Tern"')

    response = engine.query("Where was Edda Thorn born?")

    assert response.metadata is not None
    assert response.metadata["abstained"]


def test_nodes_survive_being_pickled(hoptrail: Hoptrail) -> None:
    found = HoptrailRetriever(hoptrail).retrieve(QUESTION)

    assert summary(pickle.loads(pickle.dumps(found))) == summary(found)


async def test_tools_say_what_they_say_to_langchain(hoptrail: Hoptrail) -> None:
    tools = {tool.metadata.get_name(): tool for tool in hoptrail_tools(hoptrail)}
    expected = {tool.name: tool for tool in hoptrail.tools()}

    assert list(tools) == list(expected)
    said = tools["ask"].call(question=QUESTION)
    assert said.content == (await tools["ask"].acall(question=QUESTION)).content
    assert said.content.startswith("Edda Thorn\n")
    assert "question" in tools["ask"].metadata.get_parameters_dict()["properties"]
    assert tools["explore"].metadata.description == expected["explore"].description


def test_a_mistake_in_a_call_is_told(hoptrail: Hoptrail) -> None:
    tools = {tool.metadata.get_name(): tool for tool in hoptrail_tools(hoptrail)}

    assert tools["read"].call(source="nothing").content.startswith("error: unknown passage")
    assert tools["search"].call(query="x", k=99).content.startswith("error: k: ")
