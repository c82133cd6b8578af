"""A conversation at the terminal: questions, their answers, and the commands with a slash."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from contextlib import nullcontext
from threading import Thread as SystemThread
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from hoptrail.cli import feedback
from hoptrail.cli.failures import report_error
from hoptrail.cli.output import (
    STATUS,
    grid,
    is_typed,
    keys_unseen,
    notes,
    printable,
    tell,
    warn,
)
from hoptrail.core.errors import HoptrailError, InputError, ModelKeyError, UnknownNameError
from hoptrail.core.text import counted

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail, Thread
    from hoptrail.core.types import Answer

_log = logging.getLogger(__name__)

COMMANDS = MappingProxyType(
    {
        "/help": "show this",
        "/trail": "show the last answer with its trail again",
        "/good": "keep that the last answer is good",
        "/bad": "keep that it is bad; with a text: what the right answer is",
        "/comment": "keep a comment on it",
        "/save": "give it, the right answer of /bad, or a text, to this question from now on",
        "/unsave": "answer this question from the documents again",
        "/filter": "answer from some documents alone: /filter author = A; /filter off: from all; "
        "/filter alone shows it",
        "/threads": "list the conversations; with a number or id: go on with that one",
        "/new": "begin another conversation; with a name: under that id",
        "/delete": "delete a conversation, by number or id",
        "/quit": "end; so does Ctrl-D",
    }
)
"""Lines that are no questions, and what each does."""
ReadLine = Callable[[], str | None]
"""Returns the next line without the space around it, empty for nothing, None at the end."""
_KEYS = "Ctrl-C stops an answer or clears the line; the arrow keys bring back earlier lines."
_STOPPED = "stopped: the question was not answered and is not part of the conversation"
_THREADS_SHOWN = 20
_LONGEST_TITLE = 100
_NAME = re.compile(r"\w[\w.-]{0,63}")


class Conversation:
    """Answers line after line in one thread, and changes the thread when told to.

    Args:
        hoptrail: The open knowledge base.
        thread: Id of the thread to begin with, old or new.
        as_json: Whether answers are printed as JSON.
        filter: The filter to begin with.

    Raises:
        InputError: If a new thread cannot have that id.
    """

    def __init__(
        self,
        hoptrail: Hoptrail,
        thread: str,
        *,
        as_json: bool,
        filter: str | dict[str, Any] | None = None,
    ) -> None:
        if hoptrail.thread(thread) is None:
            _check_name(thread)
        self.thread = thread
        self._hoptrail = hoptrail
        self._as_json = as_json
        self._last: Answer | None = None
        self._filter_form = filter or ""
        self._warm_up: WarmUp | None = None

    @property
    def has_begun(self) -> bool:
        """Whether there is something to continue in the present thread."""
        return self._hoptrail.thread(self.thread) is not None

    def hold(self, read: ReadLine) -> None:
        """Answer each line until there is none, or one says to end.

        Raises:
            ModelKeyError: If the model's key is missing or refused.
        """
        if is_typed():
            self._warm_up = WarmUp(self._hoptrail)
        self._go_on_with(self._hoptrail.thread(self.thread))
        warn("Ask away; /help lists what else can be typed, Ctrl-D ends.")
        while (line := read()) is not None:
            if line in ("/quit", "/exit"):
                return
            if line.startswith("/"):
                self._obey(*line.partition(" ")[::2])
            elif line and not self._replies_without_search(line):
                self._answer(line)

    def _replies_without_search(self, line: str) -> bool:
        """Reply to thanks, "why?" and "show the source", which are no questions to documents.

        Programs get an answer for each line, and a model may find a reason that is no trail.
        """
        from hoptrail.agents.planning.turns import (
            REPLY_TO_THANKS,
            asks_for_source,
            asks_why,
            is_thanks,
        )

        if self._as_json:
            return False
        if is_thanks(line):
            tell(REPLY_TO_THANKS)
            return True
        is_by_search = self._last is not None and not self._last.usage.llm_calls
        if asks_for_source(line) or (asks_why(line) and is_by_search):
            self._show_trail()
            return True
        return False

    def _obey(self, command: str, argument: str) -> None:
        actions = {
            "/help": lambda _: _show_help(),
            "/trail": lambda _: self._show_trail(),
            "/good": self._on_last(feedback.say_good),
            "/bad": self._on_last(feedback.say_bad),
            "/comment": self._on_last(feedback.say_comment),
            "/save": self._on_last(feedback.save),
            "/unsave": self._on_last(feedback.unsave),
            "/filter": self._filter,
            "/threads": self._list_or_open,
            "/new": self._begin,
            "/delete": self._delete,
        }
        if command not in actions:
            warn(f"unknown command {command}; /help lists them")
            return
        try:
            actions[command](argument.strip())
        except HoptrailError as error:
            report_error(error, self._as_json)

    def _answer(self, line: str) -> None:
        """Answer one line; an error or Ctrl-C ends the turn, not the conversation."""
        from hoptrail.api.steps import FIRST_STEP
        from hoptrail.cli.ask import answer_with_status, print_answer
        from hoptrail.cli.options import read_question

        try:
            question = read_question(line) if line != "-" else line
            with keys_unseen() if is_typed() else nullcontext():
                if self._warm_up is not None:
                    STATUS.say("loading the embedding model")
                    self._warm_up.wait()
                STATUS.say(FIRST_STEP)
                answer = answer_with_status(
                    self._hoptrail, question, thread_id=self.thread, filter=self._filter_form
                )
        except ModelKeyError:
            raise  # no further question would fare better
        except HoptrailError as error:
            report_error(error, self._as_json)
            return
        except KeyboardInterrupt:
            if not is_typed():
                raise
            warn(_STOPPED)
            return
        self._last = answer
        if answer.standalone_question != answer.question and not self._as_json:
            tell(f"understood as: {answer.standalone_question}")
        print_answer(answer, self._as_json)

    def _show_trail(self) -> None:
        from hoptrail.cli.answer_view import show_answer

        if self._last is None:
            warn("no question was answered yet")
        else:
            show_answer(self._hoptrail.without_deleted(self._last), notes())

    def _on_last(self, act: Callable[[Hoptrail, Answer, str, str], None]) -> Callable[[str], None]:
        """Return what does something with the last answer, where there is one."""

        def on_last(text: str) -> None:
            if self._last is None:
                warn("no question was answered yet")
            else:
                act(self._hoptrail, self._last, self.thread, text)

        return on_last

    def _filter(self, text: str) -> None:
        """Choose the documents that further questions are answered from."""
        if text and text != "off":
            self._hoptrail.retriever("bm25", filter=text)  # an error comes now, not with a question
            warn("answers under another filter are not taken into account")
        if text:
            self._filter_form = "" if text == "off" else text
        tell(f"filter: {self._written_filter()}")

    def _written_filter(self) -> str:
        from hoptrail.core.filter_text import parse_filter, write_filter

        form = self._filter_form
        return write_filter(parse_filter(form)) if form else "none, all documents"

    def _list_or_open(self, chosen: str) -> None:
        threads = self._hoptrail.threads(_THREADS_SHOWN)
        if chosen:
            self._go_on_with(_choose(threads, chosen) or self._hoptrail.thread(chosen), chosen)
        elif threads:
            _show_threads(threads, self.thread)
        else:
            warn("no conversation is kept yet")

    def _begin(self, name: str) -> None:
        known = self._hoptrail.thread(name) if name else None
        if known is not None:
            tell(f"there is a conversation {name} already: /threads {name} goes on with it")
            return
        if name:
            _check_name(name)
        self.thread, self._last = name or uuid4().hex[:8], None
        warn(f"conversation {self.thread}, new")

    def _delete(self, chosen: str) -> None:
        if not chosen:
            warn("say which: /delete NUMBER or /delete ID; /threads lists them")
            return
        found = _choose(self._hoptrail.threads(_THREADS_SHOWN), chosen)
        thread_id = found.id if found is not None else chosen
        self._hoptrail.delete_thread(thread_id)
        warn(f"deleted conversation {thread_id}")
        if thread_id == self.thread:
            self._begin("")

    def _go_on_with(self, thread: Thread | None, chosen: str = "") -> None:
        """Make a kept conversation the present one, and tell where it stands."""
        if thread is None:
            if chosen:
                known = [one.id for one in self._hoptrail.threads(_THREADS_SHOWN)]
                raise UnknownNameError("conversation", chosen, known)
            warn(f"conversation {self.thread}, new")
            return

        self.thread, self._last = thread.id, thread.answer
        if thread.answer is None:  # the last question was stopped: the one before it stands
            turns = self._hoptrail.turns(thread.id)
            self._last = turns[-1].answer if turns else None
        warn(f"conversation {thread.id}, {counted(thread.turns, 'question')} so far")
        if self._last is not None:
            warn(f"the last was: {self._last.question}\n{self._last.text}")


class WarmUp:
    """A thread that loads the embedder and what else a question passes through.

    A failure is only logged: the question meets it again, and there it is told.

    Args:
        hoptrail: The open knowledge base; closing it ends the thread.
    """

    def __init__(self, hoptrail: Hoptrail) -> None:
        self._hoptrail = hoptrail
        self._thread = SystemThread(target=self._run, name="warm-up")
        self._thread.start()

    def wait(self) -> None:
        """Wait until all is loaded."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self._hoptrail.warm_up()
            _log.info("warmed up")
        except Exception as error:
            _log.info("warming up failed: %s", error)


