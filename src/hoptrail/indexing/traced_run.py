"""A run that changes a knowledge base as a span, with its stages as parts, and as metrics."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from hoptrail.core.tracing import metrics
from hoptrail.core.tracing.spans import Value, capturing, error_type, span
from hoptrail.core.types import Usage
from hoptrail.indexing.maintenance import Maintenance
from hoptrail.indexing.report import IndexReport

F = TypeVar("F", bound=Callable[..., Any])


def traced_run(name: str) -> Callable[[F], F]:
    """Return a decorator of methods that change a base and return a report.

    Args:
        name: What they do, in a word.
    """

    def decorate(method: F) -> F:
        @wraps(method)
        def run(self: Maintenance, *arguments: Any, **choices: Any) -> Any:
            started = time.perf_counter()
            labels: dict[str, str | None] = {"hoptrail.run": name, "hoptrail.outcome": "done"}
            told = {"hoptrail.run": name, "openinference.span.kind": "CHAIN"}
            try:
                with capturing(self.captures_content), span(f"{name} run", told) as one:
                    report = method(self, *arguments, **choices)
                    if one.is_recorded:
                        one.set(_facts(report))
            except BaseException as error:
                labels |= {"hoptrail.outcome": "failed", "error.type": error_type(error)}
                raise
            finally:
                seconds = time.perf_counter() - started
                metrics.add("hoptrail.index.runs", 1, labels)
                metrics.record("hoptrail.index.duration", seconds, labels)
            return report

        return cast(F, run)

    return decorate


def _facts(report: object) -> dict[str, Value | None]:
    """Return the counts of a report."""
    facts: dict[str, Value | None] = {}
    if isinstance(report, IndexReport):
        counts = report.documents.to_json()
        facts = {f"hoptrail.documents.{name}": number for name, number in counts.items() if number}
        facts |= {
            "hoptrail.chunks": report.chunks,
            "hoptrail.entities": report.entities,
            "hoptrail.relations": report.relations,
            "hoptrail.resumable": report.resumable or None,
        }
    usage = getattr(report, "usage", None)
    if isinstance(usage, Usage):
        facts |= {
            "hoptrail.llm_calls": usage.llm_calls or None,
            "hoptrail.prompt_tokens": usage.prompt_tokens or None,
            "hoptrail.completion_tokens": usage.completion_tokens or None,
            "hoptrail.embedding_calls": usage.embedding_calls or None,
            "hoptrail.usd": usage.usd or None,
        }
    return facts
