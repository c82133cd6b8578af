"""Documents of LangChain and LlamaIndex as ours, with ids that are the same the next time."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

from hoptrail.core.errors import InputError
from hoptrail.core.types import Document, Places
from hoptrail.indexing.loading.files import is_below, plain, real_path
from hoptrail.indexing.loading.metadata import plain_metadata
from hoptrail.indexing.loading.readers.content import guess_title, meant_title
from hoptrail.indexing.loading.readers.raw_bytes import MAX_FILE_BYTES
from hoptrail.indexing.loading.web_addresses import address_id, is_address

_IDS = ("id", "page_id")
_PLACES = ("source", "url", "link", "permalink", "file_path", "path")
_ROW = "row"  # field of a row of a table, as CSVLoader numbers them
_CELL = re.compile(r"[^:;\n]{1,60}:(?:\s|$)")
_PARTS = (
    "page",
    "page_number",
    "page_label",
    "page_name",
    "row",
    "seq_num",
    "start_index",
    "element_id",
)
"""Fields by which loaders tell the parts of one file apart."""
_TITLES = ("title", "Title", "name", "file_name", "filename")
_LONGEST_ID = 400
_RANDOM = 4  # the version of a UUID that says nothing


class LoadedDocuments:
    """Makes documents of what one run of a loader yields.

    An id is `<source>/<what the loader calls it>`: its own id, a field that holds one, else the
    file or address it comes from with its page, row or number there. Where that is the same for
    several, the later ones are told apart by a hash of their text.

    Args:
        source: First part of the ids.
        folders: Real paths; files below one are called by their path there, others by their whole
            path.
        id_fields: Names of the fields that make the id, in place of those above.
    """

    def __init__(
        self, source: str, folders: Iterable[str] = (), id_fields: Iterable[str] = ()
    ) -> None:
        self._source = source
        self._folders = sorted(folders, key=len, reverse=True)
        self._id_fields = tuple(id_fields)
        self._seen: set[str] = set()

    def document(self, given: Any) -> Document:
        """Return a document of LangChain, LlamaIndex or Hoptrail as one of this source.

        Its text may be empty.

        Raises:
            InputError: If it is none of these, lacks a field of its id, or is too large.
        """
        if isinstance(given, Document):
            rest = given.id.removeprefix(f"{self._source}/")
            return replace(given, id=self._id(rest, given.text), source=self._source)
        text, own_id, metadata = _parts(given)
        if len(text) > MAX_FILE_BYTES:
            raise InputError(f"more than the limit of {MAX_FILE_BYTES >> 20} MiB")
        place = _place(metadata)
        called = self._called(own_id, metadata, place, text)
        fields = plain_metadata(metadata)
        title = next(filter(None, (meant_title(fields.get(name)) for name in _TITLES)), "")
        fields.pop("title", None)
        clean = plain(text)
        clean = _as_row(clean) if _ROW in metadata else clean
        path = PurePosixPath(called.partition("#")[0])
        stem = path.stem if path.suffix[1:2].isalpha() else path.name
        return Document(
            id=self._id(called, clean),
            title=title or guess_title(clean, stem),
            text=clean,
            source=self._source,
            uri=place if "://" in place and not place.startswith("file:") else None,
            metadata=fields,
            places=_page(metadata),
        )

    def _called(self, own_id: str, metadata: Mapping[str, Any], place: str, text: str) -> str:
        """Return an id without the source."""
        if self._id_fields:
            for name in self._id_fields:
                if metadata.get(name) in (None, ""):
                    raise InputError(f"no field {name!r}, which is to make its id")
            return "/".join(_shown(metadata[name]) for name in self._id_fields)
        known = next((_shown(metadata[name]) for name in _IDS if metadata.get(name)), "")
        if own_id or known:
            return own_id or known
        if not place:
            return _hash(text)
        parts = (f"{name}={_shown(metadata[name])}" for name in _PARTS if name in metadata)
        return "#".join(filter(None, (self._place_id(place), "&".join(parts))))

    def _place_id(self, place: str) -> str:
        """Return a file or an address as part of an id, the same wherever the folder lies."""
        if is_address(place):
            return address_id(place)
        # What a loader tells below its folder may be there in the working directory by chance.
        is_told_below = any(os.path.exists(os.path.join(one, place)) for one in self._folders)
        is_absolute = os.path.isabs(place)
        if "://" not in place and os.path.exists(place) and (is_absolute or not is_told_below):
            path = real_path(place)
            folder = next((one for one in self._folders if is_below(path, one)), None)
            place = path if folder is None else os.path.relpath(path, folder)
        return place.replace(os.sep, "/").removeprefix("./").strip("/")

    def _id(self, called: str, text: str) -> str:
        short = called if len(called) <= _LONGEST_ID else f"{called[:_LONGEST_ID]}~{_hash(called)}"
        id_ = plain(f"{self._source}/{short}")
        if id_ in self._seen:
            id_ = f"{id_}~{_hash(text)}"
        self._seen.add(id_)
        return id_


def _as_row(text: str) -> str:
    """Return the lines "column: value" of a row as one line, as rows of files are told.

    A text that has other lines stays as it is.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(map(_CELL.match, lines)):
        return text
    return "; ".join(line for line in lines if not line.endswith(":"))


