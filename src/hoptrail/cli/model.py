"""`hoptrail model`: language models on this machine, and the one that is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.output import emit_json, emit_text, grid, notes, printable, results, warn
from hoptrail.core.errors import InputError, SettingsError

if TYPE_CHECKING:
    from hoptrail.eval.model_check import CheckedQuestion, ModelProfile
    from hoptrail.models.local.model_files import ModelFile

_ASKED_FROM = 100_000_000  # bytes
_HOW_TO_USE = "hoptrail model use {} makes it the model"
Name = Annotated[str, typer.Argument(metavar="NAME", help="As hoptrail model list names it.")]


def list_models(as_json: options.AsJson = False) -> None:
    """List model files, servers that run here with their models, and what can be downloaded.

    Servers on this machine are asked for the list of their models, and nothing else.
    """
    import asyncio

    from hoptrail.core.settings import load_settings
    from hoptrail.models.local.download import PUBLISHED
    from hoptrail.models.local.model_files import ModelFiles
    from hoptrail.models.local.running_servers import running_servers

    files, servers = ModelFiles().all(), asyncio.run(running_servers())
    used = load_settings().model
    if as_json:
        emit_json(
            {
                "used": used,
                "files": [one.to_json() for one in files],
                "servers": [one.to_json() for one in servers],
            }
        )
        return
    console = results()
    console.print(f"used: {used or 'none, questions are answered by graph search'}")
    _show_files(files, console)
    for server in servers:
        console.print(f"\n{server.kind} at {server.address}: {', '.join(server.models) or 'none'}")
    listed = {one.name for one in files}
    left = [one for one in PUBLISHED if one.name not in listed]
    if left:
        console.print("\nto be had by hoptrail model get NAME:")
    for one in left:
        told = f"  {one.name}: {one.size / 1e9:.1f} GB, {one.licence}, {one.note}"
        console.print(told, style="dim")


def add_model(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A model in the format GGUF.")],
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="What to call it."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Name a model file, which stays where it is: gguf:NAME then means it."""
    from hoptrail.models.local.model_files import ModelFiles

    added = ModelFiles().add(file, name)
    if as_json:
        emit_json(added.to_json())
    else:
        emit_text(
            f"{added.name} is {added.path}; hoptrail model use {added.name} makes it the model"
        )


def get_model(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of the list, or hf:OWNER/REPOSITORY/FILE.gguf.")
    ],
    called: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What to call it.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Download without asking.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Download a model file from the Hugging Face hub; run it again to go on where it stopped."""
    from hoptrail.models.local.download import described, download, wanted_file
    from hoptrail.models.local.model_files import ModelFiles

    wanted = described(wanted_file(name, called))
    if wanted.size >= _ASKED_FROM and not yes:
        licence = f", {wanted.licence}" if wanted.licence else ""
        _agree(f"download {wanted.size / 1e9:.1f} GB from {wanted.repository}{licence}?")
    got = download(wanted, ModelFiles())
    if as_json:
        emit_json(got.to_json())
    else:
        emit_text(f"{got.name} is {got.path}; {_HOW_TO_USE.format(got.name)}")


def use_model(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Of the list, provider:NAME, gguf:PATH, or none for no model."
        ),
    ],
    as_json: options.AsJson = False,
) -> None:
    """Choose the model of all folders that name none themselves; `none` takes it back.

    hoptrail.toml and HOPTRAIL_MODEL win over it.
    """
    from hoptrail.core.chosen_model import choose
    from hoptrail.core.settings import load_settings

    chosen = {} if name == "none" else _settings_of(name)
    choose(chosen)
    used = load_settings().model
    if used != chosen.get("model"):
        warn(f"here it is {used}: hoptrail.toml or HOPTRAIL_MODEL names that")
    if as_json:
        emit_json({"used": used, "chosen": chosen})
    else:
        emit_text(f"used from now on: {chosen.get('model', 'none')}")


def check_model(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Another one than the model in use.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Ask a model 36 small questions: what it gets right, which forms it keeps, and how fast.

    Of a model file the result is kept, and decides whether `auto` asks it by short prompts.
    """
    import asyncio

    from hoptrail.core.settings import load_settings
    from hoptrail.eval.model_check import check_model as ask_all
    from hoptrail.models.chat import DEFAULT_CHOICE, ChatModels
    from hoptrail.models.local.model_files import ModelFiles

    settings = load_settings()
    choices = {}
    if name is not None:
        told = _settings_of(name)
        settings = settings.model_copy(update=told)
        choices[DEFAULT_CHOICE] = str(told["model"])
    models = ChatModels(settings, choices)
    model = models.for_role("answerer")
    with notes().status(f"asking {model.name}") as status:
        profile, rows = asyncio.run(
            ask_all(model, lambda done, of: status.update(f"asking {model.name}: {done} of {of}"))
        )
    listed = model.name.removeprefix("gguf:")
    if model.name.startswith("gguf:") and ModelFiles().find(listed):
        ModelFiles().keep_check(listed, {**profile.to_json(), "long": profile.keeps_long_forms})
    if as_json:
        emit_json(
            {"model": model.name, **profile.to_json(), "rows": [row.to_json() for row in rows]}
        )
    else:
        _show_profile(model.name, profile, rows)


