"""Keyword arguments as the options of an indexing run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from hoptrail.core.errors import UnknownNameError
from hoptrail.indexing.options import IndexOptions


def make_options(given: Mapping[str, Any]) -> IndexOptions:
    """Return the options; lists become tuples and file names paths.

    Raises:
        UnknownNameError: If there is no such option.
        SettingsError: If a value cannot be used.
    """
    known = [field.name for field in fields(IndexOptions)]
    for name in given:
        if name not in known:
            raise UnknownNameError("index option", name, known)
    options = dict(given)
    if "triples" in options:
        options["triples"] = tuple(Path(path) for path in options["triples"])
    if "entity_types" in options:
        options["entity_types"] = tuple(options["entity_types"])
    return IndexOptions(**options)
