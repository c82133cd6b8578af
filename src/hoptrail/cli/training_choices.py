"""Turn the options of `hoptrail train` into a model's and a training's choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from hoptrail.cli.choices import context_fields
from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.graphs.context import resolve_context
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.training.options import TrainingOptions

TABLES = ("parameters", "model", "training")
_OF_RETRIEVERS = {"k", "budget"}

_Choices = TypeVar("_Choices", GraphLlamaConfig, TrainingOptions)


def tables_of(assignments: Iterable[str] | None) -> dict[str, dict[str, Any]]:
    """Return the values of `--set TABLE.NAME=VALUE` by table, each of `TABLES` among them.

    Of a question's choices, which `--set NAME=VALUE` names, those of its retriever count here.

    Raises:
        SettingsError: If an assignment cannot be read.
        UnknownNameError: If it is of another table, or no choice.
    """
    given = context_fields(assignments)
    tables = {name: given.pop(name, {}) for name in TABLES}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise SettingsError(f"--set {name} is a table", hint=f"use --set {name}.NAME=VALUE")
    context = resolve_context(given)
    for name in _OF_RETRIEVERS & given.keys():
        tables["parameters"].setdefault(name, getattr(context, name))
    return tables


def config_of(table: Mapping[str, Any], given: Mapping[str, Any]) -> GraphLlamaConfig | None:
    """Return the model's choices, None where nothing was chosen; options go before the table.

    Raises:
        SettingsError: If a choice is unknown or cannot be used.
    """
    chosen = _merged(table, given)
    return _made(GraphLlamaConfig, "model", chosen) if chosen else None


def options_of(table: Mapping[str, Any], given: Mapping[str, Any]) -> TrainingOptions:
    """Return the training's choices; options go before the table.

    Raises:
        SettingsError: If a choice is unknown or cannot be used.
    """
    return _made(TrainingOptions, "training", _merged(table, given))


def _merged(table: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    return {**table, **{name: value for name, value in given.items() if value is not None}}


def _made(kind: type[_Choices], table: str, chosen: Mapping[str, Any]) -> _Choices:
    known = {field.name for field in fields(kind)}
    for name in chosen:
        if name not in known:
            raise UnknownNameError(f"{table} option", name, known)
    return kind(**chosen)
