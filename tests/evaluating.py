"""Evaluations of tests, by the choices that they name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hoptrail.core.types import JsonDict
from hoptrail.eval.runs.runner import RunPlan, run_eval
from hoptrail.graphs.context import resolve_context


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
