"""The picture that Studio and the docs draw holds every way that a run can take."""

import re
from functools import cache

import pytest

from hoptrail.graphs.context import Context
from hoptrail.graphs.presets import PRESETS
from hoptrail.graphs.qa import RECURSION_LIMIT, build_qa, graph
from tests.conftest import ROOT
from tests.ships import QUESTION
from tests.unit.graphs.conftest import scripted

UNKNOWN, KNOWN = "FINAL ANSWER: I don't know", "FINAL ANSWER: Edda Thorn"
RUNS = (
    ("ships", QUESTION, UNKNOWN),
    ("ships", "Thanks!", UNKNOWN),
    ("ships", "Is the Morning Tern older than the Alder Yard?", KNOWN),
    ("reported", "What are the main themes?", UNKNOWN),
    ("films", "Who starred in the films directed by Ida Holm?", TimeoutError()),
)


@cache
def drawn() -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph.get_graph().edges}


async def supersteps(question: str, context: Context) -> list[set[str]]:
    """Return the nodes that ran, step by step; those of one step ran side by side."""
    steps: dict[int, set[str]] = {}
    stream = (
        build_qa()
        .compile()
        .astream(
            {"question": question},
            {"recursion_limit": RECURSION_LIMIT},
            context=context,
            stream_mode="debug",
        )
    )
    async for event in stream:
        if event["type"] == "task":
            steps.setdefault(event["step"], set()).add(event["payload"]["name"])
    return [{"__start__"}, *(steps[number] for number in sorted(steps)), {"__end__"}]


@pytest.mark.parametrize("preset", sorted(PRESETS))
async def test_every_transition_of_a_run_is_drawn(
    ships: str, reported: str, films: str, preset: str
) -> None:
    edges = drawn()
    for base, question, reply in RUNS:
        scripted(replies=[reply])
        context = Context(knowledge_base=base, preset=preset, model="scripted")
        steps = await supersteps(question, context)
        for before, after in zip(steps, steps[1:], strict=False):
            for node in after:
                assert any((source, node) in edges for source in before), (before, node)


def test_every_node_but_the_last_leads_somewhere() -> None:
    edges = drawn()
    for node in set(graph.get_graph().nodes) - {"__end__"}:
        assert any(source == node for source, _ in edges), node
    assert {source for source, target in edges if target == "__end__"} == {"finalize"}


def test_the_docs_show_the_picture_of_this_graph() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = re.search(r"^```mermaid\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert set(re.findall(r"^\s*(\w+) -+\.?-+> (\w+);", shown[1], re.MULTILINE)) == drawn()
