"""The `hoptrail` command: one module per command, heavy imports only inside the commands."""

from hoptrail.cli.app import main

__all__ = ["main"]
