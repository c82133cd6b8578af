"""The public names of Hoptrail: Python, commands and options, JSON fields, paths of the server.

    python -m tests.public_names

writes them to `tests/data/public_names.json`, from which no name may go without being announced.
"""

from __future__ import annotations

import json
from dataclasses import fields
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "data" / "public_names.json"
_MODULES = (
    "hoptrail",
    "hoptrail.core.types",
    "hoptrail.llama_index",
    "hoptrail.testing",
    "hoptrail.testing.contracts",
)
_JSON = (
    "Answer",
    "AnswerCandidate",
    "Citation",
    "Feedback",
    "NearestPassage",
    "ReportReference",
    "SavedAnswer",
    "SavedNote",
    "TrailHop",
)
_ROUTES = {
    "asking": "asking.router",
    "browsing": "browsing.router",
    "feedback": "feedback.router",
    "jobs": "browsing.job_router",
    "openai": "openai.router",
    "operation": "operation.router",
    "overview": "overview.router",
    "page": "operation.page_router",
    "shared": "threads.shared_router",
    "threads": "threads.router",
}

Names = dict[str, list[str]]


def public_modules() -> tuple[str, ...]:
    """Return the modules whose `__all__` is public."""
    return _MODULES


def public_names() -> Names:
    """Return the names by what they belong to, sorted."""
    return _python() | _options() | _fields() | _paths()


def _python() -> Names:
    from hoptrail import Hoptrail

    named = {module: sorted(import_module(module).__all__) for module in _MODULES}
    roles = reversed(Hoptrail.__mro__[:-1])
    members = {name: value for role in roles for name, value in vars(role).items()}
    methods = {name: value for name, value in members.items() if not name.startswith("_")}
    for name, value in methods.items():
        target = getattr(value, "__func__", value)
        taken = signature(target).parameters if callable(target) else ()
        named[f"Hoptrail.{name}"] = sorted(set(taken) - {"self", "cls"})
    return named


def _options() -> Names:
    from typer.main import get_command

    from hoptrail.cli.app import build_app

    tree: Any = get_command(build_app())
    return {f"hoptrail {name}": opts for name, opts in sorted(_by_command(tree, ""))}


def _by_command(command: Any, name: str) -> list[tuple[str, list[str]]]:
    own = sorted(option for param in command.params for option in param.opts if option[0] == "-")
    found = [(name, own)] if name else []
    for child, one in getattr(command, "commands", {}).items():
        found += _by_command(one, f"{name} {child}".strip())
    return found


def _fields() -> Names:
    from hoptrail.core import types
    from hoptrail.core.settings import Settings
    from hoptrail.graphs.context import Context

    named = {
        f"JSON {name}": sorted(field.name for field in fields(getattr(types, name)))
        for name in _JSON
    }
    named["settings"] = sorted(Settings.model_fields)
    named["choices"] = sorted(Context.model_fields)
    return named


def _paths() -> Names:
    named = {}
    for name, place in _ROUTES.items():
        module, _, attribute = place.partition(".")
        router = getattr(import_module(f"hoptrail.web.routes.{module}"), attribute)
        told = {f"{method} {one.path}" for one in router.routes for method in one.methods}
        named[f"HTTP {name}"] = sorted(told - {one for one in told if one.startswith("HEAD ")})
    return named


def main() -> None:
    """Write the file."""
    text = json.dumps(public_names(), indent=1, ensure_ascii=False)
    FILE.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