def remove_model(name: Name, as_json: options.AsJson = False) -> None:
    """Forget a model file; one that was downloaded by `get` is deleted."""
    from hoptrail.core.chosen_model import choose, chosen_settings
    from hoptrail.models.local.model_files import ModelFiles

    removed = ModelFiles().remove(name)
    if chosen_settings().get("model") == f"gguf:{name}":
        choose({})
    if as_json:
        emit_json(removed.to_json())
    else:
        what = "deleted" if removed.is_own else "forgotten; its file stays"
        emit_text(f"{name} is {what}")


def _settings_of(name: str) -> dict[str, str | bool]:
    """Return the settings by which a model is used: a listed file, a running server's, or any.

    Raises:
        InputError: If the name is none of these.
    """
    import asyncio

    from hoptrail.models.local.download import published
    from hoptrail.models.local.model_files import ModelFiles, model_path, read_gguf_header
    from hoptrail.models.local.running_servers import running_servers

    if ModelFiles().find(name) is not None:
        return {"model": f"gguf:{name}"}
    if name.startswith("gguf:"):
        path = model_path(name.removeprefix("gguf:"))
        read_gguf_header(path)
        listed = ModelFiles().find(name.removeprefix("gguf:"))
        return {"model": name if listed else f"gguf:{path.resolve()}"}
    servers = asyncio.run(running_servers())
    for server in servers:
        for model in server.models:
            if name in {model, server.settings(model)["model"]}:
                return server.settings(model)
    if ":" in name and not name.startswith("ollama:"):
        return {"model": name}
    if published(name) is not None:
        raise InputError(
            f"{name} is not on this machine yet", hint=f"hoptrail model get {name} downloads it"
        )
    named = [f"{one.kind}: {', '.join(one.models)}" for one in servers]
    raise InputError(
        f"no model {name} is known here" + (f"; {'; '.join(named)}" if named else ""),
        hint="hoptrail model list names those there are; provider:NAME is one of a provider",
    )


def _agree(question: str) -> None:
    """Ask on a terminal; Enter means no.

    Raises:
        SettingsError: If there is no terminal to ask.
    """
    import sys

    if not sys.stdin.isatty():
        raise SettingsError(f"not asked: {question}", hint="agree with --yes")
    if not typer.confirm(question, default=False, err=True):
        raise typer.Abort


def _show_files(files: list[ModelFile], console: Any) -> None:
    if not files:
        return
    table = grid()
    for one in files:
        told = "not checked yet"
        if one.check is not None:
            told = f"{one.check['right']:.0%} right, {one.check['honest']:.0%} honest"
        size = f"{one.size / 1e9:.1f} GB"
        table.add_row(f"  gguf:{one.name}", size, one.architecture, told, printable(one.path))
    console.print("\nfiles:")
    console.print(table)


def _show_profile(name: str, profile: ModelProfile, rows: list[CheckedQuestion]) -> None:
    console = results()
    console.print(printable(name))
    table = grid()
    table.add_row("  right", f"{profile.right:.0%}", "of short answers that the passages give")
    table.add_row("  honest", f"{profile.honest:.0%}", "where they give none")
    table.add_row("  other languages", f"{profile.other_languages:.0%}", "right")
    table.add_row("  form kept", f"{profile.json_kept:.0%}", "answers as objects, and right")
    table.add_row("  follow-ups", f"{profile.follow_ups:.0%}", "reworded to stand alone")
    table.add_row("  reads", f"{profile.read_per_second:,.0f}", "tokens a second")
    table.add_row("  writes", f"{profile.written_per_second:,.1f}", "tokens a second")
    table.add_row("  a short answer", f"{profile.seconds:.1f} s", "")
    console.print(table)
    way = "the longer prompts" if profile.keeps_long_forms else "one short prompt"
    console.print(f"auto asks it by {way}")
    for row in rows:
        if not row.is_right:
            console.print(
                printable(f"  wrong ({row.form}): {row.question} {row.reply or '-'}"), style="dim"
            )


MODEL_COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_models,
    "add": add_model,
    "get": get_model,
    "use": use_model,
    "check": check_model,
    "remove": remove_model,
}
"""The commands of `hoptrail model`."""
