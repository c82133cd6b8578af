"""The `hoptrail` command: a module or a part of one per command, heavy imports only inside it."""

from hoptrail.cli.app import main

__all__ = ["main"]
