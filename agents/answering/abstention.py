"""The text of an abstention: what was searched, and what is missing."""

from __future__ import annotations

import re

from hoptrail.agents.answering.missing_words import MissingWords
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import kind_of
from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.agents.planning.question_form import asks_about_whole
from hoptrail.core.language.detection import ENGLISH
from hoptrail.core.language.messages import counted_in, in_language, listed_in, worded
from hoptrail.core.reply_conventions import UNLIKELY_WORDS
from hoptrail.core.text import contains_answer, flat, name_key
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

# Each without the nearest passages below it, and with them.
_NO_MODEL = (
    "I don't know: no language model is set. To get an answer, {how}, or use preset offline.",
    "I don't know: no language model is set; these passages are the nearest. To get an answer, "
    "{how}, or use preset offline.",
)
_NO_GRAPH_SERVER = (
    "I don't know: preset cypher asks a knowledge base that is published to Neo4j, and this one is "
    'not. To publish it, set graph = "neo4j://host:7687" for it in hoptrail.toml and run hoptrail '
    "publish, or use another preset.",
    "I don't know: preset cypher asks a knowledge base that is published to Neo4j, and this one is "
    'not; these passages are the nearest. To publish it, set graph = "neo4j://host:7687" for it in '
    "hoptrail.toml and run hoptrail publish, or use another preset.",
)
_NO_QUERY_ANSWERS = (
    "I don't know: no query of the graph found an answer.",
    "I don't know: no query of the graph found an answer; these passages are the nearest.",
)
_NO_TABLE_ANSWERS = "I don't know: no query over the tables in {searched} found an answer."
_NOTHING_FOUND = "I don't know: the search brought up nothing to read for this question."
_UNVERIFIED = "I don't know: an answer was proposed, but nothing in {searched} supports it."
_NOT_THERE = "I don't know: {quoted} was looked for in {searched}, and nothing there answers it."
_UNKNOWN_NAMES = "No thing of this name is known there: {names}."
_MISSING_STATEMENT = 'Missing is a statement about {known} ("{predicate}").'
_FOUND_NOWHERE = "Found nowhere there: {words}."
_NOT_IN_NEAREST = "The nearest passage does not have: {words}."
_MOST_NAMES = 3
_NO_WORDS = MissingWords()
_CALENDAR = re.compile(rf"(?:{MONTHS}|{WEEKDAYS})s?|Easter|Christmas")
# One of each kind and several, in words for a reader who knows no graphs.
_KINDS = {
    "chunks": ("{number} passage", "{number} passages"),
    "relations": ("{number} fact of the graph", "{number} facts of the graph"),
    "paths": ("{number} chain of facts", "{number} chains of facts"),
    "reports": ("{number} community report", "{number} community reports"),
}


def explain_abstention(
    draft: Draft,
    read: JsonDict,
    question: str,
    lacking: str | None = None,
    language: str = ENGLISH,
    missing: MissingWords = _NO_WORDS,
    unlikely: str = "",
) -> str:
    """Return what an abstention says: what was searched, and what to do where something lacks.

    Args:
        draft: The abstention with its reason.
        read: `Evidence.references()` of what the last attempt was given to read.
        question: As it was searched for.
        lacking: What the base lacks for such questions, in a line, where something is known.
        language: That of the question; what has no catalogue is told in English.
        missing: The question's words that were not found in what was read.
        unlikely: The words that were found and are not given.
    """
    told = _explain(draft, read, question, language, missing)
    if unlikely:
        told += " " + UNLIKELY_WORDS.format(words=flat(unlikely))
    if not lacking:
        return told
    lacking = in_language(lacking, language)
    return f"{told} {lacking[:1].upper()}{lacking[1:]}."


