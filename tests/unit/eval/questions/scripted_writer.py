"""A scripted model that writes personas, tasks and questions as the prompts ask for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from hoptrail.core.settings import Price, Settings
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.testing import ScriptedChatModel

PERSONAS = [
    {"label": "river engineer", "needs": "Plans dams."},
    {"label": "teacher", "needs": "Prepares lessons for children."},
]
TASKS = ["1. Survey the causes of floods.", "- Compare old and new bridges."]


def writer_script(**changes: Any) -> ScriptedChatModel:
    """Return a script that replies to each prompt; `changes` are other replies by prompt name."""
    replies: dict[str, Any] = {
        "describe_corpus": {"description": "Articles about  rivers."},
        "write_personas": {"personas": PERSONAS},
        "write_tasks": {"tasks": TASKS},
        "write_global_questions": _new_questions,
        **changes,
    }

    def reply(messages: Sequence[BaseMessage]) -> Any:
        found = replies[prompt_name(messages)]
        return found(messages) if callable(found) else found

    return ScriptedChatModel(by_role={"judge_eval": reply})


def prompt_name(messages: Sequence[BaseMessage]) -> str:
    """Return the name of the prompt that messages were rendered from."""
    name: str = messages[0].additional_kwargs["hoptrail"]["prompt"]
    return name


def writer_model(script: ScriptedChatModel) -> RoleModel:
    """Return the script as the model of role `judge_eval`, at a dollar a token."""
    register_chat_model("scripted-writer", script)
    price = Price(prompt=1e6, completion=1e6)
    settings = Settings(prices={"scripted-writer": price}, max_retries=0)
    return ChatModels(settings, {"judge_eval": "scripted-writer"}).for_role("judge_eval")


def _new_questions(messages: Sequence[BaseMessage]) -> dict[str, list[str]]:
    data = dict(re.findall(r"<(persona|task)>\n(.+)\n", messages[1].text))
    who, what = data["persona"].partition(":")[0], data["task"].rstrip(".").lower()
    return {
        "questions": [f"1. What helps a {who} to {what}?", f"Why does {what} matter to {who}s?"]
    }
