"""A knowledge base as one file: what is stored, without what can be derived from it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from hoptrail.core.errors import InputError, KnowledgeBaseError
from hoptrail.stores.feedback import FEEDBACK_NAME
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.folder import prepare_folder

CONVERSATIONS_NAME = "threads.sqlite"
_FILES = (DATABASE_NAME, CONVERSATIONS_NAME, FEEDBACK_NAME)
_MANIFEST = "manifest.json"
_FORMAT = "hoptrail-backup-1"
_BLOCK = 1 << 20
_WORK = ".hoptrail-"  # of the folder in which files lie until they are whole


def write_backup(folder: Path, file: Path) -> list[str]:
    """Write a base, its conversations and feedback into a new zip file; all may be in use.

    Each database is copied in one state. Vectors are in it, arrays are not: they are built again.

    Args:
        folder: The folder of the base.
        file: The file to make; it is there only when it is whole.

    Returns:
        The names of the files in it.

    Raises:
        InputError: If the file exists.
        KnowledgeBaseError: If there is no room or no right to write it.
    """
    with _as_one_error(file):
        if file.exists():
            raise InputError(f"{file} exists", hint="name a new file, or delete that one")
    sizes: dict[str, dict[str, Any]] = {}
    with _as_one_error(file), TemporaryDirectory(dir=file.parent, prefix=_WORK) as work:
        archive = Path(work, "backup.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for name in _FILES:
                if (folder / name).is_file():
                    copy = Path(work, name)
                    _copy_database(folder / name, copy)
                    packed.write(copy, name)
                    sizes[name] = {"bytes": copy.stat().st_size, "sha256": _digest_of(copy)}
                    copy.unlink()
            packed.writestr(_MANIFEST, json.dumps({"format": _FORMAT, "files": sizes}))
        os.replace(archive, file)
    return list(sizes)


def restore_backup(file: Path, folder: Path) -> list[str]:
    """Make a new knowledge base of a backup; its arrays are built when it is first asked.

    Args:
        file: Written by `write_backup`.
        folder: A new or empty folder.

    Returns:
        The names of the files that were restored.

    Raises:
        InputError: If the file is no backup, is damaged, or is of a later version.
        NotAKnowledgeBaseError: If the folder holds other files.
        KnowledgeBaseError: If it holds a knowledge base, or cannot be written.
    """
    with _opened(file) as packed:
        told = _manifest_of(packed, file)
        with _as_one_error(folder):
            _clear_cut_short(folder)
        prepare_folder(folder, create=True)
        if (folder / DATABASE_NAME).exists():
            raise KnowledgeBaseError(
                f"{folder} holds a knowledge base", hint="restore into a new folder"
            )
        with _as_one_error(folder), TemporaryDirectory(dir=folder, prefix=_WORK) as work:
            for name, stated in told.items():
                with packed.open(name) as source, open(Path(work, name), "wb") as target:
                    _unpack(source, target, stated, file)
            # The database last: a folder with it is a base, and whole.
            for name in reversed(_FILES):
                if name in told:
                    os.replace(Path(work, name), folder / name)
    return list(told)


def _clear_cut_short(folder: Path) -> None:
    """Remove what a restore left that was killed before the folder was a base."""
    left = list(folder.glob(f"{_WORK}*"))
    if not left or (folder / DATABASE_NAME).exists():
        return
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)
    for work in left:
        shutil.rmtree(work)


def _copy_database(original: Path, copy: Path) -> None:
    """Copy a SQLite database in one state, whoever writes it meanwhile."""
    uri = f"{original.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")


def _digest_of(path: Path) -> str:
    with open(path, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as packed:
            yield packed
    except FileNotFoundError as error:
        raise InputError(f"{file}: no such file") from error
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}", hint="check the path and your rights to it"
        ) from error
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError) as error:
        raise (_damaged(file) if _begins_as_zip(file) else _no_backup(file)) from error


def _manifest_of(packed: zipfile.ZipFile, file: Path) -> dict[str, dict[str, Any]]:
    """Return the size and digest of each file of a backup, which are all that is read of it."""
    try:
        stated = json.loads(packed.read(_MANIFEST))
        files = stated["files"]
        known = stated["format"] == _FORMAT and DATABASE_NAME in files and set(files) <= {*_FILES}
    except (KeyError, TypeError, ValueError) as error:
        raise _no_backup(file) from error
    if not known:
        raise InputError(f"{file} is the backup of another version", hint="update Hoptrail")
    return dict(files)


def _unpack(source: IO[bytes], target: IO[bytes], stated: dict[str, Any], file: Path) -> None:
    """Copy one file out of a backup: as many bytes as it states, with the digest it states."""
    digest = hashlib.sha256()
    left = int(stated["bytes"])
    while block := source.read(min(_BLOCK, left + 1)):
        left -= len(block)
        if left < 0:
            raise _damaged(file)
        digest.update(block)
        target.write(block)
    if left or digest.hexdigest() != stated["sha256"]:
        raise _damaged(file)


def _begins_as_zip(file: Path) -> bool:
    with open(file, "rb") as opened:
        return opened.read(2) == b"PK"


def _no_backup(file: Path) -> InputError:
    return InputError(
        f"{file} is no backup of a knowledge base",
        hint="hoptrail backup KB FILE, or Hoptrail.backup(FILE), makes one",
    )


def _damaged(file: Path) -> InputError:
    return InputError(f"{file} is damaged", hint="use another copy of the backup")


@contextmanager
def _as_one_error(place: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise KnowledgeBaseError(
            f"{place}: {reason}", hint="check the path, your rights and the free space"
        ) from error
