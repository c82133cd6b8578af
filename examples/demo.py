"""Index the example articles and hold a short conversation about them.

Run it with `make demo`. With GROQ_API_KEY, OPENAI_API_KEY or HOPTRAIL_MODEL set it asks that
model; without, it answers by graph search alone.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from uuid import uuid4

from rich.console import Console
from rich.rule import Rule

from hoptrail import Hoptrail, HoptrailError
from hoptrail.cli.answer_view import show_answer
from hoptrail.cli.index_view import show_report
from hoptrail.cli.progress import ProgressBars
from hoptrail.core.settings import load_settings
from hoptrail.models.choice import default_model

EXAMPLES = Path(__file__).resolve().parent
KNOWLEDGE_BASE = EXAMPLES.parent / "demo-kb"
QUESTIONS = ("q08", "q10", "q01")
FOLLOW_UP = "Where was she born?"


def main() -> None:
    """Index, ask, print."""
    console = Console(highlight=False, markup=False, emoji=False)
    answerer = default_model(load_settings()) or "graph search alone"
    with Hoptrail.open(KNOWLEDGE_BASE, create=True, writable=True) as hoptrail:
        index_articles(hoptrail, console)
        console.print(Rule(f"Questions, answered by {answerer}"))
        thread = uuid4().hex
        for question in (*chosen_questions(), FOLLOW_UP):
            ask(hoptrail, question, thread, console)
    console.print(Rule())
    command = shutil.which("hoptrail") or Path(sys.executable).with_name("hoptrail")
    console.print(
        f'Your turn:  {near(command)} ask "..." --kb {near(KNOWLEDGE_BASE)}', soft_wrap=True
    )


def near(path: str | Path) -> str:
    """Return the path as it is written from the working directory."""
    return os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else str(path)


def index_articles(hoptrail: Hoptrail, console: Console) -> None:
    """Index the articles; a second run finds them unchanged."""
    console.print(Rule(f"Indexing {EXAMPLES.name}/articles into {KNOWLEDGE_BASE.name}"))
    with ProgressBars() as progress:
        report = hoptrail.index([EXAMPLES / "articles"], extractor="nlp", progress=progress)
    show_report(report, console)


def chosen_questions() -> list[str]:
    """Return the text of the demo's questions."""
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["id"]: row["question"] for row in map(json.loads, lines)}
    return [rows[number] for number in QUESTIONS]


def ask(hoptrail: Hoptrail, question: str, thread: str, console: Console) -> None:
    """Ask one question of the conversation and print answer, trail and figures."""
    console.print(f"\n? {question}", style="bold")
    answer = hoptrail.ask(question, thread_id=thread)
    if answer.standalone_question != question:
        console.print(f"  understood as: {answer.standalone_question}", style="dim")
    show_answer(answer, console)


if __name__ == "__main__":
    try:
        main()
    except HoptrailError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
