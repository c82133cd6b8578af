"""One branch of DotRAG: rules for its paths, then rounds of search and judgement (section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hoptrail.agents.dotrag.concept_writer import Concept
from hoptrail.agents.dotrag.constraint_writer import Rules, write_constraints
from hoptrail.agents.dotrag.next_query_writer import write_query
from hoptrail.agents.dotrag.path_judge import JudgedPath
from hoptrail.agents.dotrag.path_judge import judge as judge_paths
from hoptrail.core.algorithms.path_verdicts import without_prefixes
from hoptrail.core.text import normalize_answer
from hoptrail.core.types import PathReference
from hoptrail.graphs.dotrag.branch_state import DotState
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import Update


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
    query = await write_query(question, state["searched"], run.model("decomposer"))
    return [query] if query else []
