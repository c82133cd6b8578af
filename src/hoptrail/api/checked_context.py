"""The choices of a caller, with the preset looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import resolve_preset


def checked_context(given: Mapping[str, Any], defaults: Context | None = None) -> Context:
    """Return a validated context whose preset exists.

    Raises:
        UnknownNameError: If a field or the preset does not exist.
        SettingsError: If a value cannot be used.
        PluginError: If an installed package adds the preset and it cannot be used.
    """
    context = resolve_context(given, defaults)
    if context.preset != "auto":
        resolve_preset(context.preset, has_model=True)
    return context
