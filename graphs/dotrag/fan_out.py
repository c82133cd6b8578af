"""The branches of DotRAG: the concepts that they start from, and their evidence together."""

from __future__ import annotations

from hoptrail.agents.dotrag import write_concepts
from hoptrail.graphs.dotrag.branch_state import DotInput
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update, total_usage

_ANSWER_CALLS = 1


async def lay_out(state: State, run: NodeRun) -> Update:
    """Choose the concepts that the search starts from; each becomes one branch.

    The model calls that are left are shared out among the branches, but for that of the answer.
    """
    question, schema = state["standalone_question"], await run.describe_graph()
    concepts = await write_concepts(question, schema, run.model("decomposer"))
    starts = await run.find_anchors(question, [concept.to_json() for concept in concepts])
    spent = {**state["usage"], "lay_out": run.meter.usage.to_json()}
    calls = total_usage(spent).llm_calls
    left = max(0, run.context.max_model_calls - calls - _ANSWER_CALLS)
    branches = [
        DotInput(
            standalone_question=question,
            concept=start["concept"],
            anchors=start["anchors"],
            started_at=state["started_at"],
            spent=spent,
            max_calls=calls + left // len(starts),
        )
        for start in starts
    ]
    return {"branches": branches}


async def collect(state: State, run: NodeRun) -> Update:
    """Merge the paths of all branches, with the passages of the entities on them."""
    paths = [path for dot in state["dots"] for path in dot["paths"]]
    evidence = await run.retrieve(
        "read_paths",
        question=state["standalone_question"],
        anchors=sorted({anchor for dot in state["dots"] for anchor in dot["anchors"]}),
        references={"paths": paths},
        queries=list(dict.fromkeys(query for dot in state["dots"] for query in dot["searched"])),
        k=run.context.k,
        budget=run.context.budget,
        parameters=run.context.parameters,
        reranker=run.context.reranker,
    )
    return {
        "retrieved": evidence.references(),
        "evidence": {},
        "summary": evidence.summary(),
    }
