"""A folder with the way to sync it, as `hoptrail sync` was told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hoptrail.cli.cost_agreement import HINT, agree_on_cost, has_model, served_embedder
from hoptrail.cli.index_view import forecast_table
from hoptrail.cli.progress import show_progress
from hoptrail.cli.publish import tell_of_stores
from hoptrail.core.errors import SettingsError

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.indexing.loading.feeds.feed import Feed
    from hoptrail.indexing.options import IndexOptions


class FolderSync:
    """Syncs one folder, once or many times.

    Args:
        folder: The folder, or what else is in step with its documents.
        options: How to index; `max_usd` limits all rounds together.
        model: Chat model that extracts, where it was named.
        embedder: The embedder, where it was named.
        allow_empty: Whether all documents may be deleted.
        moved: Whether the folder of its source was moved here.
    """

    def __init__(
        self,
        folder: str | Feed,
        options: IndexOptions,
        model: str | None,
        embedder: str | None,
        *,
        allow_empty: bool,
        moved: bool,
    ) -> None:
        self.folder = folder
        self._options = options
        self._model = model
        self._embedder = embedder
        self._choices = {"allow_empty": allow_empty, "moved": moved}

    def plan(self, hoptrail: Hoptrail) -> dict[str, Any]:
        """Return what a sync would do; changes nothing."""
        return hoptrail.plan_sync(
            self.folder, options=self._options, model=self._model, **self._choices
        )

    def sync(self, hoptrail: Hoptrail) -> dict[str, Any]:
        """Sync and return the report."""
        with show_progress() as progress:
            report = hoptrail.sync(
                self.folder,
                options=self._options,
                model=self._model,
                progress=progress,
                **self._choices,
            )
        tell_of_stores(hoptrail.publications)
        self._choices["moved"] = False  # it is there now
        if self._options.max_usd is not None:
            left = max(0.0, self._options.max_usd - report["usage"]["usd"])
            self._options = replace(self._options, max_usd=left)
        return report

    def agree_on_cost(
        self, hoptrail: Hoptrail, *, is_agreed: bool, watch: bool, as_json: bool
    ) -> None:
        """Ask before money is spent; where nobody can be asked, refuse.

        Raises:
            SettingsError: If the run would cost money and nobody can be asked.
            typer.Exit: If the user says no.
        """
        may_call = self._options.extractor in ("auto", "llm")
        if is_agreed or self._options.max_usd is not None:
            return
        embedder = served_embedder(self._embedder)
        if embedder is None and not (may_call and has_model("extractor", self._model)):
            return
        if watch:
            raise SettingsError(
                "what a model will cost while a folder is watched is unknown", hint=HINT
            )
        forecast = self.plan(hoptrail)["forecast"]
        table = forecast_table(forecast)
        agree_on_cost(forecast, table, "extractor", self._model, embedder=embedder, as_json=as_json)
