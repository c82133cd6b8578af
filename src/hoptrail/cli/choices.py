"""Turn options into the fields of Context."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hoptrail.core.errors import SettingsError


def context_fields(
    assignments: Iterable[str] | None,
    *,
    models: Iterable[str] | None = None,
    filters: Sequence[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return the Context fields of `--set`, `--model`, `--filter` and the named options.

    An option that was not given is None and leaves its field alone; a named option wins over
    `--set`.

    Raises:
        SettingsError: If an assignment, a filter or a model choice cannot be read.
    """
    fields = _assigned(assignments or ())
    if filters:
        from hoptrail.core.filter_text import parse_filter

        fields["filter"] = parse_filter(filters).to_json()
    fields.update({name: value for name, value in options.items() if value is not None})
    by_role: dict[str, str] = {}
    for text in models or ():
        role, name = parse_model(text)
        if role is None:
            fields["model"] = name
        else:
            by_role[role] = name
    if by_role:
        known = fields.get("models")
        fields["models"] = {**known, **by_role} if isinstance(known, dict) else by_role
    return fields


def parse_model(text: str) -> tuple[str | None, str]:
    """Split `[ROLE=]PROVIDER:MODEL` into role (None for all roles) and model name.

    Raises:
        SettingsError: If the role is unknown or the name is empty.
    """
    role, separator, name = text.partition("=")
    if not separator or ":" in role:
        role, name = "", text
    if not name.strip():
        raise SettingsError(f"--model {text!r} names no model", hint="use PROVIDER:MODEL")
    if role:
        _require_role(role)
    return role or None, name.strip()


def _require_role(role: str) -> None:
    from typing import get_args

    from hoptrail.core.errors import UnknownNameError
    from hoptrail.core.settings import Role

    if role not in get_args(Role):
        raise UnknownNameError("model role", role, get_args(Role))


def _assigned(assignments: Iterable[str]) -> dict[str, Any]:
    """Return the assigned values; `parameters.alpha=0.5` sets one entry of a table."""
    fields: dict[str, Any] = {}
    for name, value in map(_parse_assignment, assignments):
        table, dot, entry = name.partition(".")
        if not dot:
            fields[name] = value
            continue
        known = fields.get(table)
        fields[table] = {**(known if isinstance(known, dict) else {}), entry: value}
    return fields


def _parse_assignment(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise SettingsError(f"--set {text!r} is no assignment", hint="use --set NAME=VALUE")
    try:
        return name.strip(), json.loads(value)
    except json.JSONDecodeError:
        return name.strip(), value