def _check_name(name: str) -> None:
    """Make sure that a new conversation can have that id.

    Raises:
        InputError: If not.
    """
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"a conversation cannot be called {name!r}",
            hint="take up to 64 letters, digits, dots, hyphens and underscores",
        )


def _choose(threads: list[Thread], chosen: str) -> Thread | None:
    """Return the thread of an id, else that of a number as listed."""
    for thread in threads:
        if thread.id == chosen:
            return thread
    number = int(chosen) if chosen.isascii() and chosen.isdigit() and len(chosen) < 4 else 0
    return threads[number - 1] if 0 < number <= len(threads) else None


def _show_help() -> None:
    table = grid()
    for command, meaning in COMMANDS.items():
        table.add_row(command, meaning)
    console = notes()
    console.print(table)
    console.print(_KEYS, style="dim")


def _show_threads(threads: list[Thread], present: str) -> None:
    from datetime import datetime
    from textwrap import shorten

    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="bold")
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(no_wrap=True, style="dim", justify="right")
    table.add_column()
    for number, thread in enumerate(threads, start=1):
        when = datetime.fromisoformat(thread.updated).astimezone()
        table.add_row(
            str(number),
            printable(thread.id) + ("  *" if thread.id == present else ""),
            f"{when:%Y-%m-%d %H:%M}",
            counted(thread.turns, "question"),
            printable(shorten(thread.first_question, _LONGEST_TITLE, placeholder=" ...")),
        )
    console = notes()
    console.print(table)
    console.print("/threads NUMBER goes on with one; * is the present one", style="dim")
