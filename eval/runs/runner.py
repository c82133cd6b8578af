"""An evaluation: one retriever, preset or peer over a file of questions with gold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from hoptrail import __version__
from hoptrail.core.settings import Settings, load_settings
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.summary import summarize
from hoptrail.eval.files.run_folder import LoadedRun, RunFolder
from hoptrail.eval.metrics.equivalence_judge import EquivalenceJudge
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.eval.report.page import render_report
from hoptrail.eval.runs.models_of_run import choose_judge, with_order, with_reader
from hoptrail.eval.runs.run_plan import RunPlan
from hoptrail.eval.runs.run_record import describe_circumstances, describe_file, describe_models
from hoptrail.eval.runs.setup import Opening, Setup, effective_context, over_corpus, over_graphs
from hoptrail.eval.runs.worker import RunProgress, Worker
from hoptrail.graphs.context import Context

_OF_WHO_ASKS = {"reader", "saved_answers"}  # no choices of a system


def run_eval(plan: RunPlan, report: Callable[[RunProgress], None] | None = None) -> JsonDict:
    """Measure one system and return its summary; `plan.out` gets rows, summary and a page.

    Rows are written as they finish. Called again with the same plan, it continues an interrupted
    run; a question that crashes is a row with a failure, and is tried again then.

    Args:
        plan: The system, the questions, and where the rows go.
        report: Called at the start and after each question.

    Raises:
        InputError: If the questions cannot be used, the knowledge base lacks their gold, or
            `plan.out` holds another run.
        SettingsError: If a model or a reader cannot be used.
    """
    settings = load_settings()
    chosen = with_reader(with_order(plan.preset_context, settings), plan.reader, settings)
    context = effective_context(chosen, settings)
    judging = _choose_judge(plan, settings, context)
    asked = load_questions(plan.questions, plan.limit)
    folder = RunFolder(plan.out)
    opening = Opening(plan.retriever, plan.peer, plan.reader, chosen, settings, plan.cache)
    with _set_up(plan, asked, opening) as ready:
        run = {
            "hoptrail": __version__,
            "system": ready.system.name,
            "reader": plan.reader,
            "judge": judging[0] if judging else None,
            **describe_file("questions", plan.questions),
            "limit": plan.limit,
            **context.model_dump(mode="json", exclude=_OF_WHO_ASKS),
            **(describe_models(context, settings) if plan.preset else {}),
            **ready.identity,
        }
        circumstances = describe_circumstances(plan.command, len(asked), plan.concurrency)
        defaults = Context().model_dump(mode="json", exclude=_OF_WHO_ASKS)
        rows = folder.resume(run, circumstances, defaults=defaults)
        judge = judging[1] if judging else None
        worker = Worker(ready.system, ready.floor, ready.gold, folder, report, judge)
        measured = asyncio.run(worker.work_off(asked, rows, plan.concurrency))
    summary = {"reader": plan.reader, **summarize(measured)}
    folder.finish(summary, render_report([LoadedRun(folder.record(), summary, measured)]))
    return summary


def _set_up(
    plan: RunPlan, asked: Sequence[Question], opening: Opening
) -> AbstractContextManager[Setup]:
    if plan.graphs is not None:
        return over_graphs(plan.graphs, plan.knowledge_base, asked, plan.questions, opening)
    return over_corpus(
        plan.knowledge_base,
        asked,
        plan.questions,
        opening,
        allow_missing_gold=plan.allow_missing_gold,
    )


def _choose_judge(
    plan: RunPlan, settings: Settings, context: Context
) -> tuple[str, EquivalenceJudge] | None:
    if plan.judge is None and plan.preset is None:
        return None
    return choose_judge(plan.judge, context, settings)
