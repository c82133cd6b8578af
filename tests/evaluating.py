"""Evaluations of tests, by the choices that they name, over the articles of the examples."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hoptrail import Hoptrail
from hoptrail.core.types import JsonDict
from hoptrail.eval.runs.runner import RunPlan, run_eval
from hoptrail.graphs.context import resolve_context

ROOT = Path(__file__).parents[1]
QUESTIONS = ROOT / "examples" / "questions.jsonl"


def index_articles(folder: Path) -> None:
    """Make a base of the examples; their questions name documents as indexed from the root."""
    with contextlib.chdir(ROOT), Hoptrail.open(folder, create=True, writable=True) as hoptrail:
        hoptrail.index(["examples/articles"], extractor="nlp")


def rows_of(run: Path) -> list[JsonDict]:
    """Return the rows of a finished run."""
    lines = (run / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def measure(
    questions: Path,
    knowledge_base: Path,
    out: Path,
    *,
    context: Mapping[str, Any] | None = None,
    **choices: Any,
) -> JsonDict:
    """Return the summary of a run; `choices` are the further fields of `RunPlan`."""
    return run_eval(
        RunPlan(
            questions=questions,
            knowledge_base=knowledge_base,
            out=out,
            context=resolve_context(context),
            **choices,
        )
    )
