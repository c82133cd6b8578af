"""A scripted model behind the role of the judges, and rows of runs as far as they are judged."""

from __future__ import annotations

from typing import Any

from hoptrail.core.settings import Price, Settings
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.testing import ScriptedChatModel


def judge_model(script: ScriptedChatModel) -> RoleModel:
    """Return the script as the model of role `judge_eval`, at a dollar a token."""
    register_chat_model("scripted-judge", script)
    price = Price(prompt=1e6, completion=1e6)
    settings = Settings(prices={"scripted-judge": price}, max_retries=0)
    return ChatModels(settings, {"judge_eval": "scripted-judge"}).for_role("judge_eval")


def row(number: int, answer: str | None, **fields: Any) -> dict[str, Any]:
    """Return the row of a question; no answer is an abstention."""
    told = {"answer": answer or "I don't know", "abstained": answer is None}
    return {"id": f"q{number}", "question": f"Question {number}?", **told, **fields}
