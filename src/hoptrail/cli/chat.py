"""`hoptrail chat`: a conversation in which a question may refer to earlier ones."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from typing import Annotated

import typer

from hoptrail.cli import options
from hoptrail.cli.status import STATUS


def chat(
    kb: options.KnowledgeBase,
    thread: Annotated[
        str | None,
        typer.Option("--thread", metavar="ID", help="Conversation to continue or to begin."),
    ] = None,
    preset: options.Preset = None,
    model: options.Models = None,
    filter: options.Filter = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    on_page: Annotated[
        bool, typer.Option("--web", help="Hold it on a page in the browser (hoptrail web).")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Hold a conversation about the documents.

    It is kept beside the knowledge base and can be continued by its id; /threads lists all.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, models=model, filters=filter, preset=preset, seed=seed)
    if on_page:
        from hoptrail.cli.web import chat_on_page

        chat_on_page(kb, context, as_json=as_json)
        return

    from uuid import uuid4

    from hoptrail.cli.chat_input import is_typed, keys_unseen, line_reader

    with ExitStack() as cleanup:
        with keys_unseen() if is_typed() else nullcontext():
            from hoptrail.api import Hoptrail
            from hoptrail.cli.conversation import COMMANDS, Conversation
            from hoptrail.cli.output import warn
            from hoptrail.core.settings import load_settings

            settings = load_settings()
            STATUS.say(f"opening {kb}")
            hoptrail = cleanup.enter_context(Hoptrail.open(kb, settings=settings, **context))
            conversation = Conversation(
                hoptrail,
                thread or uuid4().hex[:8],
                as_json=as_json,
                filter=context.get("filter"),
            )
            read = line_reader(COMMANDS, keeps_history=settings.chat_history)
        try:
            conversation.hold(read)
        finally:
            if conversation.has_begun:
                warn(f"to continue: {_continuing(kb, conversation.thread, settings.kb)}")


def _continuing(kb: str, thread: str, default: str) -> str:
    from shlex import quote

    place = "" if kb == default else f" --kb {quote(kb)}"
    return f"hoptrail chat{place} --thread {quote(thread)}"
