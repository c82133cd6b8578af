"""Keyword arguments as the options of a run over a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from hoptrail.core.errors import UnknownNameError
from hoptrail.indexing.communities.options import CommunityOptions
from hoptrail.indexing.consolidation.options import ConsolidationOptions
from hoptrail.indexing.options import IndexOptions


def make_options(given: Mapping[str, Any]) -> IndexOptions:
    """Return the options of an indexing run; lists become tuples and file names paths.

    Raises:
        UnknownNameError: If there is no such option.
        SettingsError: If a value cannot be used.
    """
    _check_names("index option", IndexOptions, given)
    options = dict(given)
    if "triples" in options:
        options["triples"] = tuple(Path(path) for path in options["triples"])
    if "entity_types" in options:
        options["entity_types"] = tuple(options["entity_types"])
    return IndexOptions(**options)


def make_community_options(given: Mapping[str, Any]) -> CommunityOptions:
    """Return the options of a run over the communities.

    Raises:
        UnknownNameError: If there is no such option.
        SettingsError: If a value cannot be used.
    """
    _check_names("community option", CommunityOptions, given)
    return CommunityOptions(**given)


def make_consolidation_options(given: Mapping[str, Any]) -> ConsolidationOptions:
    """Return the options of a run that tidies the graph.

    Raises:
        UnknownNameError: If there is no such option.
        SettingsError: If a value cannot be used.
    """
    _check_names("consolidation option", ConsolidationOptions, given)
    types = tuple(given.get("entity_types", ()))
    return ConsolidationOptions(**{**given, "entity_types": types})


def _check_names(kind: str, options: type[Any], given: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(options)]
    for name in given:
        if name not in known:
            raise UnknownNameError(kind, name, known)
