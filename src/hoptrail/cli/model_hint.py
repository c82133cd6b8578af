"""One line, once: a model that runs on this machine could answer more, and how to use it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoptrail.core.types import Answer


def hint_at_model(answer: Answer) -> None:
    """Tell on a terminal, behind the first answer without a model, of one that runs here.

    Servers of this machine are asked for the list of their models, and nothing else.
    """
    from platformdirs import user_state_path

    from hoptrail.core.settings import load_settings
    from hoptrail.models.chat import default_model

    if not sys.stdout.isatty() or answer.usage.llm_calls or default_model(load_settings()):
        return
    marker = user_state_path("hoptrail", appauthor=False) / "told_of_models"
    if marker.exists():
        return
    line = model_hint()
    try:
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
    except OSError:
        return  # where nothing can be kept, it would be told again and again
    if line is not None:
        from hoptrail.cli.output import results

        results().print(line, style="dim")


def model_hint() -> str | None:
    """Return the command that uses a model of this machine, None where there is none."""
    import asyncio

    from hoptrail.models.local.model_files import ModelFiles
    from hoptrail.models.local.running_servers import running_servers

    if files := ModelFiles().all():
        return f"To let a model answer what search does not: hoptrail model use {files[0].name}"
    served = [one for one in asyncio.run(running_servers()) if one.models]
    if not served:
        return None
    server = served[0]
    return (
        f"{server.kind} runs here. To let it answer what search does not: "
        f"hoptrail model use {server.models[0]}"
    )
