"""The settings of a process that leaves its working directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import SecretStr, TypeAdapter

from hoptrail.core.settings import Settings, load_settings


def pin_settings() -> Settings:
    """Fix this process's settings as they are, with absolute paths, and return them.

    They go into its environment, where `load_settings` finds them from any directory.

    Raises:
        SettingsError: If `hoptrail.toml` or a variable cannot be used.
    """
    settings = _absolute(load_settings())
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if value is not None:
            os.environ[f"HOPTRAIL_{name.upper()}"] = _as_text(value)
    return settings


def _absolute(settings: Settings) -> Settings:
    bases = {
        name: base.model_copy(update={"records": base.records.resolve()})
        for name, base in settings.knowledge_bases.items()
    }
    changes: dict[str, Any] = {"knowledge_bases": bases}
    if settings.prompts_dir is not None:
        changes["prompts_dir"] = settings.prompts_dir.resolve()
    for name in ("embedder", "graph_llm"):  # each may be something else than a folder
        value = getattr(settings, name)
        if value is not None and Path(value).is_dir():
            changes[name] = str(Path(value).resolve())
    set_before = settings.model_fields_set
    return settings.model_copy(update={n: v for n, v in changes.items() if n in set_before})


def _as_text(value: Any) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, str | Path):
        return str(value)
    return TypeAdapter(Any).dump_json(value).decode()
