"""`run_eval`: one retriever or preset over a file of questions with gold."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hoptrail import __version__
from hoptrail.api import Hoptrail
from hoptrail.core.errors import SettingsError
from hoptrail.core.types import Document, JsonDict
from hoptrail.eval.coverage_floor import RandomFloor
from hoptrail.eval.gold import resolve_gold
from hoptrail.eval.preset_system import PresetSystem
from hoptrail.eval.question_reader import load_questions
from hoptrail.eval.report import render_report
from hoptrail.eval.retriever_system import RetrieverSystem
from hoptrail.eval.run_folder import RunFolder
from hoptrail.eval.summary import summarize
from hoptrail.eval.systems import System
from hoptrail.eval.worker import Progress, Worker
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.stores.knowledge_base import KnowledgeBase


def run_eval(
    questions: Path,
    knowledge_base: str | Path,
    out: Path,
    *,
    preset: str | None = None,
    retriever: str | None = None,
    context: Mapping[str, Any] | None = None,
    limit: int | None = None,
    concurrency: int = 1,
    allow_missing_gold: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> JsonDict:
    """Measure one system and return its summary; `out` gets rows, summary and a page.

    Rows are written as they finish. Called again with the same arguments, it continues an
    interrupted run; a question that crashes is a row with a failure, and is tried again then.

    Args:
        questions: JSONL file of questions (CONTRACT 3).
        knowledge_base: Folder or name of the indexed corpus.
        out: Folder for `rows.jsonl`, `summary.json`, `report.html` and `run.json`.
        preset: The preset to measure; give this or `retriever`.
        retriever: The retriever to measure alone.
        context: Fields of `Context`: `k`, `budget`, `seed`, models and so on.
        limit: Only the first so many questions.
        concurrency: Questions in flight at once; above 1 the times include waiting.
        allow_missing_gold: Count questions whose gold is not in the knowledge base as failures
            instead of raising.
        report: Called at the start and after each question.

    Raises:
        InputError: If the questions cannot be used, the knowledge base lacks their gold, or `out`
            holds another run.
        SettingsError: If not exactly one of `preset` and `retriever` is given.
    """
    if (preset is None) == (retriever is None):
        raise SettingsError(
            "what is to be measured?", hint="give --preset or --retriever, not both"
        )
    asked = load_questions(questions, limit)
    choices = dict(context or {}) if preset is None else {**(context or {}), "preset": preset}
    with Hoptrail.open(knowledge_base, **choices) as hoptrail:
        kb = hoptrail.knowledge_base
        chosen = resolve_context({**choices, "knowledge_base": str(kb.path.resolve())})
        gold = resolve_gold(asked, _documents(kb), questions, allow_missing=allow_missing_gold)
        system = _make_system(hoptrail, retriever, chosen)
        folder = RunFolder(out)
        run = {**_describe_run(questions, kb, system.name, chosen), "limit": limit}
        rows = folder.resume(run)
        worker = Worker(system, RandomFloor(kb, chosen.budget, chosen.seed), gold, folder, report)
        measured = asyncio.run(worker.work_off(asked, rows, concurrency))
    summary = summarize(measured)
    folder.finish(summary, render_report(run, summary, measured))
    return summary


def _documents(kb: KnowledgeBase) -> list[Document]:
    return kb.store.documents([str(doc_id) for doc_id in kb.index.doc_ids])


def _make_system(hoptrail: Hoptrail, retriever: str | None, context: Context) -> System:
    if retriever is None:
        return PresetSystem(hoptrail, context)
    accepted = RETRIEVERS[retriever].model_fields if retriever in RETRIEVERS else {}
    parameters = {name: value for name, value in context if name in accepted}
    return RetrieverSystem(hoptrail.retriever(retriever, **parameters))


def _describe_run(questions: Path, kb: KnowledgeBase, system: str, context: Context) -> JsonDict:
    """Return all that a row depends on, as `run.json` records it."""
    return {
        "hoptrail": __version__,
        "system": system,
        "questions": questions.name,
        "questions_sha256": hashlib.sha256(questions.read_bytes()).hexdigest(),
        **context.model_dump(mode="json"),
        "knowledge_base": kb.name,
        "generation": kb.generation,
    }
