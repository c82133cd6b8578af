"""The examples for other frameworks run as their users would run them."""

from __future__ import annotations

import runpy
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from hoptrail import Hoptrail
from hoptrail.testing.scripted import ScriptedChatModel
from tests.conftest import ROOT
from tests.ships import QUESTION, hashing_settings


@pytest.fixture(autouse=True)
def _small_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")


def example(name: str) -> ModuleType:
    if name.startswith("llama_index"):
        pytest.importorskip("llama_index.core", reason="the extra llama-index is not installed")
    spec = spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_langchain_agent_asks_and_then_uses_its_own_tool(ships: Path) -> None:
    def calling(name: str, **arguments: Any) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": name}])

    model = ScriptedChatModel(
        replies=[
            calling("ask", question=QUESTION),
            calling("years_since", year=1871),
            AIMessage("Edda Thorn founded it (t/Alder Yard)."),
        ]
    )
    with Hoptrail.open(ships, preset="offline") as h:
        agent = example("langchain_agent").build_agent(model, h)
        turn = {"messages": [("user", QUESTION)]}
        state = agent.invoke(turn, {"configurable": {"thread_id": "visitor"}})

    asked, computed = (one.text for one in state["messages"] if one.type == "tool")
    assert asked.startswith("Edda Thorn\nStep 1, stated")
    assert computed.isdigit()
    assert "Look facts up" in model.calls[0].text


def test_the_retriever_serves_a_query_engine(ships: Path) -> None:
    from_example = example("llama_index_retriever")

    response = from_example.answer(str(ships), QUESTION, llm=from_example.MockLLM())

    assert "founded by Edda Thorn" in str(response)


def test_the_query_engine_shows_the_trail(ships: Path) -> None:
    response = example("llama_index_query_engine").answer(str(ships), QUESTION)

    assert str(response) == "Edda Thorn"
    assert [hop["support"] for hop in response.metadata["trail"]] == ["stated", "stated"]


async def test_a_llama_index_agent_asks_and_answers(ships: Path) -> None:
    from_example = example("llama_index_agent")
    from llama_index.core.llms import CompletionResponse, MockLLM

    prompts: list[str] = []

    class Scripted(MockLLM):  # type: ignore[misc, unused-ignore]
        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
            prompts.append(prompt)
            if "Observation: Edda Thorn" in prompt:
                text = "Thought: I can answer.\nAnswer: Edda Thorn"
            else:
                text = f'Thought: I look.\nAction: ask\nAction Input: {{"question": "{QUESTION}"}}'
            return CompletionResponse(text=text)

        def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
            yield self.complete(prompt)

    output = await from_example.answer(str(ships), QUESTION, llm=Scripted())  # type: ignore[call-arg]

    assert str(output) == "Edda Thorn"
    assert "explore" in prompts[0]


@pytest.mark.parametrize(
    "name",
    [
        "langchain_agent",
        "llama_index_agent",
        "llama_index_query_engine",
        "llama_index_retriever",
    ],
)
def test_without_arguments_an_example_says_how_it_is_called(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.startswith("llama_index"):
        pytest.importorskip("llama_index.core", reason="the extra llama-index is not installed")
    path = ROOT / "examples" / f"{name}.py"
    monkeypatch.setattr("sys.argv", [str(path)])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(path), run_name="__main__")
    assert f"python examples/{name}.py" in str(left.value.code)
