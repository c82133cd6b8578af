"""A LlamaIndex agent with Hoptrail's tools: your LLM decides what to look up.

pip install "hoptrail[llama-index]" llama-index-llms-openai
python examples/llama_index_agent.py kb "Who founded the yard that built the Grey Petrel?"
"""

from __future__ import annotations

import asyncio
import sys

from llama_index.core import Settings
from llama_index.core.agent.workflow import AgentOutput, ReActAgent
from llama_index.core.llms import LLM

from hoptrail import Hoptrail
from hoptrail.llama_index import hoptrail_tools


async def answer(folder: str, question: str, llm: LLM) -> AgentOutput:
    """Return what an agent says that has the tools of one knowledge base."""
    with Hoptrail.open(folder) as h:
        agent = ReActAgent(tools=[*hoptrail_tools(h)], llm=llm)
        result: AgentOutput = await agent.run(question)
        return result


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(asyncio.run(answer(*sys.argv[1:3], llm=Settings.llm)))
