"""One of the parts that the documents of a run are divided into, by the hashes of their ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256

from hoptrail.core.errors import SettingsError

_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_FOLDER = re.compile(r"shard-([0-9]{1,6})-of-([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`-th of `count` shards, counted from 1.

    A document is in one shard whatever other documents there are, so that each shard can be
    indexed on another machine and at another time.

    Raises:
        SettingsError: If there is no such shard.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise SettingsError(
                f"there is no shard {self.number}/{self.count}",
                hint="shards are counted from 1: 1/16 to 16/16",
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @property
    def folder_name(self) -> str:
        """Name of its folder beside those of the others."""
        return f"shard-{self.number}-of-{self.count}"

    def holds(self, doc_id: str) -> bool:
        """Return whether the document of this id is in it."""
        digest = sha256(doc_id.encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:8]) % self.count == self.number - 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard of a text such as `3/16`.

        Raises:
            SettingsError: If it is none.
        """
        found = _FORM.fullmatch(text)
        if found is None:
            raise SettingsError(f"{text!r} is no shard", hint="write it as 3/16: the third of 16")
        return cls(int(found[1]), int(found[2]))

    @classmethod
    def of_folder(cls, name: str) -> Shard | None:
        """Return the shard whose folder has this name, None where it is another folder."""
        found = _FOLDER.fullmatch(name)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            return None
        return cls(int(found[1]), int(found[2]))
