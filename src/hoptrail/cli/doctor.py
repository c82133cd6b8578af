"""`hoptrail doctor`: what works on this machine and what does not."""

from __future__ import annotations

from hoptrail.cli import options


def doctor(
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Check models, embedder, knowledge bases and versions.

    Each configured model gets one short test call.
    """
