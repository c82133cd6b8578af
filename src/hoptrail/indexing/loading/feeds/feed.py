"""A feed: documents that come one after the other, and from elsewhere than from files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from hoptrail.core.types import Document
from hoptrail.indexing.loading.files import Skipped


class FileReader(Protocol):
    """Reads a file that a feed has fetched, as one that was named is read."""

    private_addresses: bool

    def is_unchanged(self, uri: str, version: str) -> bool:
        """Return whether the base has this version of a file, which need not be fetched then."""
        ...

    def read(
        self,
        path: Path,
        *,
        uri: str,
        source: str,
        local_id: str,
        metadata: Mapping[str, str] = MappingProxyType({}),
        version: str | None = None,
    ) -> Iterator[Document | Skipped]:
        """Yield the document of a file, and the parts of it that could not be read.

        `version` is what tells it from later ones, None where that is not known.

        Raises:
            InputError: If it cannot be read.
        """
        ...


@dataclass(slots=True)
class FeedRun:
    """One reading of a feed.

    Attributes:
        present: Ids of documents that are there, also of those that could not be read.
        stopped_by: Why the feed was not read to its end, None where it was: only then is gone what
            did not come.
    """

    present: set[str] = field(default_factory=set[str])
    stopped_by: str | None = None

    def stop(self, name: str, reason: str) -> Skipped:
        """Note that the feed ends before its end, and return how that is told."""
        self.stopped_by = reason
        return Skipped(name, f"{reason}; what came before it is read" if self.present else reason)


class Feed(ABC):
    """Documents of one source.

    Args:
        name: First part of the document ids, unless a run names another one.
        root: What is read, as the base records it: a second one under the same name is refused.
    """

    def __init__(self, name: str, root: str) -> None:
        self.name = name
        self.root = root
        self.run = FeedRun()
        """The last reading."""

    def read(self, files: FileReader, source: str) -> Iterator[Document | Skipped]:
        """Yield the documents, and what had to be skipped; never ends with an error.

        Args:
            files: Reads what was fetched as a file.
            source: First part of the document ids.
        """
        self.run = FeedRun()
        return self._documents(files, source, self.run)

    def go_on(self, known: str) -> str:
        """Read as before what the base knows under this name, if it is the same; return the root.

        Args:
            known: The root that the base records.
        """
        return self.root

    @abstractmethod
    def _documents(
        self, files: FileReader, source: str, run: FeedRun
    ) -> Iterator[Document | Skipped]:
        """Yield the documents, and note in the run what is there and whether it came to its end."""
