"""Commands that maintain a base: delete, reembed, publish, export, backup, restore, repair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options
from hoptrail.cli.costs import agree_on_cost, embedding_table, print_forecast, served_embedder
from hoptrail.cli.output import emit_json, emit_text, warn
from hoptrail.core.errors import StoreError
from hoptrail.core.text import counted

if TYPE_CHECKING:
    from hoptrail.services.serving_stores import StoreReport


def backup(
    kb: Annotated[str, typer.Argument(metavar="KB", help="Folder or name of the base.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The zip file to make.")],
    as_json: options.AsJson = False,
) -> None:
    """Write a knowledge base and its conversations into one file.

    It may be in use meanwhile. `hoptrail restore` makes a knowledge base of the file again.
    """
    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb) as hoptrail:
        written = hoptrail.backup(file)
    size = file.stat().st_size
    if as_json:
        emit_json({"path": str(file), "bytes": size, "files": written})
    else:
        emit_text(f"wrote {file} ({size:,} bytes)")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What hoptrail backup wrote.")],
    kb: Annotated[Path, typer.Argument(metavar="KB", help="A new or empty folder.")],
    as_json: options.AsJson = False,
) -> None:
    """Make a knowledge base of a backup, in a new folder.

    Where the base is published to a server, `hoptrail publish` fills that after it.
    """
    from hoptrail.api import Hoptrail

    restored = Hoptrail.restore(file, kb)
    with Hoptrail.open(kb) as hoptrail:
        counts = hoptrail.info()["counts"]
    if as_json:
        emit_json({"kb": str(kb), "files": restored, "counts": counts})
    else:
        emit_text(f"restored {counted(counts['documents'], 'document')} to {kb}")


def repair(
    kb: Annotated[str, typer.Argument(metavar="KB", help="Folder or name of the base.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what is wrong.")] = False,
    max_usd: options.MaxUsd = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a damaged knowledge base whole again, as far as its files tell what was in it.

    Each text is checked by its hash; what cannot be read any more is left out and named, and the
    graph is made anew. The files as they were go to a folder within the base. Nothing is changed
    where nothing is wrong. End what serves the base first.

    With --json: `faults[]`, `documents`, `mended[]`, `lost[]`, `unread`, `unreadable[]`,
    `set_aside`.
    """
    from hoptrail.api import Hoptrail
    from hoptrail.cli.progress import show_progress

    with show_progress() as progress:
        done = Hoptrail.repair(kb, dry_run=dry_run, max_usd=max_usd, progress=progress)
    if as_json:
        emit_json(done)
        return
    count = counted(done["documents"], "document")
    if not done["faults"]:
        emit_text(f"{kb} is whole: {count}")
        return
    for fault in done["faults"]:
        warn(f"damaged: {fault}")
    if dry_run:
        emit_text(f"hoptrail repair {kb} keeps what can be kept")
        return
    brought_back = f", {len(done['mended'])} of them mended" if done["mended"] else ""
    emit_text(f"kept {count}{brought_back}; the files as they were are in {done['set_aside']}")
    for name in done["unreadable"]:
        warn(f"lost: all of {name}")
    for doc_id in done["lost"]:
        warn(f"lost: {doc_id}; index it again")
    if done["unread"]:
        passages = counted(done["unread"], "passage")
        warn(f"what was read in {passages} is lost: hoptrail index --kb {kb} reads them again")


def export(
    kb: options.KnowledgeBase,
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE", help="File ending in .jsonl, .graphml or .csv.")
    ],
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Write everything that was indexed to a file.

    CSV is the table of relations, and the entities go to a second file, NAME_entities.csv.
    """
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb, **context) as hoptrail:
        written = hoptrail.export(to)
    sizes = {str(path): path.stat().st_size for path in written}
    if as_json:
        files = [{"path": path, "bytes": size} for path, size in sizes.items()]
        emit_json({**files[0], "files": files})
    else:
        for path, size in sizes.items():
            emit_text(f"wrote {path} ({size:,} bytes)")


def delete(
    documents: Annotated[
        list[str], typer.Argument(metavar="DOC_ID", help="Ids as `info --documents` lists them.")
    ],
    kb: options.KnowledgeBase,
    max_usd: options.MaxUsd = None,
    yes: options.Yes = False,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Delete documents and what only they supported.

    No model is called; a served embedder is where entities read otherwise without the documents.
    Where the file of a document is still in its folder, the next sync or index
    of that folder adds it again.
    """
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb, writable=True, **context) as hoptrail:
        served = served_embedder()
        if served is not None and not yes and max_usd is None:
            embedding = hoptrail.forecast_deletion(documents)
            forecast = {"calls": 0, "usd": embedding["usd"], "embedding": embedding}
            table = embedding_table(embedding)
            agree_on_cost(forecast, table, "", None, embedder=served, as_json=as_json)
        report = hoptrail.delete(documents, max_usd=max_usd)
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"deleted {counted(len(report['deleted']), 'document')}")
        for note in report["notes"]:
            warn(note)


def reembed(
    kb: options.KnowledgeBase,
    embedder: Annotated[
        str,
        typer.Option(
            "--embedder", metavar="NAME", help="Package, folder, hub name or provider:model."
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Forecast texts, calls, tokens and dollars only.")
    ] = False,
    max_usd: options.MaxUsd = None,
    yes: options.Yes = False,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute all vectors again with another embedder.

    Texts and graph stay as they are. A run that was stopped is continued by the same command, and
    pays for nothing twice.

    With --json: as `hoptrail index`. --dry-run: `forecast{calls, usd, embedding{texts, calls,
    tokens, usd}}`.
    """
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.progress import show_progress

    with Hoptrail.open(kb, writable=not dry_run, **context) as hoptrail:
        served = served_embedder(embedder)
        if dry_run or (served is not None and not yes and max_usd is None):
            embedding = hoptrail.forecast_reembedding(embedder)
            forecast = {"calls": 0, "usd": embedding["usd"], "embedding": embedding}
            table = embedding_table(embedding)
            if dry_run:
                print_forecast(forecast, table, as_json=as_json)
                return
            agree_on_cost(forecast, table, "", None, embedder=served, as_json=as_json)
        with show_progress() as progress:
            report = hoptrail.reembed(embedder, max_usd=max_usd, progress=progress)
        tell_of_stores(hoptrail.publications)
    if as_json:
        emit_json(report)
    else:
        emit_text(f"{kb} now uses {embedder}")


def publish(kb: options.KnowledgeBase, as_json: options.AsJson = False) -> None:
    """Bring the server of a knowledge base in step with its folder.

    Commands that change the base do so themselves; this one repairs what they could not do, such as
    when the server was down, and fills a server that was just named in hoptrail.toml.

    With --json: `generation`, `stores[{store, generation, in_step, counts, written, removed,
    repaired, error}]`.
    """
    from hoptrail.api import Hoptrail
    from hoptrail.cli.progress import show_progress

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
            done = f"{counted(store.written, 'item')} written, {store.removed:,} removed"
            done = done if store.written or store.removed else "nothing to write"
            emit_text(f"{store.store} shows generation {store.generation}: {done}")
            if store.repaired:
                emit_text(f"{_mended(store)}: {store.repaired}")


def tell_of_stores(published: Sequence[StoreReport]) -> None:
    """Say in a line for each server what it was told, or that a stored change is not there."""
    for store in published:
        if store.error is not None:
            warn(f"stored, but not published: {store.error}")
            continue
        written = f"{counted(store.written, 'item')} written, {store.removed:,} removed"
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
