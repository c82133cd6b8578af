"""The command tree and its entry point."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from hoptrail.cli.ask import ask
from hoptrail.cli.chat import chat
from hoptrail.cli.communities import communities
from hoptrail.cli.compare import compare, judge
from hoptrail.cli.consolidate import consolidate, merges
from hoptrail.cli.doctor import doctor
from hoptrail.cli.evaluate import eval_marks, evaluate
from hoptrail.cli.failures import run_guarded
from hoptrail.cli.feedback import FEEDBACK_COMMANDS
from hoptrail.cli.framed import framed
from hoptrail.cli.index import index
from hoptrail.cli.info import info
from hoptrail.cli.maintenance import backup, delete, export, publish, reembed, repair, restore
from hoptrail.cli.model import MODEL_COMMANDS
from hoptrail.cli.presets import presets
from hoptrail.cli.questions import dataset, questions
from hoptrail.cli.retrieve import retrieve
from hoptrail.cli.serve import mcp, serve
from hoptrail.cli.serve_llm import serve_llm
from hoptrail.cli.shards import merge
from hoptrail.cli.sync import sync
from hoptrail.cli.train import train
from hoptrail.cli.web import key, web

# Objects made between two collections. What modules make when they are imported lives on; at
# Python's usual number a tenth of the start-up is spent on looking through it again and again.
_OBJECTS_BETWEEN_COLLECTIONS = 100_000

COMMANDS: dict[str, dict[str, Callable[..., None]]] = {
    "Start with": {"index": index, "ask": ask, "chat": chat, "web": web, "doctor": doctor},
    "Ask": {"retrieve": retrieve, "presets": presets},
    "Documents": {
        "info": info,
        "sync": sync,
        "delete": delete,
        "export": export,
        "merge": merge,
        "backup": backup,
        "restore": restore,
        "repair": repair,
        "publish": publish,
        "reembed": reembed,
    },
    "Models": {"serve-llm": serve_llm, "train": train},
    "Serve": {"serve": serve, "mcp": mcp, "key": key},
    "Graph": {"communities": communities, "consolidate": consolidate, "merges": merges},
    "Evaluate": {
        "eval": evaluate,
        "compare": compare,
        "judge": judge,
        "questions": questions,
        "dataset": dataset,
        "eval-marks": eval_marks,
    },
}
"""The commands by the heading of their group in `hoptrail --help`."""


SUBCOMMANDS = {"Models": ("model",), "Evaluate": ("feedback",)}
"""Names with commands of their own below them, by the heading that they stand under first."""


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


class _Commands(GroupedHelp):
    groups: ClassVar = {
        heading: SUBCOMMANDS.get(heading, ()) + tuple(commands)
        for heading, commands in COMMANDS.items()
    }


def build_app() -> typer.Typer:
    """Return the command tree; plain help text keeps `--help` fast."""
    app = typer.Typer(
        name="hoptrail",
        help="Answer multi-hop questions over your documents, and show the checked trail.",
        no_args_is_help=True,
        cls=_Commands,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(invoke_without_command=True)(_root)
    for commands in COMMANDS.values():
        for name, command in commands.items():
            app.command(name, cls=PluginHelp)(framed(command, name))
    model_help = "Language models on this machine: list, add, get, use, check, remove."
    _add_group(app, "model", MODEL_COMMANDS, model_help)
    feedback_help = "What readers said of answers, and the answers that they saved."
    _add_group(app, "feedback", FEEDBACK_COMMANDS, feedback_help)
    return app


def _add_group(
    app: typer.Typer, name: str, commands: dict[str, Callable[..., None]], help: str
) -> None:
    """Add commands that stand below a name of their own."""

    class Commands(GroupedHelp):
        groups: ClassVar = {"Commands": tuple(commands)}

    group = typer.Typer(
        cls=Commands,
        help=help,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    for command_name, command in commands.items():
        group.command(command_name)(framed(command, f"{name} {command_name}"))
    app.add_typer(group, name=name)


def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        from hoptrail import __version__

        sys.stdout.write(f"hoptrail {__version__}\n")
        raise typer.Exit


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    sys.exit(run_guarded(build_app(), sys.argv[1:]))
