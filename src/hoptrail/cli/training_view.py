"""How a training run looks in a terminal: a line per validation, then the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hoptrail.cli.output import grid

if TYPE_CHECKING:
    from rich.console import Console

_GIBIBYTE = 2**30


def validation_line(row: Mapping[str, Any]) -> str:
    """Return the figures of a step that a validation followed."""
    return (
        f"step {row['step']}, epoch {row['epoch']}: loss {row.get('loss', float('nan')):.3f}, "
        f"Hits@1 {row['hits@1']:.3f}, Hit {row['hit']:.3f}, F1 {row['set_f1']:.3f}, "
        f"{row['seconds']:.0f} s"
    )


def show_summary(summary: Mapping[str, Any], console: Console) -> None:
    """Print the figures of a finished run."""
    metrics = summary["metrics"]
    table = grid()
    table.add_row("steps", f"{summary['steps']} of {summary['planned_steps']}")
    table.add_row("best step", str(summary["best_step"]))
    table.add_row("Hits@1", f"{metrics['hits@1']:.3f}")
    table.add_row("Hit", f"{metrics['hit']:.3f}")
    table.add_row("F1", f"{metrics['set_f1']:.3f}")
    table.add_row("trained parameters", f"{summary['trained_parameters']:,}")
    if summary["left_out"]:
        table.add_row("left out", f"{summary['left_out']} questions whose graph holds no answer")
    if summary["skipped_steps"]:
        table.add_row("skipped steps", str(summary["skipped_steps"]))
    table.add_row("time", f"{summary['seconds']:.0f} s, {summary['seconds_per_step']:.2f} s a step")
    table.add_row("peak memory", f"{summary['peak_memory_bytes'] / _GIBIBYTE:.2f} GiB")
    table.add_row("checkpoint", summary["checkpoint"])
    console.print(table)