def is_document(given: object) -> bool:
    """Return whether something is a document of LangChain or LlamaIndex."""
    # Those of LlamaIndex can be iterated, field by field.
    has_text = hasattr(given, "page_content") or hasattr(given, "get_content")
    return has_text and isinstance(getattr(given, "metadata", None), Mapping)


def shared_folder(given: Sequence[object]) -> str | None:
    """Return the folder that holds the files of all documents, as a real path.

    It is None where no document tells of a file that is there, or nothing but the whole disk holds
    them all.
    """
    fields = (getattr(one, "metadata", {}) for one in given if is_document(one))
    places = set(map(_place, fields))
    files = (one for one in places if one and "://" not in one and os.path.exists(one))
    folders = {os.path.dirname(real_path(one)) for one in files}
    try:
        shared = os.path.commonpath(folders)
    except ValueError:  # there are none, or they lie on several drives
        return None
    return None if os.path.dirname(shared) == shared else shared


def _place(metadata: Mapping[str, Any]) -> str:
    """Return the file or address that a loader tells, empty where it tells none."""
    return next((str(metadata[name]) for name in _PLACES if metadata.get(name)), "")


def _parts(given: Any) -> tuple[str, str, Mapping[str, Any]]:
    """Return the text, the id and the fields of a document of LangChain or LlamaIndex.

    Raises:
        InputError: If it is none.
    """
    metadata = getattr(given, "metadata", None)
    if isinstance(metadata, Mapping):
        if isinstance(text := getattr(given, "page_content", None), str):
            return text, str(getattr(given, "id", None) or ""), metadata
        if callable(read := getattr(given, "get_content", None)):
            return str(read()), _meant_id(str(given.id_), metadata), metadata
    raise InputError(f"no document of LangChain or LlamaIndex: {type(given).__name__}")


def _meant_id(id_: str, metadata: Mapping[str, Any]) -> str:
    """Return an id of LlamaIndex, empty where it was drawn by chance."""
    try:
        is_random = UUID(id_).version == _RANDOM
    except ValueError:
        return id_
    return id_ if not is_random or id_ in metadata.values() else ""


def _shown(value: Any) -> str:
    return value.strip() if isinstance(value, str) else json.dumps(value, default=str)


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def _page(metadata: Mapping[str, Any]) -> Places:
    """Return the page that a document is, as loaders tell it: `page` counts from 0."""
    label = metadata.get("page_label") or metadata.get("page_number")
    if label is None and isinstance(page := metadata.get("page"), int):
        label = page + 1
    return () if label is None else ((0, f"page {label}"),)
