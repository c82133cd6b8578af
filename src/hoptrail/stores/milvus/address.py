"""Where a base's vectors lie on Milvus or Milvus Lite, as the settings write it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import parse_qs

from hoptrail.core.errors import SettingsError
from hoptrail.stores.milvus.schema import IndexType
from hoptrail.stores.serving import split_address

SCHEMES = ("http", "https", "tcp")


@dataclass(frozen=True, slots=True)
class MilvusAddress:
    """Where the vectors lie, and who asks; printed without credentials.

    Attributes:
        uri: `http://host:port`, or the path of a Milvus Lite database.
        database: Its name, "" for the default one.
        index: How vectors are searched.
        token: The user's credentials, "" where the server asks for none.
    """

    uri: str
    database: str = ""
    index: IndexType = "FLAT"
    token: str = ""

    def __repr__(self) -> str:
        return f"MilvusAddress({str(self)!r})"

    def __str__(self) -> str:
        return f"{self.uri}/{self.database}" if self.database else self.uri

    @property
    def is_lite(self) -> bool:
        """Whether it is a file of Milvus Lite."""
        return "://" not in self.uri

    @classmethod
    def parse(cls, address: str) -> MilvusAddress:
        """Return the address of `http://host:19530/database?index=HNSW`, or of a path.

        Who asks, says the environment: `MILVUS_TOKEN`, or `MILVUS_USER` and `MILVUS_PASSWORD`.

        Raises:
            SettingsError: If it is no such address.
        """
        if "://" not in address:
            return cls(address)
        parts = split_address(
            address,
            "Milvus",
            schemes=SCHEMES,
            example="http://host:19530/database",
            variables="MILVUS_TOKEN, or MILVUS_USER and MILVUS_PASSWORD",
        )
        database = parts.path.strip("/")
        return cls(
            f"{parts.scheme}://{parts.netloc}", database, _index(parts.query), _credentials()
        )


def _index(query: str) -> IndexType:
    options = parse_qs(query, keep_blank_values=True)
    chosen = options.pop("index", ["FLAT"])[-1].upper()
    if options or chosen not in ("FLAT", "HNSW"):
        raise SettingsError(
            f"the address of a Milvus server has the unknown option {query!r}",
            hint="index=FLAT, which is exact, or index=HNSW",
        )
    return "HNSW" if chosen == "HNSW" else "FLAT"


def _credentials() -> str:
    token = os.environ.get("MILVUS_TOKEN", "")
    if token or not os.environ.get("MILVUS_PASSWORD"):
        return token
    return f"{os.environ.get('MILVUS_USER', 'root')}:{os.environ['MILVUS_PASSWORD']}"
