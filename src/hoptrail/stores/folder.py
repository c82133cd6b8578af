"""Which folders may be opened as a knowledge base, or become one."""

from __future__ import annotations

from pathlib import Path

from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.stores.database import DATABASE_NAME
from hoptrail.stores.schema import not_a_knowledge_base
from hoptrail.stores.writer_lock import LOCK_NAME


def prepare_folder(folder: Path, *, create: bool) -> None:
    """Check that a folder holds a knowledge base; with `create`, make room for a new one.

    Raises:
        NotAKnowledgeBaseError: If it holds none, or holds other files where one is to be made.
        KnowledgeBaseError: If the folder cannot be read or made.
    """
    try:
        if (folder / DATABASE_NAME).is_file():
            return
        if folder.exists() and not folder.is_dir():
            raise not_a_knowledge_base(folder, "it is a file")
        if not create:
            why = "there is no such folder" if not folder.exists() else "it holds no database"
            raise not_a_knowledge_base(folder, why)
        folder.mkdir(parents=True, exist_ok=True)
        if any(path.name != LOCK_NAME for path in folder.iterdir()):
            raise not_a_knowledge_base(folder, "it holds other files; name a new or empty folder")
    except OSError as error:
        raise KnowledgeBaseError(
            f"{folder}: {error.strerror}", hint="check the path and your rights to it"
        ) from error
