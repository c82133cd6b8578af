"""Syncs of one folder: once, or again whenever its files change."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hoptrail.cli.costs import HINT, agree_on_cost, may_spend, served_embedder
from hoptrail.cli.failures import report_error
from hoptrail.cli.index_view import forecast_table, round_line
from hoptrail.cli.maintenance import tell_of_stores
from hoptrail.cli.output import emit_json, emit_text, warn
from hoptrail.cli.progress import show_progress
from hoptrail.core.errors import (
    CostLimitError,
    HoptrailError,
    NothingIndexedError,
    SettingsError,
)
from hoptrail.indexing.loading.files import is_below, real_path

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.indexing.loading.feeds.feed import Feed
    from hoptrail.indexing.options import IndexOptions

_GATHER_MS = 1_600  # changes within this time are one round
_QUIET_MS = 200  # or up to when nothing has changed for so long
_LOOK_MS = 500
_RETRY_SECONDS = 5.0


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
        if is_agreed or self._options.max_usd is not None:
            return
        embedder = served_embedder(self._embedder)
        if not may_spend(self._options.extractor, self._model, embedder):
            return
        if watch:
            raise SettingsError(
                "what a model will cost while a folder is watched is unknown", hint=HINT
            )
        forecast = self.plan(hoptrail)["forecast"]
        table = forecast_table(forecast)
        agree_on_cost(forecast, table, "extractor", self._model, embedder=embedder, as_json=as_json)


def watch_folder(run: FolderSync, hoptrail: Hoptrail, *, as_json: bool) -> None:
    """Sync a folder now and after every change, until Ctrl-C; each round is told in one line.

    A later round that fails, as while another process writes, is told and tried again. Between
    rounds no lock is held. Ctrl-C between rounds is the end; within one it is an interruption.

    Raises:
        HoptrailError: If the first round fails, but for a folder that is empty yet.
        CostLimitError: Once `--max-usd` is spent.
    """
    # A shell that starts a program in the background makes it deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = real_path(str(run.folder))
    is_first, next_try = True, time.monotonic()
    is_due = True  # files may have changed before the watcher was there
    base = real_path(hoptrail.stored.path)
    for has_changed in _changes(folder, base, as_json=as_json):
        is_due |= has_changed
        if not is_due or time.monotonic() < next_try:
            continue
        is_due = not _round(run, hoptrail, is_first=is_first, as_json=as_json)
        if is_due:
            next_try = time.monotonic() + _RETRY_SECONDS
        if is_first:
            _tell(f"watching {folder}; Ctrl-C ends", as_json)
            is_first = False


def _tell(line: str, as_json: bool) -> None:
    """Print a line about the watching itself: among the rounds, unless these are JSON."""
    if as_json:
        warn(line)
    else:
        emit_text(line)


def _changes(folder: str, base: str, *, as_json: bool) -> Iterator[bool]:
    """Yield again and again whether files have changed, until Ctrl-C; begins with a first look.

    A folder that vanishes is waited for.
    """
    from watchfiles import watch

    is_back = False
    try:
        while True:
            if not os.path.isdir(folder):
                if not is_back:
                    line = f"{folder} is gone; nothing is deleted, and watching goes on with it"
                    _tell(line, as_json)
                is_back = True
                time.sleep(_LOOK_MS / 1000)
                continue
            for changes in watch(
                folder,
                watch_filter=lambda _, path: _is_document(path, folder, base),
                debounce=_GATHER_MS,
                step=_QUIET_MS,
                rust_timeout=_LOOK_MS,
                yield_on_timeout=True,
                raise_interrupt=True,
            ):
                if not os.path.isdir(folder):
                    break
                yield bool(changes) or is_back
                is_back = False
    except KeyboardInterrupt:
        _tell("stopped watching", as_json)


def _round(run: FolderSync, hoptrail: Hoptrail, *, is_first: bool, as_json: bool) -> bool:
    """Do a round, and return whether it succeeded.

    Raises:
        HoptrailError: If it is the first, or has failed as later ones would.
    """
    began = time.monotonic()
    try:
        report = run.sync(hoptrail)
    except (CostLimitError, SettingsError):
        raise
    except HoptrailError as error:
        if is_first and not isinstance(error, NothingIndexedError):
            raise
        report_error(error, as_json)
        return isinstance(error, NothingIndexedError)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"{time.strftime('%H:%M:%S')}  {round_line(report, time.monotonic() - began)}")
    return True


def _is_document(path: str, folder: str, base: str) -> bool:
    """Return whether a change may be one of a document: not of the base, and nothing hidden."""
    below = os.path.relpath(path, folder)
    is_hidden = any(part.startswith(".") and part != "." for part in below.split(os.sep))
    return not is_hidden and not is_below(path, base)
