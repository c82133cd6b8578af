from __future__ import annotations

from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.models.doctor import check_graph_llm, check_models
from hoptrail.testing import ScriptedChatModel


async def test_every_role_is_checked_and_a_shared_model_called_once() -> None:
    works, fails = ScriptedChatModel(replies=["ready"]), ScriptedChatModel(replies=[OSError("off")])
    register_chat_model("doctor-works", works)
    register_chat_model("doctor-fails", fails)
    settings = Settings(model="doctor-works", models={"judge": "doctor-fails"})
    checks = {check.part: check for check in await check_models(ChatModels(settings), settings)}
    assert len(checks) == 8
    assert checks["router"].seconds is not None
    assert checks["router"].error is None
    assert "off" in (checks["judge"].error or "")
    assert len(works.calls) == len(fails.calls) == 1


async def test_without_a_model_each_role_says_so() -> None:
    checks = await check_models(ChatModels(Settings()), Settings())
    assert {check.error for check in checks} == {"no model is set"}


async def test_a_missing_key_is_seen_without_a_call() -> None:
    settings = Settings(model="groq:llama-3.1-8b-instant")
    checks = await check_models(ChatModels(settings), settings)
    assert {check.key for check in checks} == {False}
    assert "GROQ_API_KEY" in (checks[0].error or "")


async def test_the_graph_llm_is_asked_once_where_one_is_set() -> None:
    register_chat_model("graph_llm", ScriptedChatModel(replies=["ready", OSError("off")]))
    settings = Settings(graph_llm="http://127.0.0.1:1/v1", max_retries=0)

    works, fails = [await check_graph_llm(settings) for _ in range(2)]

    assert works is not None and works.name == "http://127.0.0.1:1/v1"
    assert works.seconds is not None
    assert fails is not None and "off" in (fails.error or "")
    assert await check_graph_llm(Settings()) is None
