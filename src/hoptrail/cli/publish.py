"""`hoptrail publish`: bring the server of a knowledge base in step with its folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hoptrail.cli import options

if TYPE_CHECKING:
    from hoptrail.services.serving_stores import StoreReport


def publish(kb: options.KnowledgeBase, as_json: options.AsJson = False) -> None:
    """Bring the server of a knowledge base in step with its folder.

    Commands that change the base do so themselves; this one repairs what they could not do, such as
    when the server was down, and fills a server that was just named in hoptrail.toml.

    With --json: `generation`, `stores[{store, generation, in_step, counts, written, removed,
    repaired, error}]`.
    """
    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import counted, emit_json, emit_text
    from hoptrail.cli.progress import show_progress
    from hoptrail.core.errors import StoreError

    with Hoptrail.open(kb, writable=True) as hoptrail:
        with show_progress() as progress:
            report = hoptrail.publish(progress=progress)
        published = hoptrail.publications
    if as_json:
        emit_json(report)
    for store in published:
        if store.error is not None:
            raise StoreError(f"{kb} is not published: {store.error}")
        if not as_json:
            done = f"{counted(store.written, 'items')} written, {store.removed:,} removed"
            done = done if store.written or store.removed else "nothing to write"
            emit_text(f"{store.store} shows generation {store.generation}: {done}")
            if store.repaired:
                emit_text(f"{_mended(store)}: {store.repaired}")


def tell_of_stores(published: Sequence[StoreReport]) -> None:
    """Say in a line for each server what it was told, or that a stored change is not there."""
    from hoptrail.cli.output import counted, warn

    for store in published:
        if store.error is not None:
            warn(f"stored, but not published: {store.error}")
            continue
        written = f"{counted(store.written, 'items')} written, {store.removed:,} removed"
        reason = f"; {_mended(store)}: {store.repaired}" if store.repaired else ""
        warn(f"published to {store.store}: {written}{reason}")


def _mended(store: StoreReport) -> str:
    return "all was written anew" if store.written else "mended"


def line_of_store(store: dict[str, object]) -> str:
    """Return what a server holds as words, for `info` and `doctor`."""
    if store["error"] is not None:
        return str(store["error"]).removeprefix(f"{store['store']} ")
    if store["generation"] is None:
        return "never published; run hoptrail publish"
    state = "in step" if store["in_step"] else "out of step: run hoptrail publish"
    return f"generation {store['generation']}, {state}"
