"""`hoptrail ask`: one question, one answer with its trail."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.output import STATUS, emit_json, emit_text, printable, results, warn
from hoptrail.core.errors import SettingsError

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Answer


def ask(
    question: options.Question,
    kb: options.KnowledgeBase,
    preset: options.Preset = None,
    model: options.Models = None,
    budget: options.Budget = None,
    filter: options.Filter = None,
    reranker: options.Reranker = None,
    level: Annotated[
        int | None,
        typer.Option("--level", metavar="N", min=0, help="Level of reports, 0 is the coarsest."),
    ] = None,
    verify: options.Verify = None,
    context_only: Annotated[
        bool,
        typer.Option("--context-only", help="Print the evidence and call no model."),
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Also draw the trail to FILE.svg, or the answer with it to FILE.html.",
        ),
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Also show the answer with its drawn trail in a browser.")
    ] = False,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer a question and show the checked trail."""
    if context_only and (save is not None or open_page):
        raise SettingsError("--context-only gives no answer", hint="leave --save, --open out")
    if save is not None:
        from hoptrail.cli.answer_file import require_answer_file

        require_answer_file(save)
    text = options.read_question(question)
    context = options.context_fields(
        assignments,
        models=model,
        filters=filter,
        preset=preset,
        reranker=reranker,
        budget=budget,
        level=level,
        verify=verify and verify.value,
        seed=seed,
    )

    from hoptrail.api import Hoptrail

    STATUS.say(f"opening {kb}, loading the embedding model")
    with Hoptrail.open(kb, **context) as hoptrail:
        if context_only:
            _print_context(text, hoptrail.context(text), as_json)
            return
        answer = answer_with_status(hoptrail, text)
        pictures = None
        if save is not None or open_page:
            from hoptrail.cli.answer_file import quote_pictures

            pictures = quote_pictures(hoptrail, answer)
    print_answer(answer, as_json)
    if not as_json:
        hint_at_model(answer)
    if save is not None:
        from hoptrail.cli.answer_file import draws, save_answer

        save_answer(answer, save, pictures)
        warn(f"saved {'the drawn trail' if draws(save) else 'the answer with its trail'} to {save}")
    if open_page:
        from hoptrail.cli.answer_file import open_answer

        open_answer(answer, pictures)


def print_answer(answer: Answer, as_json: bool) -> None:
    """Print an answer to stdout as JSON or for a person."""
    if as_json:
        emit_json(answer.to_contract())
    else:
        from hoptrail.cli.answer_view import show_answer

        show_answer(answer)


def _print_context(question: str, context: str, as_json: bool) -> None:
    if as_json:
        emit_json({"question": question, "context": context})
    else:
        emit_text(context)


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


def answer_with_status(hoptrail: Hoptrail, question: str, **arguments: Any) -> Answer:
    """Ask; while a terminal watches, show each step and the answer's words as they come.

    Raises:
        HoptrailError: As `Hoptrail.ask`.
    """
    if not STATUS.is_allowed:
        return hoptrail.ask(question, **arguments)

    from hoptrail.api.steps import DRAFT_STEP, NEXT_STEP, reading_step, waiting_step

    draft, is_whole = "", False
    answer: Answer | None = None
    for event in hoptrail.stream(question, **arguments):
        if event.type == "node":
            # A second try of the answer is shown in place of the first.
            is_whole = True
            STATUS.say(NEXT_STEP.get(event.node, event.node.replace("_", " ")))
        elif event.type == "waiting":
            STATUS.say(waiting_step(event))
        elif event.type == "reading":
            STATUS.say(reading_step(event))
        elif event.type == "draft":
            draft, is_whole = event.text, True
            STATUS.say(DRAFT_STEP)
            STATUS.show_draft(printable(draft))
        elif event.type == "token":
            draft, is_whole = ("" if is_whole else draft) + event.text, False
            STATUS.show_draft(printable(draft))
        elif event.type == "answer":
            answer = event.answer
    STATUS.hide()
    if answer is None:
        raise RuntimeError("the stream ended without an answer")
    return answer
