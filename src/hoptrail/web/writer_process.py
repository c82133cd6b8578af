"""The process that writes to a knowledge base for the application: uploads and deletions.

It runs as `python -m hoptrail.web.writer_process`, takes one task as JSON from its standard input
and prints JSON lines: `progress` now and then, at the end `report` or `error`. A process of its own
leaves the processor and memory of the answers alone, and can be ended at any time: an index run
that was stopped is continued by the next one.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from hoptrail.api import Hoptrail
from hoptrail.core.errors import HoptrailError, NothingIndexedError
from hoptrail.core.settings import ServedBase, Settings, load_settings
from hoptrail.core.tracing.exporting import exported
from hoptrail.core.types import JsonDict
from hoptrail.indexing.loading.files import Skipped, plain
from hoptrail.stores.records.information import LedgerRow
from hoptrail.web.uploaded_files import UploadedFiles

_NICENESS = 5  # answers come first
_TELL_SECONDS = 0.3

_NAMED = 3
_MOST_ERRORS = 100  # of one file: each of a million lines may be no JSON


class _ProgressLines:
    """Prints how far the work is, at most a few times a second."""

    def __init__(self) -> None:
        self._totals: dict[str, int | None] = {}
        self._done: dict[str, int] = {}
        self._told = 0.0

    def start(self, stage: str, total: int | None) -> None:
        """Tell a new stage at once."""
        self._totals[stage] = total
        self._done[stage] = 0
        self._tell(stage)

    def advance(self, stage: str, steps: int = 1) -> None:
        """Count steps."""
        self._done[stage] = self._done.get(stage, 0) + steps
        if time.monotonic() - self._told > _TELL_SECONDS:
            self._tell(stage)

    def finish(self, stage: str) -> None:
        """Nothing: the next stage is told."""

    def _tell(self, stage: str) -> None:
        self._told = time.monotonic()
        done, total = self._done[stage], self._totals.get(stage)
        _print({"progress": {"stage": stage, "done": done, "total": total}})


def main() -> None:
    """Carry out the task of the standard input."""
    os.nice(_NICENESS)
    logging.getLogger().addHandler(logging.NullHandler())  # readers tell what they find odd
    task = json.load(sys.stdin)
    try:
        settings = _settings_of(task)
        with (
            exported(settings.tracing, lambda line: print(line, file=sys.stderr)),
            Hoptrail.open(task["name"], settings=settings, create=True) as hoptrail,
        ):
            work = _delete if task["kind"] == "delete" else _index
            _print({"report": work(hoptrail, task)})
    except HoptrailError as error:
        _print({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
    except BrokenPipeError:
        os._exit(1)  # the server was killed; the next one has this done again


def _settings_of(task: JsonDict) -> Settings:
    listed = {task["name"]: ServedBase.model_validate(task["base"])}
    return load_settings().model_copy(update={"knowledge_bases": listed})


def _index(hoptrail: Hoptrail, task: JsonDict) -> JsonDict:
    """Index files; return by name the documents of each, what could not be read, and notes."""
    paths = [Path(path) for path in task["paths"]]
    try:
        report = hoptrail.index(paths, **task["reading"], progress=_ProgressLines())
        skipped = [Skipped.from_json(one) for one in report["skipped"]]
    except NothingIndexedError as error:
        skipped = [Skipped(place, reason) for place, reason in error.reasons.items()]
    files = UploadedFiles(hoptrail.stored)
    ledger = hoptrail.stored.ledger()
    outcome: JsonDict = {}
    for path, unused in files.by_file(skipped, paths).items():
        made = set(files.made_of(path, unused))
        rows = [row for row in ledger if row.doc_id in made]
        whole = f"{path.parent.name}/{path.name}"
        outcome[path.name] = {
            "documents": [row.doc_id for row in rows],
            "errors": _errors(path, unused, rows),
            "notes": notes_on_namesakes(whole, [row.doc_id for row in ledger]) if rows else [],
        }
    return outcome


def _errors(path: Path, unused: Sequence[Skipped], rows: Sequence[LedgerRow]) -> list[JsonDict]:
    """Return what of a file could not be read, each place called as it is within the folder."""
    folder = f"{plain(str(path.parent))}/"
    errors = [
        {"document": one.path.removeprefix(folder), "reason": one.reason}
        for one in unused[:_MOST_ERRORS]
    ]
    if len(unused) > _MOST_ERRORS:
        more = f"{len(unused) - _MOST_ERRORS:,} more places could not be read"
        errors.append({"document": path.name, "reason": more})
    errors += [
        {"document": row.doc_id, "reason": f"{row.failed} places could not be read"}
        for row in rows
        if row.failed
    ]
    if not (errors or rows):
        errors.append({"document": path.name, "reason": "holds nothing that can be read"})
    return errors


def _delete(hoptrail: Hoptrail, task: JsonDict) -> JsonDict:
    """Delete documents, and uploaded files that none is left of; return what was deleted, by id.

    A deletion that was begun before and not heard of to its end may have been carried out: what is
    gone then is what was asked for.
    """
    outcome: JsonDict = {}
    known = hoptrail.stored.content_hashes()
    there = [doc_id for doc_id in task["documents"] if doc_id in known]
    if there:
        # First the files: where this is ended in between, the next run still finds the documents.
        for file in UploadedFiles(hoptrail.stored).emptied(there, Path(task["uploads"])):
            file.unlink(missing_ok=True)
        hoptrail.delete(there)
    for doc_id in task["documents"]:
        gone = "it was deleted before"
        outcome[doc_id] = (
            {"documents": [doc_id], "errors": []}
            if doc_id in there or task["again"]
            else {"documents": [], "errors": [{"document": doc_id, "reason": gone}]}
        )
    return outcome


def _print(message: JsonDict) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def notes_on_namesakes(doc_id: str, known: Iterable[str]) -> list[str]:
    """Return a sentence that names the documents of files of the same name in other folders.

    An upload replaces only what was uploaded before: a file of a folder is its owner's, and would
    come back when the folder is read again.

    Args:
        doc_id: Id of the uploaded file's document, its source first.
        known: Ids of all documents of the base.
    """
    source, _, name = doc_id.partition("/")
    others = [one for one in known if _is_of_file(one, name) and not one.startswith(f"{source}/")]
    if not others:
        return []
    more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
    names = f"{', '.join(sorted(others)[:_NAMED])}{more}"
    return [f"the base also has {names}, which was not replaced: delete what is there twice"]


def _is_of_file(doc_id: str, name: str) -> bool:
    """Return whether a document is of a file of that name, or a part of one, as a mail of many."""
    path = f"/{doc_id}"
    return path.endswith(f"/{name}") or any(f"/{name}{mark}" in path for mark in "/#")


if __name__ == "__main__":
    main()
