"""Routing: the kind of question decides which presets take it on and how it is prompted."""

from __future__ import annotations

from hoptrail.agents.planning.router import route as classify
from hoptrail.agents.tables.asked import read_asked
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import begin
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import PRESETS, TABLES, WITHOUT_MODEL, Course, depends_on_type
from hoptrail.graphs.state import State, Update


async def route(state: State, run: NodeRun) -> Update:
    """Classify the question; choose the course of presets and the first one's strategy for it."""
    preset, on_graph = run.preset, run.services.has_graph_only
    has_reports = run.services.has_reports
    is_small = run.services.models.is_small("answerer")
    # A preset that treats all types alike needs no model call to tell them apart, and a small
    # model tells them apart no better than the classifier.
    is_needed = depends_on_type(preset, on_graph=on_graph, has_reports=has_reports)
    model = run.model("router") if is_needed and not is_small else None
    question_type = await classify(
        state["standalone_question"], model, embedder=run.services.embedder
    )
    if run.lacks_model:
        return {"question_type": question_type, **_without_model()}
    # Without reports nothing tells of the whole.
    served = question_type if has_reports or question_type != "global" else "inference"
    course = preset.course(served, on_graph=on_graph, is_small=is_small)
    # Without a model no second method is stronger than the first; parameters are one retriever's.
    goes_on = run.context.max_model_calls > 0 and not run.context.parameters
    question = state["standalone_question"]
    course = _with_tables(course, question, run, is_small) if goes_on else course[:1]
    first, *others = _with_thrift(course, run, is_small) if goes_on else course
    return {
        **begin(PRESETS[first], served, run.context),
        "question_type": question_type,
        "course": others,
    }


def _with_thrift(course: Course, run: NodeRun, is_small: bool) -> Course:
    """Return the course that looks first for a plain answer without a model, if that is wanted.

    A named preset is asked for itself.
    """
    is_thrifty = is_small if run.context.thrift is None else run.context.thrift
    if not is_thrifty or not run.preset.courses:
        return course
    return tuple(dict.fromkeys((WITHOUT_MODEL, *course)))


def _with_tables(course: Course, question: str, run: NodeRun, is_small: bool) -> Course:
    """Return the course that first asks tables what they can count, sum up or compare.

    Without any table near the question that costs a search and no call. What is only looked up a
    small model, which reads few passages, asks them for last.
    """
    if not run.preset.courses or run.services.has_graph_only:
        return course
    if read_asked(question).operation != "look_up":
        return tuple(dict.fromkeys((TABLES, *course)))
    reads = any(PRESETS[name].needs_model for name in course)
    return (*course, TABLES) if is_small and reads else course


def _without_model() -> Update:
    """Return the update by which a run only looks up passages and says that it lacks a model."""
    return {"stop_reason": "model_unavailable", "draft": Draft("none", reason="no_model").to_json()}
