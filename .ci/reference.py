"""Pages of the reference, made from the code: commands, settings, Python, JSON, HTTP, prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

_TYPES = "hoptrail.core.types"  # shown on the page on JSON
_DOTTED = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Z])")


def reference_pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    made = {
        "python": python_page(),
        "json": json_page(),
        "cli": cli_page(),
        "settings": settings_page(),
        "http": http_page(),
        "prompts": prompts_page(),
    }
    return {name: "\n".join(lines) + "\n" for name, lines in made.items()}


def python_page() -> Iterator[str]:
    """Yield what other programs may import."""
    from tests.public_names import public_modules

    yield "# Python\n"
    yield "What other programs may import. [Examples](../python.md) show how it is used.\n"
    shown: set[str] = set()
    for module in public_modules():
        if module == _TYPES:
            continue
        yield f"## {module}\n"
        for name in import_module(module).__all__:
            path = _home(module, name)
            if path is not None and path not in shown and not path.startswith(_TYPES):
                shown.add(path)
                yield f"::: {path}\n    options:\n      heading_level: 3\n"


def json_page() -> Iterator[str]:
    """Yield the values that JSON is made of."""
    module = "hoptrail.core.types"
    yield "# JSON\n"
    yield (
        "`to_json()` of each of these values gives its fields by name, and so do `--json`, the "
        "HTTP API and the files of evaluations.\n"
    )
    for name in import_module(module).__all__:
        path = _home(module, name)
        if path is not None:
            yield f"::: {path}\n    options:\n      inherited_members: false\n"


def cli_page() -> Iterator[str]:
    """Yield every command with its arguments and options."""
    from typer.main import get_command

    from hoptrail.cli.app import build_app

    yield "# Command line\n"
    yield from _command(get_command(build_app()), "hoptrail", None)


def settings_page() -> Iterator[str]:
    """Yield the settings of the machine, and the choices of a question."""
    from hoptrail.core import settings
    from hoptrail.graphs.context import Context

    yield "# Settings\n"
    yield "## Of the machine\n"
    yield "In `hoptrail.toml` of the working directory, or as `HOPTRAIL_<NAME>`, which wins.\n"
    yield from _fields(settings.Settings)
    yield "## Of a question\n"
    yield "By `--set NAME=VALUE`, an option of the same name, or an argument in Python.\n"
    yield from _fields(Context)
    yield "## Parts of settings\n"
    parts = (
        *("ServedBase", "Price", "ApiKey", "SignOn", "IdentityToken", "Rights"),
        *("Tracing", "SourceSettings"),
    )
    for name in parts:
        model: type[BaseModel] = getattr(settings, name)
        yield f"### {name}\n"
        yield f"{(model.__doc__ or '').strip().splitlines()[0]}\n"
        yield from _fields(model)


def http_page() -> Iterator[str]:
    """Yield the paths of the web application."""
    from hoptrail.core.settings import Settings
    from hoptrail.web.application import create_app
    from hoptrail.web.options import WebOptions

    made = create_app(WebOptions(bases={}, data=Path("unused")), Settings(keys={})).openapi()
    yield "# HTTP API\n"
    yield (
        "Of `hoptrail web`, from its own description, which it serves as `/api/v1/openapi.json`. "
        "[In words](../web_api.md).\n"
    )
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            yield f"## {method.upper()} {path}\n"
            yield f"{operation.get('description', operation['summary'])}\n"
            if given := operation.get("parameters"):
                yield "| parameter | in | type | |\n| --- | --- | --- | --- |"
                for one in given:
                    note = "required" if one.get("required") else _default(one["schema"])
                    yield f"| `{one['name']}` | {one['in']} | {_type(one['schema'])} | {note} |"
                yield ""
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            if "$ref" in schema:
                yield from _schema(made["components"]["schemas"], schema["$ref"])


def prompts_page() -> Iterator[str]:
    """Yield every shipped prompt as its file has it."""
    from importlib.resources import files

    from hoptrail.prompts.loader import SHIPPED

    yield "# Prompts\n"
    yield "[How to replace one](../settings.md#prompts-of-your-own).\n"
    for name, prompt in sorted(SHIPPED.load_all().items()):
        text = files("hoptrail.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
        yield f"## {name}\n"
        yield f"For the role `{prompt.role}`.\n"
        yield f"`````markdown\n{text.rstrip()}\n`````\n"


def _home(module: str, name: str) -> str | None:
    """Return the dotted place where a public name is defined; None for plain values."""
    value = getattr(import_module(module), name)
    if not isinstance(value, type) and not callable(value):
        return None
    home = getattr(value, "__module__", "")
    return f"{home}.{name}" if home.startswith("hoptrail") else None


def _command(command: Any, name: str, parent: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=name.rpartition(" ")[2], parent=parent)
    yield f"## {name}\n"
    if command.help:
        yield f"{command.help.strip()}\n".replace("\f", "")
    records = [one.get_help_record(context) for one in command.params]
    rows = [record for record in records if record is not None]
    if rows:
        yield "| | |\n| --- | --- |"
        for given, told in rows:
            yield f"| `{given}` | {_cell(told)} |"
        yield ""
    for child, one in getattr(command, "commands", {}).items():
        if not one.hidden:
            yield from _command(one, f"{name} {child}", context)


def _fields(model: type[BaseModel]) -> Iterator[str]:
    yield "| name | type | default | meaning |\n| --- | --- | --- | --- |"
    for name, field in model.model_fields.items():
        default = "" if field.is_required() else _cell(_shown_default(field))
        kind = _cell(_annotation(field.annotation))
        yield f"| `{name}` | {kind} | {default} | {_cell(field.description or '')} |"
    yield ""


def _shown_default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    return "" if value in (None, [], {}) or isinstance(value, BaseModel) else f"`{value}`"


def _annotation(kind: Any) -> str:
    if isinstance(kind, type) and not get_args(kind):
        return kind.__name__
    text = str(kind).replace("typing.", "").replace(" | None", "")
    return _DOTTED.sub("", text)


def _schema(known: Any, reference: str) -> Iterator[str]:
    schema = known[reference.rpartition("/")[2]]
    yield f"{schema.get('description', 'Body')}\n"
    yield "| field | type | |\n| --- | --- | --- |"
    for name, one in schema.get("properties", {}).items():
        required = "required" if name in schema.get("required", []) else _default(one)
        told = _cell("; ".join(filter(None, (required, one.get("description", "")))))
        yield f"| `{name}` | {_type(one)} | {told} |"
    yield ""


def _type(schema: Any) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    return str(schema.get("type", "any"))


def _default(schema: Any) -> str:
    value = schema.get("default")
    return "" if value in (None, "") else f"default `{value}`"


def _cell(text: str) -> str:
    escaped = " ".join(text.split()).replace("<", "&lt;")
    return re.sub(r"([|\[\]])", r"\\\1", escaped)
