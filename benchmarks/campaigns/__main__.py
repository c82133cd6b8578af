"""Runs a campaign: `python -m benchmarks.campaigns NAME [--seconds N] [--seed S]`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from benchmarks.campaigns.trials import Kind, run_kind

CAMPAIGNS = ("kills", "power", "disk", "damage", "replies", "fuzz", "stalls")


def kinds_of(campaign: str) -> list[Kind]:
    """Return the kinds of a campaign."""
    kinds: list[Kind] = import_module(f"benchmarks.campaigns.{campaign}").KINDS
    return kinds


def main() -> int:
    """Run the campaigns that are named; return 1 where anything failed, or nothing was tried."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.campaigns")
    parser.add_argument("name", choices=[*CAMPAIGNS, "all"])
    parser.add_argument("--kind", action="append", help="only these kinds; repeatable")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each kind")
    parser.add_argument("--trials", type=int, help="at most so many seeds of each kind")
    parser.add_argument("--seed", type=int, default=0, help="the first; each trial has the next")
    given = parser.parse_args()
    chosen = CAMPAIGNS if given.name == "all" else (given.name,)
    kinds = [(campaign, kind) for campaign in chosen for kind in kinds_of(campaign)]
    names = sorted({kind.name for _, kind in kinds})
    if unknown := set(given.kind or ()).difference(names):
        parser.error(
            f"no kind is called {', '.join(sorted(unknown))}; there are {', '.join(names)}"
        )
    held = True
    for campaign, kind in kinds:
        if given.kind and kind.name not in given.kind:
            continue
        tally = run_kind(kind, seconds=given.seconds, trials=given.trials, seed=given.seed)
        print(f"{campaign} {tally}", flush=True)
        held = held and tally.tried > 0 and not tally.failed
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
