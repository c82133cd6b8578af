"""Lets a LangChain agent with `h.tools()` answer the two-hop questions of the examples.

    python benchmarks/agent_questions.py kb     # a base of examples/articles

The agent is `create_agent` with the configured model and Hoptrail's four tools. It prints what each
question came to: right by the words of the gold answer, tool calls by name, and model calls. The
tool `ask` answers with the configured model as well, or without one by `--preset offline`.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage

from hoptrail import Hoptrail
from hoptrail.core.settings import load_settings
from hoptrail.eval.metrics.answer_scores import heuristic_match
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.models.chat import HOW_TO_SET_A_MODEL
from hoptrail.models.choice import default_model
from hoptrail.models.provider import open_chat_model

QUESTIONS = Path(__file__).parents[1] / "examples/questions.jsonl"
PROMPT = (
    "Look facts up: ask first; where that does not settle it, search, explore and read. End with "
    "one line, the answer in a few words, or that the documents do not tell."
)
_HOPS = 2
_MOST_STEPS = 40  # of the agent's graph


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what the agent did."""

    question: Question
    text: str
    model_calls: int = 0
    tool_calls: Counter[str] = field(default_factory=Counter)

    @property
    def is_right(self) -> bool:
        """Whether a gold answer stands in the last line of what the agent said."""
        last = next(iter(self.text.strip().splitlines()[::-1]), "")
        return any(heuristic_match(last, forms) for forms in self.question.answers)


def main() -> None:
    """Ask the questions and print what each came to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kb", help="folder of a base, or its name in hoptrail.toml")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--preset", default="auto", help="of the tool `ask`")
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--max-seconds", type=float, default=180.0, help="of the tool `ask`")
    given = parser.parse_args()
    questions = [one for one in load_questions(given.questions) if one.hops == _HOPS]
    with Hoptrail.open(given.kb, preset=given.preset, max_seconds=given.max_seconds) as h:
        asked = asyncio.run(ask_all(h, questions, given.concurrency))
    for one in asked:
        show(one)
    calls = sum((one.tool_calls for one in asked), Counter[str]())
    print(
        f"{sum(one.is_right for one in asked)} of {len(asked)} right, "
        f"{sum(one.model_calls for one in asked) / len(asked):.1f} model calls and "
        f"{calls.total() / len(asked):.1f} tool calls a question: {dict(calls)}"
    )


async def ask_all(h: Hoptrail, questions: Sequence[Question], concurrency: int) -> list[Asked]:
    """Return what the agent did for each question, in their order."""
    settings = load_settings()
    name = default_model(settings)
    if name is None:
        raise SystemExit(f"no language model is set: {HOW_TO_SET_A_MODEL}")
    model = await open_chat_model(name, settings)
    agent: Any = create_agent(model, h.tools(), system_prompt=PROMPT)
    slots = asyncio.Semaphore(concurrency)

    async def ask(question: Question) -> Asked:
        turn = {"messages": [{"role": "user", "content": question.text}]}
        async with slots:
            state = await agent.ainvoke(turn, {"recursion_limit": _MOST_STEPS})
        said = [one for one in state["messages"] if isinstance(one, AIMessage)]
        calls = Counter(call["name"] for one in said for call in one.tool_calls)
        return Asked(question, said[-1].text, len(said), calls)

    return await asyncio.gather(*map(ask, questions))


def show(one: Asked) -> None:
    """Print a question, what the agent said last, and its calls."""
    mark = "right" if one.is_right else "wrong"
    last = " ".join(one.text.split())
    print(f"{one.question.id} {one.question.text}\n  {mark}: {last}")
    print(f"  {one.model_calls} model calls, tools: {dict(one.tool_calls)}")


if __name__ == "__main__":
    main()
