"""An existing LangChain agent gets Hoptrail's tools: the lines between the two marks are all.

    python examples/langchain_agent.py openai:gpt-4.1-mini kb "Who built the Grey Petrel, and how
    long is the time since the founding of the yard?"

Any chat model that LangChain knows and that calls tools will do.
"""

from __future__ import annotations

import datetime
import sys
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from hoptrail import Hoptrail

PROMPT = "You are the assistant of a shipping museum. Answer in one or two sentences."


@tool
def years_since(year: int) -> int:
    """Return how many years ago a year was."""
    return datetime.date.today().year - year


def build_agent(model: BaseChatModel, h: Hoptrail) -> Any:
    """Return the museum's agent with a memory, its own tool, and those of a knowledge base."""
    # Hoptrail begins.
    tools = [years_since, *h.tools()]
    prompt = (
        f"{PROMPT} Look facts up: ask first, then search, explore and read. Name the file of each "
        "fact, and say so where the documents do not tell."
    )
    # Hoptrail ends.
    return create_agent(model, tools, system_prompt=prompt, checkpointer=InMemorySaver())


def main(name: str, folder: str, *questions: str) -> None:
    """Ask the questions one after the other, in one conversation."""
    with Hoptrail.open(folder) as h:
        agent = build_agent(init_chat_model(name), h)
        for question in questions:
            turn = {"messages": [{"role": "user", "content": question}]}
            state = agent.invoke(turn, {"configurable": {"thread_id": "visitor"}})
            print(state["messages"][-1].text)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
