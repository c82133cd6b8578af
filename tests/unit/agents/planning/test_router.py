from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hoptrail.agents.planning.question_form import wording_cues
from hoptrail.agents.planning.router import (
    CLASSIFIER,
    WORDING_CLASSIFIER,
    parse_type,
    route,
)
from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import QuestionType
from hoptrail.models.learned_weights import LinearClassifier
from hoptrail.testing import HashingEmbedder
from tests.unit.agents.role_models import NO_CALLS, scripted_role

CHAIN = "Who was the first president of the association which published Maple Review?"


class TowardsClass:
    """Embeds every text as the direction that speaks most for one class of the router."""

    def __init__(self, name: str) -> None:
        classifier = LinearClassifier.shipped(CLASSIFIER)
        self.name = classifier.embedder
        self.dim = len(classifier.weights) - len(wording_cues(""))
        centred = classifier.weights - classifier.weights.mean(axis=1, keepdims=True)
        direction = centred[: self.dim, classifier.classes.index(name)]
        self._unit = direction / np.linalg.norm(direction)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return np.tile(self._unit, (len(texts), 1)).astype(np.float32)


@pytest.mark.parametrize(
    ("question", "question_type"),
    [
        (CHAIN, "bridge"),
        ("Where was the director of Red Fern born?", "bridge"),
        ("What is the capital of the country where Ida Holm died?", "bridge"),
        ("Which film was released first, Red Fern or Blue Moss?", "comparison"),
        ("Who is older, Ida Holm or Per Krogh?", "comparison"),
        ("Are Red Fern and Blue Moss both British films?", "comparison"),
        ("Do Ida Holm and Per Krogh have the same nationality?", "comparison"),
        ("Why did the bridge collapse?", "inference"),
    ],
)
async def test_wording_tells_the_type(question: str, question_type: QuestionType) -> None:
    assert await route(question, None) == question_type


@pytest.mark.parametrize("question_type", ["bridge", "comparison"])
async def test_sure_classifier_costs_no_call(question_type: QuestionType) -> None:
    model, script = scripted_role("router", "inference")
    found = await route("Ida Holm", model, embedder=TowardsClass(question_type))
    assert found == question_type
    assert script.calls == []


async def test_other_embedders_leave_the_decision_to_the_model() -> None:
    model, script = scripted_role("router", "**Comparison**.")
    embedder = HashingEmbedder()
    assert await route(CHAIN, model, embedder=embedder) == "comparison"
    assert model.meter.usage.llm_calls == 1
    assert script.calls[0].question == CHAIN


@pytest.mark.parametrize("reply", ["I think", "路由", ""])
async def test_unreadable_reply_falls_back_to_the_wording(reply: str) -> None:
    model, script = scripted_role("router", reply)
    assert await route(CHAIN, model) == "bridge"
    assert model.meter.degraded


async def test_a_spent_budget_falls_back_to_the_wording() -> None:
    model, script = scripted_role("router", "comparison", limits=NO_CALLS)
    assert await route(CHAIN, model) == "bridge"
    assert model.meter.degraded
    assert script.calls == []


def test_cut_off_word_is_understood() -> None:
    assert parse_type("Infer") == "inference"


@pytest.mark.parametrize("name", [CLASSIFIER, WORDING_CLASSIFIER])
def test_shipped_classifiers_know_the_types(name: str) -> None:
    assert LinearClassifier.shipped(name).classes == ("bridge", "comparison", "inference")


async def test_two_names_to_choose_from_are_a_comparison_without_asking() -> None:
    model, script = scripted_role("router", "bridge")

    routing = await route("Which person was a painter, Ida Holm or Per Krogh?", model)

    assert routing == "comparison"
    assert script.calls == []


async def test_a_question_about_the_whole_is_global_without_asking() -> None:
    model, script = scripted_role("router", "bridge")
    question = "What are the main themes of the collection?"
    assert await route(question, model) == "global"
    assert script.calls == []
