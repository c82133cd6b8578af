"""`hoptrail communities`: the hierarchy of communities and the reports on them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.costs import (
    agree_on_cost,
    cost_table,
    has_model,
    has_spent,
    print_forecast,
    served_embedder,
    spent,
)
from hoptrail.cli.maintenance import tell_of_stores
from hoptrail.cli.output import emit, emit_json, grid, printable, results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Community, Finding
    from hoptrail.indexing.options import CommunityOptions

_SHOWN = 20
_COLUMNS = ("level", "communities", "reported", "reused", "made", "dropped")


def communities(
    kb: options.KnowledgeBase,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Find all communities anew, as in a first run.")
    ] = False,
    extractive: Annotated[
        bool, typer.Option("--extractive", help="Write reports without a model.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Only show what is there: the tree of titles.")
    ] = False,
    level: Annotated[
        int | None,
        typer.Option("--level", metavar="N", min=0, help="With --show: the reports of a level."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER:MODEL", help="Chat model that reports."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Forecast calls, tokens, dollars and minutes only.")
    ] = False,
    max_usd: options.MaxUsd = None,
    yes: options.Yes = False,
    concurrency: options.Concurrency = 8,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Find the communities of the graph and write a report on each.

    Only what changed is done again, and a run that was stopped is continued by the same command.
    Without a model the reports are put together from names and key sentences.

    With --json: `levels[{level, communities, reported, reused, made, dropped}]`, level 0 the
    coarsest; `failed[{community_id, reason}]`; `usage`; `seconds{cluster, report, embed, store}`;
    `resumable`. --dry-run: `forecast{communities, calls, prompt_tokens, completion_tokens, usd,
    minutes, embedding{texts, calls, tokens, usd}}`. --show: `communities[{id, level, parent, size,
    title, summary, rating, rating_reason, findings[{summary, explanation, relation_ids,
    chunk_ids}]}]`.
    """
    if level is not None and not show:
        raise typer.BadParameter("--level goes with --show")
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.progress import show_progress
    from hoptrail.indexing.options import CommunityOptions

    chosen = CommunityOptions(
        rebuild=rebuild, extractive=extractive, max_usd=max_usd, concurrency=concurrency
    )
    if seed is not None:
        chosen = replace(chosen, seed=seed)

    with ExitStack() as cleanup:
        hoptrail = cleanup.enter_context(
            Hoptrail.open(kb, writable=not (show or dry_run), **context)
        )
        if show:
            _show(hoptrail, level, as_json)
        elif dry_run:
            forecast = hoptrail.forecast_communities(options=chosen, model=model)
            print_forecast(forecast, forecast_table(forecast), as_json=as_json)
        else:
            if not yes and max_usd is None:
                _agree_on_cost(hoptrail, chosen, model, as_json)
            with show_progress() as progress:
                report = hoptrail.communities(options=chosen, model=model, progress=progress)
            emit(report, show_report, as_json=as_json)
            tell_of_stores(hoptrail.publications)


def _show(hoptrail: Hoptrail, level: int | None, as_json: bool) -> None:
    found = hoptrail.reports(level)
    if as_json:
        emit_json({"communities": [_without_members(one.to_json()) for one in found]})
    elif level is None:
        show_tree(found, results())
    else:
        show_reports(found, results())


def _without_members(community: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in community.items() if name != "entity_ids"}


def _agree_on_cost(
    hoptrail: Hoptrail, chosen: CommunityOptions, model: str | None, as_json: bool
) -> None:
    embedder = served_embedder()
    if embedder is None and (chosen.extractive or not has_model("reporter", model)):
        return
    forecast = hoptrail.forecast_communities(options=chosen, model=model)
    table = forecast_table(forecast)
    agree_on_cost(forecast, table, "reporter", model, embedder=embedder, as_json=as_json)


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
