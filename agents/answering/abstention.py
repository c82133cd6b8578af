"""The text of an abstention: what was searched, and what is missing."""

from __future__ import annotations

from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import kind_of
from hoptrail.agents.planning.global_question import asks_about_whole
from hoptrail.core.types import JsonDict
from hoptrail.core.types.draft import Draft
from hoptrail.models.chat import HOW_TO_SET_A_MODEL

NOTHING_INDEXED = (
    "the knowledge base has no passages that are ready: hoptrail index FOLDER, or "
    "Hoptrail.index(...), adds documents or goes on with a run that was interrupted"
)
"""The line about a base that holds nothing yet."""

NOT_FROM_REPORTS = "the community reports do not answer it; the answer was read from passages"
"""Of a preset that answers from reports, and had some."""

_HOW_TO_HAVE_REPORTS = (
    "no community reports tell of the whole yet: hoptrail communities, or Hoptrail.communities(), "
    "writes them, also without a model"
)

_MOST_NAMES = 3
# One of each kind and several, in words for a reader who knows no graphs.
_KINDS = {
    "chunks": ("passage", "passages"),
    "relations": ("fact of the graph", "facts of the graph"),
    "paths": ("chain of facts", "chains of facts"),
    "reports": ("community report", "community reports"),
}


def explain_abstention(
    draft: Draft, read: JsonDict, question: str, lacking: str | None = None
) -> str:
    """Return what an abstention says: what was searched, and what to do where something lacks.

    Args:
        draft: The abstention with its reason.
        read: `Evidence.references()` of what the last attempt was given to read.
        question: As it was searched for.
        lacking: What the base lacks for such questions, in a line, where something is known.
    """
    told = _explain(draft, read, question)
    return f"{told} {lacking[:1].upper()}{lacking[1:]}." if lacking else told


def _explain(draft: Draft, read: JsonDict, question: str) -> str:
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
    if draft.strategy == "tables" and draft.reason == "no_evidence" and searched:
        return f"I don't know: no query over the tables in {searched} found an answer."
    if not searched:
        return "I don't know: the search brought up nothing to read for this question."
    if draft.reason == "unverified":
        return f"I don't know: an answer was proposed, but nothing in {searched} supports it."
    quoted = f'"{" ".join(question.split())}"'
    told = f"I don't know: {quoted} was looked for in {searched}, and nothing there answers it"
    if draft.reason == "not_in_knowledge_base":
        return f"{told}. {_unnamed(question)}".strip()
    return f"{told}.{_missing(draft)}"


def _unnamed(question: str) -> str:
    """Return the sentence that none of the question's names was recognised, none without names."""
    names = [name for name in proper_names(question) if kind_of(name) == "entity"]
    return (
        f"No thing of this name is known there: {', '.join(names[:_MOST_NAMES])}." if names else ""
    )


def _counted(read: JsonDict) -> str:
    """Return `10 passages and 1 fact of the graph`, or nothing where nothing was read."""
    parts = []
    for kind, (one, several) in _KINDS.items():
        if number := len(read.get(kind) or ()):
            parts.append(f"{number:,} {one if number == 1 else several}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _missing(draft: Draft) -> str:
    """Return which step is missing where others were found, or where a pattern had to fit."""
    missing = draft.missing
    if missing is None or (draft.strategy == "graph_search" and not draft.hops):
        return ""
    ends = (missing.subject, missing.object)
    known = [end for end in ends if end and end[0] != "?" and kind_of(end) == "entity"]
    if not known or not missing.predicate:
        return ""
    return f' Missing is a statement about {known[0]} ("{missing.predicate}").'


def missing_reports(question: str, *, reads_reports: bool) -> str | None:
    """Return a line that names the command which writes reports, for a base that has none.

    Args:
        question: As it was searched for.
        reads_reports: Whether the preset answers from reports; else None is returned for a question
            that looks something up.
    """
    return _HOW_TO_HAVE_REPORTS if reads_reports or asks_about_whole(question) else None
