"""The nodes of DotRAG: concepts, a branch for each, and what the branches found together.

A branch writes rules for its paths, then searches and judges in rounds (section 3).
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from hoptrail.agents.dotrag import (
    Concept,
    JudgedPath,
    Rules,
    judge_paths,
    write_concepts,
    write_constraints,
    write_next_query,
)
from hoptrail.core.algorithms.path_verdicts import without_prefixes
from hoptrail.core.text import normalize_answer
from hoptrail.core.types import JsonDict, PathReference
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update, add_notes, add_usage, gathered, total_usage

_ANSWER_CALLS = 1


class DotInput(TypedDict):
    """The input of a branch.

    `concept` is where it starts, in words, `anchors` the ids of its entities. `max_calls` is the
    turn's number of model calls after which this branch goes on without a model, `spent` what the
    turn spent before it.
    """

    standalone_question: str
    concept: JsonDict
    anchors: list[str]
    started_at: float
    spent: JsonDict
    max_calls: int


class DotOutput(TypedDict):
    """The output of a branch: one record, its account and notes, and its degradations."""

    dots: Annotated[list[JsonDict], operator.add]
    usage: Annotated[JsonDict, add_usage]
    notes: Annotated[list[str], add_notes]
    degraded: Annotated[list[str], add_notes]


class DotState(DotInput, DotOutput, total=False):
    """The branch's own channels.

    `rules` are the JSON form of the constraints, `queries` those of the next round, `searched` all
    so far, `judged` the ids of entities whose paths were judged, `batch` references to the round's
    paths, `begun` those of the last round that lead on (None before the first), `kept` those that
    are worth keeping, and `rounds` an account of each round.
    """

    rules: JsonDict
    queries: list[str]
    searched: list[str]
    judged: list[str]
    batch: JsonDict
    begun: list[list[Any]] | None
    kept: list[list[Any]]
    rounds: list[JsonDict]


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
    return gathered(evidence)


async def constrain(state: DotState, run: NodeRun) -> Update:
    """Write the rules of this DOT; the first query is the question itself."""
    question = state["standalone_question"]
    concept = Concept.from_json(state["concept"])
    described = f"{concept.text}: {concept.guess}" if concept.guess else concept.text
    schema = await run.describe_graph()
    rules = await write_constraints(question, described, schema, run.model("decomposer"))
    return {
        "rules": rules.to_json(),
        "queries": [question],
        "searched": [],
        "judged": [],
        "batch": {},
        "begun": None,
        "kept": [],
        "rounds": [],
    }


async def search(state: DotState, run: NodeRun) -> Update:
    """Find paths from the anchors to the nodes nearest to the round's queries."""
    found = await run.retrieve(
        "search_paths",
        question=state["standalone_question"],
        anchors=state["anchors"],
        queries=state["queries"],
        entity_types=list(Rules.from_json(state["rules"]).entity_types),
        leave_out=state["judged"],
        begun=state["begun"],
        parameters=run.context.parameters,
    )
    reached = [hit.item.id for hit in found.entities]
    return {
        "batch": found.references(),
        "searched": [*state["searched"], *state["queries"]],
        "judged": list(dict.fromkeys([*state["judged"], *reached])),
    }


async def judge(state: DotState, run: NodeRun) -> Update:
    """Keep what the judge does not call irrelevant, and ask on where a path is partial."""
    batch = await run.evidence({"paths": state["batch"]["paths"]})
    paths = [hit.item for hit in batch.paths]
    question, rules = state["standalone_question"], Rules.from_json(state["rules"]).text
    embed = run.services.embedder.embed
    judged = await judge_paths(question, rules, paths, run.model("judge"), embed)
    new = [
        PathReference(*listed)._replace(verdict=one.verdict)
        for listed, one in zip(batch.references()["paths"], judged, strict=True)
        if one.verdict != "irrelevant"
    ]
    kept = [*(PathReference(*listed) for listed in state["kept"]), *new]
    complete = [place for place, path in enumerate(kept) if path.verdict == "complete"]
    longest = without_prefixes([path.relation_ids for path in kept], complete)
    counts = Counter(one.verdict for one in judged)
    account = {"queries": state["queries"], "paths": len(paths), "verdicts": dict(counts)}
    rounds = [*state["rounds"], account]
    # A text tells its answer once; a graph without passages may hold further ones.
    is_found = bool(complete) and not run.services.has_graph_only
    is_barren = len(rounds) > 1 and not kept
    is_last = is_found or is_barren or len(rounds) >= run.context.search_rounds
    return {
        "begun": [list(path) for path in new if path.verdict == "partial"],
        "kept": [list(kept[place]) for place in longest],
        "rounds": rounds,
        "queries": [] if is_last else await _next_queries(state, run, judged),
    }


async def report(state: DotState, run: NodeRun) -> Update:
    """Hand the branch's record to the turn."""
    record = {
        "concept": state["concept"],
        "anchors": state["anchors"],
        "rules": state["rules"],
        "rounds": state["rounds"],
        "searched": state["searched"],
        "paths": state["kept"],
        "degraded": bool(state["degraded"]),
    }
    return {"dots": [record]}


async def _next_queries(state: DotState, run: NodeRun, judged: Sequence[JudgedPath]) -> list[str]:
    """Return what partial paths ask for; else one query that was not made before.

    A next question that was asked before is asked again, of what lies one hop further.
    """
    known = {normalize_answer(query) for query in state["searched"]}
    asked = {normalize_answer(one.next_question): one.next_question for one in judged}
    fresh = [query for key, query in asked.items() if key and key not in known]
    if fresh or any(asked):
        return fresh or list(dict.fromkeys(filter(None, asked.values())))
    question = state["standalone_question"]
    query = await write_next_query(question, state["searched"], run.model("decomposer"))
    return [query] if query else []
