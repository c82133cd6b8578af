"""Help that lists the commands in groups, those that a newcomer needs first."""

from __future__ import annotations

from typing import Any, ClassVar

from typer.core import TyperGroup

_LONGEST = 140  # characters: none is cut


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