def _explain(
    draft: Draft, read: JsonDict, question: str, language: str, missing: MissingWords
) -> str:
    searched = _counted(read, language)
    is_shown = bool(read.get("chunks"))
    if draft.reason == "no_model":
        return worded(_NO_MODEL[is_shown], language, how=worded(HOW_TO_SET_A_MODEL, language))
    if draft.reason == "no_graph_server":
        return worded(_NO_GRAPH_SERVER[is_shown], language)
    if draft.strategy == "cypher" and draft.reason == "no_evidence":
        return worded(_NO_QUERY_ANSWERS[is_shown], language)
    if draft.strategy == "tables" and draft.reason == "no_evidence" and searched:
        return worded(_NO_TABLE_ANSWERS, language, searched=searched)
    if not searched:
        return worded(_NOTHING_FOUND, language)
    if draft.reason == "unverified":
        return worded(_UNVERIFIED, language, searched=searched)
    quoted = f'"{flat(question)}"'
    is_yes_no = language == ENGLISH and focus_of(question).answer_type == "yes_no"
    if is_yes_no and draft.strategy == "graph_search":
        asked = f"{quoted} asks for yes or no"
        told = f"I don't know: {asked}, and nothing in {searched} says it outright."
        return f"{told} {_missing_words(missing, language)}".strip()
    told = worded(_NOT_THERE, language, quoted=quoted, searched=searched)
    if draft.reason == "not_in_knowledge_base":
        lacks = _unnamed(question, language)
    else:
        lacks = _missing(draft, question, language)
    return f"{told} {lacks or _missing_words(missing, language)}".strip()


def _missing_words(missing: MissingWords, language: str) -> str:
    """Return the sentence about words that were not found, nothing where all were."""
    message = _FOUND_NOWHERE if missing.everywhere else _NOT_IN_NEAREST
    found = missing.everywhere or missing.nearest
    quoted = listed_in([f'"{word}"' for word in found], language)
    return worded(message, language, words=quoted) if found else ""


def _unnamed(question: str, language: str) -> str:
    """Return the sentence that none of the question's names was recognised, none without names."""
    names = [name for name in proper_names(question) if _names_thing(name)]
    shown = ", ".join(names[:_MOST_NAMES])
    return worded(_UNKNOWN_NAMES, language, names=shown) if names else ""


def _names_thing(name: str) -> bool:
    return kind_of(name) == "entity" and _CALENDAR.fullmatch(name) is None


def _counted(read: JsonDict, language: str) -> str:
    """Return `10 passages and 1 fact of the graph`, or nothing where nothing was read."""
    parts = [
        counted_in(one, several, number, language)
        for kind, (one, several) in _KINDS.items()
        if (number := len(read.get(kind) or ()))
    ]
    return listed_in(parts, language)


def _missing(draft: Draft, question: str, language: str) -> str:
    """Return which step is missing where others were found, or where a pattern had to fit.

    Nothing is missing about Port Selwick where the Selwick Conservatory is asked about.
    """
    missing = draft.missing
    if missing is None or (draft.strategy == "graph_search" and not draft.hops):
        return ""
    ends = (missing.subject, missing.object)
    known = [end for end in ends if end and end[0] != "?" and kind_of(end) == "entity"]
    if not known or not missing.predicate or _is_part_of_asked(known[0], question):
        return ""
    return worded(_MISSING_STATEMENT, language, known=known[0], predicate=missing.predicate)


def _is_part_of_asked(known: str, question: str) -> bool:
    """Return whether a name shares a word with one that a question has, and is not in it itself."""
    if contains_answer(question, known):
        return False
    words = set(name_key(known).split())
    return any(words & set(name_key(name).split()) for name in proper_names(question))


def missing_reports(question: str, *, reads_reports: bool) -> str | None:
    """Return a line that names the command which writes reports, for a base that has none.

    Args:
        question: As it was searched for.
        reads_reports: Whether the preset answers from reports; else None is returned for a question
            that looks something up.
    """
    return _HOW_TO_HAVE_REPORTS if reads_reports or asks_about_whole(question) else None
