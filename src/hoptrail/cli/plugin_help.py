"""Help that names the retrievers and presets of other installed packages."""

from __future__ import annotations

from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

_CHOICES = {"retriever": "hoptrail.retrievers", "preset": "hoptrail.presets"}
"""Groups of entry points by the option that takes their names."""

_LONGEST = 140  # characters: none is cut


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


class GroupedHelp(TyperGroup):
    """The command tree; its help has a section for each group of commands."""

    groups: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Names of commands by the heading of their group, in the order in which help lists them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group, with the first sentence of each command's help."""
        width = max(map(len, self.commands))
        for heading, names in self.groups.items():
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(_LONGEST))
                for name in names
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)
