"""A checkpoint in this process: random weights, so what it says is noise, but always the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.errors import CheckpointError, ModelUnavailableError
from hoptrail.models.embedder import register_embedder
from hoptrail.models.graph_llm.base_model import load_base_model
from hoptrail.models.graph_llm.chat import ChatGraphLlama
from hoptrail.models.graph_llm.checkpoint import save_checkpoint
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.tiny_llama import write_tiny_base

QUESTION = "Where was Ane Lund born?"
GRAPH = GraphInput.from_triples([("Ane Lund", "born_in", "Varde"), ("Varde", "in", "Jutland")])
OTHER = GraphInput.from_triples([("Per Krogh", "born_in", "Ribe")])


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("graph_llm")
    embedder = HashingEmbedder()
    register_embedder(embedder.name, embedder)
    base = load_base_model(str(write_tiny_base(folder / "base")), dtype="float32")
    config = GraphLlamaConfig(hidden=16, heads=2, layers=1, projector_hidden=16)
    save_checkpoint(GraphLlama(base, config, embedder), folder / "checkpoint")
    yield folder / "checkpoint"


def test_a_reply_is_repeatable_and_its_graph_is_counted(checkpoint: Path) -> None:
    llm = ChatGraphLlama(model=str(checkpoint), max_tokens=12, temperature=2.0, seed=3)

    message = llm.invoke(QUESTION, graph=GRAPH)

    assert message.text
    assert message.text == llm.invoke(QUESTION, graph=GRAPH).text
    assert message.usage_metadata is not None
    assert message.usage_metadata["output_tokens"] <= 12
    assert message.usage_metadata["input_tokens"] > _tokens_read(llm, OTHER) > len(QUESTION)


def _tokens_read(llm: ChatGraphLlama, graph: GraphInput) -> int:
    usage = llm.invoke(QUESTION, graph=graph).usage_metadata
    return usage["input_tokens"] if usage else 0


def test_without_a_graph_the_messages_are_a_chat(checkpoint: Path) -> None:
    message = ChatGraphLlama(model=str(checkpoint), max_tokens=4).invoke("Hello")

    assert message.usage_metadata is not None
    assert message.usage_metadata["input_tokens"] < len("Answer the question Hello")


async def test_streams_side_by_side_give_what_single_calls_give(checkpoint: Path) -> None:
    llm = ChatGraphLlama(model=str(checkpoint), max_tokens=12, temperature=2.0, seed=3)
    alone = [llm.invoke(QUESTION, graph=graph).text for graph in (GRAPH, OTHER)]

    async def read(graph: GraphInput) -> str:
        return "".join([chunk.text async for chunk in llm.astream(QUESTION, graph=graph)])

    assert await asyncio.gather(*(read(graph) for graph in (GRAPH, OTHER) * 2)) == alone * 2


def test_a_stop_text_ends_the_reply(checkpoint: Path) -> None:
    llm = ChatGraphLlama(model=str(checkpoint), max_tokens=12, temperature=2.0, seed=3)
    whole = llm.invoke(QUESTION, graph=GRAPH).text
    stop = whole[3]

    cut = llm.invoke(QUESTION, graph=GRAPH, stop=[stop])

    assert cut.text == whole[: whole.index(stop)]
    assert cut.response_metadata["finish_reason"] == "stop"


def test_each_event_loop_can_ask(checkpoint: Path) -> None:
    llm = ChatGraphLlama(model=str(checkpoint), max_tokens=4)

    first, second = (asyncio.run(llm.ainvoke(QUESTION, graph=GRAPH)) for _ in range(2))

    assert first.text == second.text


def test_a_question_beyond_the_context_is_refused_and_the_next_one_answered(
    checkpoint: Path,
) -> None:
    llm = ChatGraphLlama(model=str(checkpoint), max_tokens=4)

    with pytest.raises(ModelUnavailableError, match="tokens"):
        llm.invoke("x" * 2000, graph=GRAPH)
    assert llm.invoke(QUESTION, graph=GRAPH).usage_metadata


def test_a_folder_that_holds_no_checkpoint_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=tmp_path.name):
        ChatGraphLlama(model=str(tmp_path)).invoke(QUESTION, graph=GRAPH)
