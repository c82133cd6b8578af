"""Keyword arguments as the options of a run over a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from hoptrail.core.errors import UnknownNameError
from hoptrail.indexing.options import CommunityOptions, ConsolidationOptions, IndexOptions

T = TypeVar("T", IndexOptions, CommunityOptions, ConsolidationOptions)

_KINDS: dict[type, str] = {
    IndexOptions: "index option",
    CommunityOptions: "community option",
    ConsolidationOptions: "consolidation option",
}


def with_choices(options: T, choices: Mapping[str, Any]) -> T:
    """Return the options with these fields changed; lists become tuples and triples' names paths.

    Raises:
        UnknownNameError: If there is no such option.
        SettingsError: If a value cannot be used.
    """
    known = [field.name for field in fields(options)]
    for name in choices:
        if name not in known:
            raise UnknownNameError(_KINDS[type(options)], name, known)
    changed = dict(choices)
    if "triples" in changed:
        changed["triples"] = tuple(Path(path) for path in changed["triples"])
    if "entity_types" in changed:
        changed["entity_types"] = tuple(changed["entity_types"])
    return replace(options, **changed)
