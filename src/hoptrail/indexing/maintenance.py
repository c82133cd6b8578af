"""The common part of whatever changes a knowledge base with models, each run as a span."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from hoptrail.core.embedding import Embedder, RemoteEmbedder
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.settings import Price, Settings
from hoptrail.core.tracing import metrics
from hoptrail.core.tracing.spans import Value, capturing, error_type, span
from hoptrail.core.types import Usage
from hoptrail.indexing.report import IndexReport
from hoptrail.indexing.spending import price_for_limit
from hoptrail.models.chat import ChatModels, RoleModel
from hoptrail.stores.knowledge_base import KnowledgeBase

F = TypeVar("F", bound=Callable[..., Any])


class Maintenance:
    """A knowledge base with the settings, models and observer of the work on it.

    Args:
        kb: The knowledge base.
        settings: Prices, model settings and folder of prompts.
        models: Chat models; those of the settings where None.
        progress: Observer of the stages.
        remote_embedder: Name of the base's embedder where it is one that is called, for forecasts:
            they open no embedder.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        settings: Settings | None = None,
        models: ChatModels | None = None,
        progress: Progress | None = None,
        remote_embedder: str | None = None,
    ) -> None:
        self._kb = kb
        self._settings = settings or Settings()
        self._models = models or ChatModels(self._settings)
        self._progress = progress or NoProgress()
        self._remote_embedder = remote_embedder

    @property
    def captures_content(self) -> bool:
        """Whether spans may hold texts."""
        return self._settings.tracing.capture_content

    def _price(self, model: RoleModel, max_usd: float | None) -> Price | None:
        """Return the model's price; a limit of dollars needs one that is known."""
        return price_for_limit(model.name, self._settings.prices, max_usd)

    def _embedding_price(
        self, max_usd: float | None = None, embedder: Embedder | None = None
    ) -> Price | None:
        """Return the embedder's price; a limit of dollars needs one that is known.

        Args:
            max_usd: The limit, None for any.
            embedder: The embedder; the base's where None. One of this machine costs nothing.
        """
        chosen = embedder or self._kb.embedder
        if not isinstance(chosen, RemoteEmbedder):
            return None
        return price_for_limit(chosen.name, self._settings.prices, max_usd)

    def _publish_generation(self) -> None:
        self._progress.start("publish", None)
        self._kb.publish()
        self._progress.finish("publish")


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
