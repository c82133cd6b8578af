"""Help that names the retrievers and presets of other installed packages."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

_CHOICES = {"retriever": "hoptrail.retrievers", "preset": "hoptrail.presets"}
"""Groups of entry points by the option that takes their names."""


class PluginHelp(TyperCommand):
    """A command; where it takes a retriever or a preset, its help reads what packages add."""

    def get_help(self, ctx: Any) -> str:
        """Return the help of the command; no package is imported for it."""
        from hoptrail.core.plugins import plugin_names

        lines = [
            f"  --{param.name} also takes, from installed packages: {', '.join(names)}"
            for param in self.params
            if param.name in _CHOICES and (names := plugin_names(_CHOICES[param.name]))
        ]
        return "\n\n".join([super().get_help(ctx), *lines])
