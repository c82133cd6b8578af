"""The nodes of DAGR: sub-questions, each with its evidence and answer; in the end all of it."""

from __future__ import annotations

from hoptrail.agents.answering.graph_answerer import graph_answers
from hoptrail.agents.dagr import decompose as take_apart
from hoptrail.agents.dagr import fill_in, in_order_of_use, references, slices, solve, without_vain
from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.core.render import render
from hoptrail.core.types import Evidence, JsonDict
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.state import State, Update


async def decompose(state: State, run: NodeRun) -> Update:
    """Break the question into sub-questions, asked one after the other."""
    sub_questions = await take_apart(state["standalone_question"], run.model("decomposer"))
    return {"sub_questions": list(sub_questions)}


async def solve_step(state: State, run: NodeRun) -> Update:
    """Retrieve for the next sub-question, with the answer before it, and answer it.

    The last one needs no answer: the question itself is answered from what states the steps, and
    earlier answers stay out of that prompt, where a wrong one would mislead. Nor is one asked that
    builds on an answer which was not found: it stays without evidence.
    """
    done, place = state["steps"], len(state["steps"])
    answers = [one["answer"] for one in done]
    asked = [one["question"] for one in done]
    written = state["sub_questions"][place]
    sub_question = fill_in(written, asked, answers)
    if not all(answers[number - 1] for number in references(written)):
        return {"steps": [*done, _step(sub_question, Evidence())]}
    evidence = await retrieve_for(
        run, state["standalone_question"], {"sub_questions": [_with_context(sub_question, answers)]}
    )
    if place + 1 == len(state["sub_questions"]):
        return {"steps": [*done, _step(sub_question, evidence)]}
    answer, read = await _solve(state, run, sub_question, evidence)
    return {"steps": [*done, _step(sub_question, evidence, answer, read)]}


async def gather(state: State, run: NodeRun) -> Update:
    """Merge the evidence of all steps: first what states their answers, then what is unread.

    Where a step was not answered, only that much is read: what its solver has read in vain is not
    sent again.
    """
    steps = state["steps"]
    parts = [await run.evidence(one["evidence"]) for one in steps]
    ordered = in_order_of_use(
        parts, [one["answer"] for one in steps], [one["read"] for one in steps]
    )
    vain = {id_ for one in steps if not one["answer"] for id_ in one["read"]}
    shown = without_vain(ordered, vain) if vain else ordered
    return {
        "retrieved": ordered.references(),
        "evidence": shown.references(),
        "summary": shown.summary(),
    }


def _step(
    question: str, evidence: Evidence, answer: str = "", read: tuple[str, ...] = ()
) -> JsonDict:
    """Return the record of a sub-question; `read` are the ids of the passages that it was shown."""
    references = evidence.references()
    return {"question": question, "answer": answer, "evidence": references, "read": list(read)}


def _with_context(sub_question: str, answers: list[str]) -> str:
    previous = answers[-1] if answers else ""
    return sub_question if previous in sub_question else f"{previous} {sub_question}"


async def _solve(
    state: State, run: NodeRun, sub_question: str, evidence: Evidence
) -> tuple[str, tuple[str, ...]]:
    """Return the answer, empty where none was found, and the passages that were read for it."""
    read: list[str] = []

    async def ask(model: PromptedModel) -> str:
        if run.reads_graph("solver", evidence):
            reply = await run.ask_graph_llm(sub_question, evidence.references())
            return "; ".join(graph_answers(reply))
        place, count = len(state["steps"]), await model.chat.token_counter()
        for shown in slices(evidence):
            read.extend(hit.item.id for hit in shown.chunks)
            rendered = render(shown, run.context.budget, count)
            question = state["standalone_question"]
            if answer := await solve(question, sub_question, place, rendered, model):
                return answer
        return ""

    def search() -> str:
        return search_answer(sub_question, "bridge", evidence, run.similarity()).text

    return await decide(run.model("solver"), ask, search), tuple(read)
