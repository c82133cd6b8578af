"""How communities, their reports, and a run over them look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hoptrail.cli.cost_view import cost_table, has_spent, spent
from hoptrail.cli.output import grid, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

    from hoptrail.core.types import Community, Finding

_SHOWN = 20
_COLUMNS = ("level", "communities", "reported", "reused", "made", "dropped")


def forecast_table(forecast: dict[str, Any]) -> Table:
    """Return the forecast of `--dry-run` as a table."""
    return cost_table(forecast, "communities")


def show_report(report: dict[str, Any], console: Console) -> None:
    """Print what a run did, level by level, then name what the model failed at."""
    if not report["levels"]:
        console.print("no communities: the graph has no relations", style="yellow")
        return
    console.print(_level_table(report["levels"]))
    table = grid()
    usage = report["usage"]
    if has_spent(usage):
        table.add_row("spent", spent(usage))
    stages = ", ".join(f"{name} {value:.1f}" for name, value in report["seconds"].items())
    table.add_row("seconds", stages)
    console.print(table)
    failed = report["failed"]
    if failed:
        console.print(f"written without the model: {len(failed):,}", style="yellow")
        for row in failed[:_SHOWN]:
            console.print(f"  {row['community_id']}: {printable(row['reason'])}")
        console.print("run again to ask the model for these", style="yellow")


def show_tree(communities: Sequence[Community], console: Console) -> None:
    """Print the titles as a tree, the largest first; of many only the first ones."""
    from rich.tree import Tree

    if not communities:
        console.print("no communities yet: run hoptrail communities", style="yellow")
        return
    parts: dict[str | None, list[Community]] = {}
    for community in sorted(communities, key=lambda one: (-one.size, one.id)):
        parts.setdefault(community.parent, []).append(community)
    tree = Tree(f"{len(communities):,} communities", guide_style="dim")
    _grow(tree, None, parts)
    console.print(tree)


def show_reports(communities: Sequence[Community], console: Console) -> None:
    """Print reports in full, those with the highest rating first; of many only the first ones."""
    from rich.text import Text

    if not communities:
        console.print("no communities on this level", style="yellow")
    ordered = sorted(communities, key=lambda one: (-one.rating, -one.size, one.id))
    for community in ordered[:_SHOWN]:
        console.print(_title(community))
        console.print(Text(printable(community.summary)))
        for finding in community.findings:
            console.print(_finding(finding))
        console.print()
    _print_rest(len(ordered) - _SHOWN, console)


def _level_table(levels: Sequence[dict[str, Any]]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for row in levels:
        table.add_row(*(f"{row[name]:,}" for name in _COLUMNS))
    return table


def _grow(branch: Tree, parent: str | None, parts: dict[str | None, list[Community]]) -> None:
    own = parts.get(parent, [])
    for community in own[:_SHOWN]:
        _grow(branch.add(_title(community)), community.id, parts)
    if len(own) > _SHOWN:
        branch.add(f"{len(own) - _SHOWN:,} smaller ones", style="dim")


def _title(community: Community) -> Text:
    from rich.text import Text

    title = printable(community.title) or "no report yet"
    rated = f", rating {community.rating:g}" if community.title else ""
    line = Text(title, style="bold")
    return line.append(
        f"  level {community.level}, {community.size:,} entities{rated}", style="dim"
    )


def _finding(finding: Finding) -> Text:
    from rich.text import Text

    summary = printable(finding.summary)
    line = Text(f"  - {summary}", style="bold")
    if not finding.explanation:
        return line
    mark = " " if summary.endswith((".", "!", "?")) else ": "
    return line.append(mark + printable(finding.explanation), style="not bold")


def _print_rest(more: int, console: Console) -> None:
    if more > 0:
        console.print(f"and {more:,} more (--json lists all)", style="dim")
