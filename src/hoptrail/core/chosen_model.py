"""The model that a user has chosen for all folders: `hoptrail model use`."""

from __future__ import annotations

import json
from pathlib import Path

from platformdirs import user_config_path

from hoptrail.core.whole_file import write_whole


def choice_file() -> Path:
    """Return the file that keeps the choice."""
    return user_config_path("hoptrail", appauthor=False) / "model.json"


def chosen_settings() -> dict[str, str | bool]:
    """Return the settings that the choice stands for: `model`, and `base_url` of its server.

    A file that cannot be read is none: the choice is made anew by `hoptrail model use`.
    """
    try:
        told = json.loads(choice_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    known = ("model", "base_url", "small_model")
    return {key: told[key] for key in known if key in told} if isinstance(told, dict) else {}


def choose(settings: dict[str, str | bool]) -> None:
    """Keep a choice, or none."""
    file = choice_file()
    if not settings:
        file.unlink(missing_ok=True)
        return
    write_whole(file, f"{json.dumps(settings, indent=1)}\n")
