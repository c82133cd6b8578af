"""Settings of `--set` that a command takes and does not read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

_ANSWER_NOTHING = frozenset(
    {
        "index",
        "sync",
        "communities",
        "consolidate",
        "reembed",
        "merge",
        "merges",
        "delete",
        "export",
        "info",
    }
)
"""Commands that read none: they set how questions are answered."""


def idle_settings(
    command: str, assignments: Iterable[str], options: Collection[str]
) -> Iterator[str]:
    """Yield a line for each assignment that changes nothing in a command.

    Args:
        command: Its name.
        assignments: Given as NAME=VALUE.
        options: Names of the parameters of the command, one of which may have been meant.
    """
    if command not in _ANSWER_NOTHING:
        return
    for text in assignments:
        name = text.partition("=")[0].strip()
        entry = name.rpartition(".")[2]
        meant = f"; did you mean --{entry.replace('_', '-')}?" if entry in options else ""
        yield (
            f"--set {name} changes nothing in hoptrail {command}: "
            f"it sets how questions are answered{meant}"
        )
