"""`hoptrail communities`: the hierarchy of communities and the reports on them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.indexing.communities.options import CommunityOptions


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
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
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
    from hoptrail.cli.choices import context_fields

    if level is not None and not show:
        raise typer.BadParameter("--level goes with --show")
    context = context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail
    from hoptrail.cli.publish import tell_of_stores
    from hoptrail.indexing.communities.options import CommunityOptions

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
            _print_forecast(hoptrail.forecast_communities(options=chosen, model=model), as_json)
        else:
            if not yes and max_usd is None:
                _agree_on_cost(hoptrail, chosen, model, as_json)
            _print_report(_run(hoptrail, chosen, model), as_json)
            tell_of_stores(hoptrail.publications)


def _show(hoptrail: Hoptrail, level: int | None, as_json: bool) -> None:
    from hoptrail.cli.communities_view import show_reports, show_tree
    from hoptrail.cli.output import emit_json, results

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
    from hoptrail.cli.communities_view import forecast_table
    from hoptrail.cli.cost_agreement import agree_on_cost, has_model, served_embedder

    embedder = served_embedder()
    if embedder is None and (chosen.extractive or not has_model("reporter", model)):
        return
    forecast = hoptrail.forecast_communities(options=chosen, model=model)
    table = forecast_table(forecast)
    agree_on_cost(forecast, table, "reporter", model, embedder=embedder, as_json=as_json)


def _run(hoptrail: Hoptrail, chosen: CommunityOptions, model: str | None) -> dict[str, Any]:
    from hoptrail.cli.progress import show_progress

    with show_progress() as progress:
        return hoptrail.communities(options=chosen, model=model, progress=progress)


def _print_forecast(forecast: dict[str, Any], as_json: bool) -> None:
    from hoptrail.cli.communities_view import forecast_table
    from hoptrail.cli.cost_agreement import print_forecast

    print_forecast(forecast, forecast_table(forecast), as_json=as_json)


def _print_report(report: dict[str, Any], as_json: bool) -> None:
    from hoptrail.cli.communities_view import show_report
    from hoptrail.cli.output import emit_json, results

    if as_json:
        emit_json(report)
    else:
        show_report(report, results())
