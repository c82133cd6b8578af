"""An evaluation: one retriever, preset or peer over a file of questions with gold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from hoptrail import __version__
from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import load_settings
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.summary import summarize
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.eval.report.page import render_report
from hoptrail.eval.run_folder import LoadedRun, RunFolder
from hoptrail.eval.runs.run_record import (
    choose_judge,
    command_line,
    describe_circumstances,
    describe_file,
    describe_models,
    with_order,
    with_reader,
)
from hoptrail.eval.runs.setup import Opening, Setup, effective_context, over_corpus, over_graphs
from hoptrail.eval.runs.worker import RunProgress, Worker
from hoptrail.graphs.context import Context, resolve_context

_OF_WHO_ASKS = {"reader", "saved_answers"}  # no choices of a system


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """One system to be measured over a file of questions, and where its rows go.

    Attributes:
        questions: JSONL file of questions (docs/evaluation.md, "Questions").
        knowledge_base: Folder or name of the indexed corpus; with `graphs` the folder that keeps
            the indexed graphs.
        out: Folder for `rows.jsonl`, `summary.json`, `report.html` and `run.json`.
        preset: The preset to measure; give this, `retriever` or `peer`.
        retriever: The retriever to measure alone.
        peer: File of another system's output over this knowledge base (docs/evaluation.md).
        reader: Model of all roles of the preset: `oracle`, `oracle:noise=X` or `PROVIDER:MODEL`.
        judge: Model that judges answers which their words do not settle, or `none`. By default
            the role `judge_eval`'s where a preset's models are a provider's.
        graphs: File with a graph for each question.
        context: `k`, `budget`, `seed`, models and so on; what it leaves unset the preset chooses.
        limit: Only the first so many questions.
        concurrency: Questions in flight at once; above 1 the times include waiting.
        allow_missing_gold: Count questions whose gold is not in the knowledge base, or that a
            peer left out, as failures instead of raising.
        cache: Folder that keeps retrieved evidence for later runs.

    Raises:
        SettingsError: If they exclude each other, or nothing is to be measured.
    """

    questions: Path
    knowledge_base: str | Path
    out: Path
    preset: str | None = None
    retriever: str | None = None
    peer: Path | None = None
    reader: str | None = None
    judge: str | None = None
    graphs: Path | None = None
    context: Context = field(default_factory=Context)
    limit: int | None = None
    concurrency: int = 1
    allow_missing_gold: bool = False
    cache: Path | None = None

    def __post_init__(self) -> None:
        if sum(choice is not None for choice in (self.preset, self.retriever, self.peer)) != 1:
            raise SettingsError(
                "what is to be measured?",
                hint="give exactly one of --preset, --retriever and --peer",
            )
        if self.preset is None and self.reader is not None:
            raise SettingsError("only a preset asks a reader", hint="leave --reader out")
        if self.graphs is not None and self.context.filter is not None:
            raise SettingsError(
                "a filter is for the documents of a corpus", hint="leave --filter or --graphs out"
            )
        if self.peer is not None and self.graphs is not None:
            raise SettingsError(
                "a peer is measured over a corpus", hint="leave --graphs out, and name its corpus"
            )

    @property
    def preset_context(self) -> Context:
        """The context with the preset in it."""
        if self.preset is None:
            return self.context
        return resolve_context({"preset": self.preset}, self.context)

    @property
    def command(self) -> str:
        """The shell command that does the same."""
        options = {
            "--questions": self.questions,
            "--kb": self.knowledge_base,
            "--preset": self.preset,
            "--retriever": self.retriever,
            "--peer": self.peer,
            "--reader": self.reader,
            "--judge": self.judge,
            "--graphs": self.graphs,
            "--limit": self.limit,
            "--concurrency": None if self.concurrency == 1 else self.concurrency,
            "--allow-missing-gold": self.allow_missing_gold,
            "--out": self.out,
        }
        return command_line(options, self.context.model_dump(exclude_unset=True))


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
    is_judged = plan.judge is not None or plan.preset is not None
    judging = choose_judge(plan.judge, context, settings) if is_judged else None
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
