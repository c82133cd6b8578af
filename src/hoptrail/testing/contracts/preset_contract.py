"""Tests of a preset: everything that Hoptrail's graph, commands and server rely on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest

from hoptrail.core.settings import Role, Settings
from hoptrail.core.types import AbstainReason, JsonDict, StopReason
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import PRESETS, QUESTION_TYPES, Preset
from hoptrail.graphs.qa import graph
from hoptrail.models.chat import register_chat_model
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.services.request_services import allow_models
from hoptrail.testing.contracts.sample_bases import (
    QUESTION,
    OverSampleBases,
    SampleBase,
    open_sample,
)
from hoptrail.testing.scripted import ScriptedChatModel

_MODEL = "hoptrail-contract"
_REPLIES = {
    "sound": "HOPS:\nHOP 1: Edda Thorn | born in | Brackenholm | P1\nFINAL ANSWER: Brackenholm",
    "ignorant": "FINAL ANSWER: I don't know",
    "down": TimeoutError("the model is down"),
}


class PresetContract(OverSampleBases):
    """Tests that every preset must pass: a subclass names the one under test.

    The preset has to be installed: the graph finds it by its name.

    Attributes:
        preset: The preset under test.
    """

    preset: ClassVar[Preset]

    def test_it_is_installed_under_its_name(self) -> None:
        """The graph, the commands and the server find this very preset."""
        assert PRESETS.find(self.preset.name) is self.preset

    def test_all_that_it_names_exists(self) -> None:
        """Its retrievers, the presets of its courses, and its choices for context fields."""
        preset = self.preset
        for name in filter(None, (preset.retriever, preset.graph_retriever)):
            RETRIEVERS.find(name)
        for course in (*preset.courses.values(), *preset.graph_courses.values()):
            for name in course:
                assert not PRESETS.find(name).courses, f"{name} does not do the work itself"
        resolve_context(preset.choices)
        assert preset.graph_llm_roles <= set(get_args(Role))

    def test_it_has_a_strategy_for_every_type_of_question(self) -> None:
        """A question is prompted by its type, and a retry by another strategy."""
        assert set(self.preset.strategies) == set(QUESTION_TYPES)
        assert set(self.preset.alternatives) <= set(self.preset.strategies.values()) | set(
            self.preset.alternatives.values()
        )

    @pytest.mark.parametrize("base", ["passages", "bare_graph", "empty"])
    def test_it_runs_without_a_model(self, samples: Path, base: SampleBase) -> None:
        """With no call to spend it answers or abstains, and says why."""
        with known_sample(samples, base) as name:
            state = self.run(name, max_model_calls=0)
        require_whole_answer(state)
        assert state["answer"]["usage"]["llm_calls"] == 0

    def test_it_gives_the_same_answer_again(self, samples: Path) -> None:
        """Without a model nothing is left to chance."""
        with known_sample(samples, "passages") as name:
            first, second = (self.run(name, max_model_calls=0)["answer"] for _ in range(2))
        assert {**first, "usage": {}} == {**second, "usage": {}}

    @pytest.mark.parametrize("base", ["passages", "bare_graph"])
    @pytest.mark.parametrize("reply", sorted(_REPLIES))
    def test_it_runs_with_a_model(self, samples: Path, base: SampleBase, reply: str) -> None:
        """Whatever the model replies, it answers or abstains, and the calls are counted."""
        model = self.scripted(reply)
        with known_sample(samples, base) as name:
            state = self.run(name, model=_MODEL)
        require_whole_answer(state)
        spent = state["answer"]["usage"]["llm_calls"]
        assert spent == len(model.calls)
        assert spent <= self.preset.complete(Context()).max_model_calls

    @pytest.mark.parametrize(
        ("limit", "calls"), [({"max_model_calls": 1}, 1), ({"max_tokens": 0}, 0)]
    )
    def test_it_keeps_to_the_budget_of_a_request(
        self, samples: Path, limit: dict[str, int], calls: int
    ) -> None:
        """One call is one call, and after the last token there is none."""
        model = self.scripted("ignorant")
        with known_sample(samples, "passages") as name:
            require_whole_answer(self.run(name, model=_MODEL, **limit))
        assert len(model.calls) <= calls

    def scripted(self, reply: str) -> ScriptedChatModel:
        """Return the model that a run by the name `hoptrail-contract` asks."""
        model = ScriptedChatModel(replies=[_REPLIES[reply]])
        register_chat_model(_MODEL, model)
        allow_models(_MODEL)
        return model

    def run(self, base: str, **context: Any) -> JsonDict:
        """Return the last state of a turn of the graph with this preset."""
        given = Context(knowledge_base=base, preset=self.preset.name, **context)
        state: JsonDict = asyncio.run(graph.ainvoke({"question": QUESTION}, context=given))
        return state


@contextmanager
def known_sample(samples: Path, name: SampleBase) -> Iterator[str]:
    """Yield the name under which the graphs of this process know a sample base."""
    known_as = f"hoptrail-contract-{name}"
    with open_sample(samples, name) as kb:
        register_knowledge_base(known_as, kb, Settings(max_retries=0))
        try:
            yield known_as
        finally:
            forget_knowledge_base(known_as)


def require_whole_answer(state: JsonDict) -> None:
    """Assert what holds at the end of every turn, whatever the preset."""
    kept = {name: value for name, value in state.items() if name != "messages"}
    assert json.loads(json.dumps(kept)) == kept, "the state is not made of JSON values"
    answer = state["answer"]
    assert answer["answer"].strip(), "neither an answer nor words that say why there is none"
    assert answer["stop_reason"] in get_args(StopReason)
    assert answer["abstained"] == (answer["abstain_reason"] in get_args(AbstainReason))
    assert answer["abstained"] or answer["answers"], "an answer without candidates"
    assert state["messages"][-1].text == answer["answer"], "the conversation lacks the answer"
