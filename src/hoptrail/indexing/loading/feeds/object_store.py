"""The files below an address of an object store, `s3://bucket/folder`, as a feed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.core.text import counted
from hoptrail.core.types import Document
from hoptrail.indexing.loading.feeds.feed import Feed, FeedRun, FileReader
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.raw_bytes import MAX_FILE_BYTES
from hoptrail.indexing.loading.readers.registry import CODE, NOT_READ

MAX_DOCUMENTS = 100_000
MAX_SECONDS = 3600.0
_SCHEMES = ("abfs://", "adl://", "az://", "gcs://", "gs://", "s3://", "s3a://")
_MODIFIED = ("LastModified", "last_modified", "updated", "mtime")
_TAGS = ("ETag", "etag", "md5Hash")
_SETTLED_SECONDS = 2.0  # times are in whole seconds at some: a second change might not show


def is_object_store(address: str) -> bool:
    """Return whether an input is an address of an object store."""
    return address.lower().startswith(_SCHEMES)


class ObjectStoreFeed(Feed):
    """The files below an address, each fetched, read and forgotten.

    Hidden files, and kinds that are not read, are not fetched; nor are files that the base has, as
    their size and their tag or time tell, where it is synced.

    Args:
        address: Any that fsspec knows, such as `s3://bucket/folder` or `gs://bucket/folder`.
        name: First part of the document ids; by default the last part of the address.
        options: Arguments of the file system, such as `{"anon": True}`.
        max_documents: As many files are read at most.
        max_seconds: So long it may take.

    Raises:
        MissingExtraError: If fsspec is not installed.
    """

    def __init__(
        self,
        address: str,
        *,
        name: str | None = None,
        options: Mapping[str, Any] | None = None,
        max_documents: int = MAX_DOCUMENTS,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        require("fsspec", extra="object-stores", purpose=address)
        self._address = address.rstrip("/")
        self._options = dict(options or {})
        self._max_documents = max_documents
        self._max_seconds = max_seconds
        last = self._address.rpartition("/")[2] or "files"
        super().__init__(name or last, self._address)

    def _documents(
        self, files: FileReader, source: str, run: FeedRun
    ) -> Iterator[Document | Skipped]:
        deadline = time.monotonic() + self._max_seconds
        try:
            system, root, found = self._listed()
        # What a foreign file system raises: no such bucket, no key, no network, no package.
        except Exception as error:
            yield run.stop(self._address, _told(error))
            return
        for number, (path, facts) in enumerate(sorted(found.items())):
            if number >= self._max_documents:
                yield run.stop(self._address, f"stopped after {counted(number, 'file')}, the limit")
                return
            if time.monotonic() > deadline:
                took = counted(self._max_seconds, "second")
                yield run.stop(self._address, f"stopped after {took}, the limit")
                return
            below = _below(path, root)
            if _is_left_out(below):
                continue
            run.present.add(f"{source}/{below}")
            version = _version(source, facts)
            if version and files.is_unchanged(f"{self._address}/{below}", version):
                continue
            try:
                yield from self._file(files, source, system, path, below, facts, version)
            except InputError as error:
                yield Skipped(f"{self._address}/{below}", error.message)
            except Exception as error:  # as above
                yield Skipped(f"{self._address}/{below}", _told(error))
        if not run.present:
            reason = "no files of a kind that is read" if found else "no files below this address"
            yield Skipped(self._address, reason)

    def versions(self) -> dict[str, str]:
        """Return what tells the version of each file, by its path below the address.

        Raises:
            InputError: If the store does not list them.
        """
        try:
            _, root, found = self._listed()
        except Exception as error:  # as above
            raise InputError(f"{self._address}: {_told(error)}") from error
        versions = {_below(path, root): _told_version(facts) for path, facts in found.items()}
        return {below: told for below, told in versions.items() if not _is_left_out(below)}

    def _listed(self) -> tuple[Any, str, dict[str, Any]]:
        """Return the file system, the path of the address in it, and the files below."""
        from fsspec.core import url_to_fs

        system, root = url_to_fs(self._address, **self._options)
        system.invalidate_cache()  # it would list once more what was there before
        found = system.find(root, detail=True)
        return system, root, dict(found)

    def _file(
        self,
        files: FileReader,
        source: str,
        system: Any,
        path: str,
        below: str,
        facts: Mapping[str, Any],
        version: str | None,
    ) -> Iterator[Document | Skipped]:
        if (size := facts.get("size") or 0) > MAX_FILE_BYTES:
            raise InputError(
                f"{size / 1e6:.0f} MB, more than the limit of {MAX_FILE_BYTES >> 20} MiB"
            )
        moment = next(
            (one for name in _MODIFIED if isinstance(one := facts.get(name), datetime)), None
        )
        with TemporaryDirectory(prefix="hoptrail-") as folder:
            fetched = Path(folder, PurePosixPath(below).name)
            system.get_file(path, str(fetched))
            yield from files.read(
                fetched,
                uri=f"{self._address}/{below}",
                source=source,
                local_id=below,
                metadata=date_metadata("modified", moment),
                version=version,
            )


def _below(path: str, root: str) -> str:
    return path.removeprefix(root).strip("/") or PurePosixPath(path).name


def _version(source: str, facts: Mapping[str, Any]) -> str | None:
    """Return what tells a file's version in a source, None where that is not known for certain."""
    if not any(facts.get(name) for name in _TAGS):
        moment = next((facts[name] for name in _MODIFIED if facts.get(name)), None)
        seconds = moment.timestamp() if isinstance(moment, datetime) else moment
        if not isinstance(seconds, int | float) or time.time() - seconds < _SETTLED_SECONDS:
            return None
    return f"{source}:{_told_version(facts)}"


def _told_version(facts: Mapping[str, Any]) -> str:
    """Return the size of a file with its tag, else with its time."""
    told = next((facts[name] for name in (*_TAGS, *_MODIFIED) if facts.get(name)), "")
    return f"{facts.get('size')}:{told}"


def _is_left_out(below: str) -> bool:
    path = PurePosixPath(below)
    is_hidden = any(part.startswith(".") for part in path.parts)
    return is_hidden or path.suffix.lower() in NOT_READ | CODE


def _told(error: Exception) -> str:
    told = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {told}" if told else type(error).__name__
