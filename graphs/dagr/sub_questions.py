"""The nodes of DAGR: sub-questions, each with its evidence and answer; all evidence in the end."""

from __future__ import annotations

from hoptrail.agents.answering.graph_llm_reply import graph_answers
from hoptrail.agents.dagr.decomposer import decompose as take_apart
from hoptrail.agents.dagr.decomposer import fill_in
from hoptrail.agents.dagr.sub_question_solver import solve
from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.core.render import render
from hoptrail.core.types import Evidence
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.state import State, Update


async def decompose(state: State, run: NodeRun) -> Update:
    """Break the question into sub-questions, asked one after the other."""
    sub_questions = await take_apart(state["standalone_question"], run.model("decomposer"))
    return {"sub_questions": list(sub_questions)}


async def solve_step(state: State, run: NodeRun) -> Update:
    """Retrieve for the next sub-question, with the answer before it, and answer it.

    The last one needs no answer: the question itself is answered from all evidence, and earlier
    answers stay out of that prompt, where a wrong one would mislead.
    """
    done, place = state["steps"], len(state["steps"])
    answers = [one["answer"] for one in done]
    asked = [one["question"] for one in done]
    sub_question = fill_in(state["sub_questions"][place], asked, answers)
    evidence = await retrieve_for(
        run, state["standalone_question"], sub_questions=[_with_context(sub_question, answers)]
    )
    is_last = place + 1 == len(state["sub_questions"])
    answer = "" if is_last else await _solve(state, run, sub_question, evidence)
    solved = {"question": sub_question, "answer": answer, "evidence": evidence.references()}
    return {"steps": [*done, solved]}


async def gather(state: State, run: NodeRun) -> Update:
    """Merge the evidence of all steps, each step's best first."""
    parts = [await run.evidence(one["evidence"]) for one in state["steps"]]
    references = Evidence.interleave(parts).references()
    return {"retrieved": references, "evidence": references}


def _with_context(sub_question: str, answers: list[str]) -> str:
    previous = answers[-1] if answers else ""
    return sub_question if previous in sub_question else f"{previous} {sub_question}"


async def _solve(state: State, run: NodeRun, sub_question: str, evidence: Evidence) -> str:
    async def ask(model: PromptedModel) -> str:
        if run.reads_graph("solver", evidence):
            reply = await run.ask_graph_llm(sub_question, evidence.references())
            return "; ".join(graph_answers(reply))
        rendered = render(evidence, run.context.budget, await model.chat.token_counter())
        place = len(state["steps"])
        return await solve(state["standalone_question"], sub_question, place, rendered, model)

    def search() -> str:
        return search_answer(sub_question, "bridge", evidence, run.services.embed_freely).text

    return await decide(run.model("solver"), ask, search)
