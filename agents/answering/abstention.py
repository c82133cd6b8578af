"""The text of an abstention: what was searched, and what is missing."""

from __future__ import annotations

from hoptrail.core.types import JsonDict
from hoptrail.core.types.draft import Draft
from hoptrail.models.chat import HOW_TO_SET_A_MODEL

_KINDS = {
    "chunks": "passage",
    "relations": "relation",
    "paths": "path",
    "reports": "community report",
}


def explain_abstention(draft: Draft, read: JsonDict) -> str:
    """Return what an abstention says: one sentence, and what to set where a model is lacking.

    Args:
        draft: The abstention with its reason.
        read: `Evidence.references()` of what the last attempt was given to read.
    """
    searched = _counted(read)
    if draft.reason == "no_model":
        shown = "; these passages are the nearest" if read.get("chunks") else ""
        ways = f"{HOW_TO_SET_A_MODEL}, or use preset offline"
        return f"I don't know: no language model is set{shown}. To get an answer, {ways}."
    if draft.reason == "no_graph_server":
        shown = "; these passages are the nearest" if read.get("chunks") else ""
        return (
            "I don't know: preset cypher asks a knowledge base that is published to Neo4j, and "
            f'this one is not{shown}. To publish it, set graph = "neo4j://host:7687" for it in '
            "hoptrail.toml and run hoptrail publish, or use another preset."
        )
    if draft.strategy == "cypher" and draft.reason == "no_evidence":
        shown = "; these passages are the nearest" if read.get("chunks") else ""
        return f"I don't know: no query of the graph found an answer{shown}."
    if not searched:
        return "I don't know: the search brought up nothing to read for this question."
    if draft.reason == "unverified":
        return f"I don't know: an answer was proposed, but nothing in {searched} supports it."
    if draft.reason == "not_in_knowledge_base":
        return f"I don't know: no name of the question was recognised in {searched}."
    if draft.reason == "unresolved_variable":
        return f"I don't know: one step was not found in {searched}{_missing(draft)}."
    if draft.strategy == "graph_search":
        return f"I don't know: no chain of stated facts in {searched} answers the question."
    return f"I don't know: no answer was found in {searched}."


def _counted(read: JsonDict) -> str:
    """Return `10 passages and 1 relation`, or nothing where nothing was read."""
    parts = []
    for kind, name in _KINDS.items():
        if number := len(read.get(kind) or ()):
            parts.append(f"{number:,} {name}{'' if number == 1 else 's'}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _missing(draft: Draft) -> str:
    if draft.missing is None:
        return ""
    terms = (draft.missing.subject, draft.missing.predicate, draft.missing.object)
    return ": " + " - ".join("?" if term.startswith("?") else term for term in terms if term)
