"""The questions that show what a model can do, at scripted ones."""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from hoptrail.core.settings import Settings
from hoptrail.core.types import JsonDict
from hoptrail.eval.model_check import ModelProfile, check_model, questions
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.testing import ScriptedChatModel


def profile_of(model: ScriptedChatModel) -> ModelProfile:
    register_chat_model("checked", model)
    profile, rows = asyncio.run(
        check_model(ChatModels(Settings(model="checked")).for_role("answerer"))
    )
    assert profile.questions == len(rows) == len(questions())
    return profile


def perfect_reply(question: JsonDict) -> object:
    answer = question["answers"][0] if question["answers"] else "I don't know"
    if question["form"] == "follow-up":
        return {"question": f"What of {' and '.join(question['answers'])}?"}
    return {"answer": answer} if question["form"] == "json" else answer


def test_every_form_and_kind_is_asked() -> None:
    asked = questions()
    assert Counter(one["form"] for one in asked) == {"short": 26, "json": 6, "follow-up": 4}
    assert sum(not one["answers"] for one in asked) == 6
    assert len({one["id"] for one in asked}) == len(asked)


def test_a_perfect_model_keeps_the_long_forms() -> None:
    # The turns before a follow-up have questions of the others.
    follow_ups_first = sorted(questions(), key=lambda one: one["form"] != "follow-up")
    by_pattern = {re.escape(one["question"]): perfect_reply(one) for one in follow_ups_first}
    profile = profile_of(ScriptedChatModel(by_pattern=by_pattern, replies=["ready"]))
    shares = (profile.right, profile.honest, profile.other_languages, profile.json_kept)
    assert (*shares, profile.follow_ups) == (1, 1, 1, 1, 1)
    assert profile.keeps_long_forms


def test_a_model_that_never_knows_is_honest_and_no_more() -> None:
    profile = profile_of(ScriptedChatModel(replies=["I don't know"]))
    assert (profile.right, profile.honest, profile.json_kept) == (0, 1, 0)
    assert not profile.keeps_long_forms
