"""Documents of other folders whose files are called as an uploaded one is."""

from __future__ import annotations

from collections.abc import Iterable

_NAMED = 3


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
