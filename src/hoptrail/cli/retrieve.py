"""`hoptrail retrieve`: the passages of one retriever, without an answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.output import STATUS, emit, printable
from hoptrail.core.text import content_words, name_key, sentence_spans

if TYPE_CHECKING:
    from rich.console import Console

_RELATIONS_SHOWN = 10

_FRONT_MATTER = re.compile(r"\s{0,9}---[ \t]{0,9}\n(?:[^\n]{0,400}\n){0,50}?---[ \t]{0,9}\n")
_FIELD = re.compile(r"[a-z][a-z_-]{0,30}: [^;\n]{1,400}")


def retrieve(
    question: options.Question,
    kb: options.KnowledgeBase,
    retriever: Annotated[
        str | None,
        typer.Option("--retriever", metavar="R", help="ket, ppr, bm25 and others.  [default: ket]"),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", metavar="N", min=1, help="Passages to list.  [default: 10]"),
    ] = None,
    budget: options.Budget = None,
    filter: options.Filter = None,
    reranker: options.Reranker = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """List what a retriever finds for a question."""
    text = options.read_question(question)
    fields = options.context_fields(
        assignments,
        filters=filter,
        retriever=retriever,
        reranker=reranker,
        k=k,
        budget=budget,
        seed=seed,
    )

    from hoptrail.api import Hoptrail
    from hoptrail.graphs.context import resolve_context

    STATUS.say(f"opening {kb}, loading the embedding model")
    context = resolve_context(fields)
    with Hoptrail.open(kb, **fields) as hoptrail:
        name = context.retriever or "ket"
        shares = {"theta": context.theta} if name == "ket" else {}
        parameters: dict[str, Any] = {**shares, **context.parameters}
        found = hoptrail.retrieve(
            text, retriever=name, k=context.k, budget=context.budget, **parameters
        )
    emit(found, _show, as_json=as_json)


def _show(found: dict[str, Any], console: Console) -> None:
    from rich.text import Text

    for passage in found["passages"]:
        _show_passage(passage, found["question"], console)
    for relation in found["relations"][:_RELATIONS_SHOWN]:
        triple = (relation["subject"], relation["predicate"], relation["object"])
        console.print(Text(printable(" | ".join(triple)), "cyan"))
    for line in found["degraded"]:
        console.print(Text(f"{printable(line)}.", "yellow"))
    order = f", ordered by {printable(found['reranker'])}" if found["reranker"] else ""
    console.print(
        f"{found['retriever']}{order}: {len(found['passages'])} passages, "
        f"{len(found['relations'])} relations, {len(found['entities'])} entities, "
        f"{found['tokens']:,} tokens, {found['seconds']:.3f} s",
        style="dim",
    )


def _show_passage(passage: dict[str, Any], question: str, console: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    title = f"{passage['rank']:>3} {printable(passage['title'] or passage['doc_id'])}"
    line = Text.assemble((title, "bold"))
    line.append(f"  {passage['score']:.3f} {passage['channel']}", "cyan")
    line.append(f"  {printable(passage['doc_id'])}", "dim")
    console.print(line)
    shown = Text(printable(excerpt(passage["text"], passage["title"], question)), "dim")
    shown.truncate(2 * (console.width - 8), overflow="ellipsis")
    console.print(Padding(shown, (0, 0, 0, 4)))


def excerpt(text: str, title: str, question: str) -> str:
    """Return a passage from the sentence on that has most words of a question, without line ends.

    Where none has one it is the beginning, without fields of a front matter and without a heading
    that repeats the title.
    """
    beginning = start = _beginning(text, title)
    wanted = frozenset(content_words(question))
    best = 0
    for first, last in sentence_spans(text):
        told = len(wanted & frozenset(content_words(text[first:last])))
        if first >= beginning and told > best:
            best, start = told, first
    before = "" if start == beginning else "… "
    return before + " ".join(text[start:].split())


def _beginning(text: str, title: str) -> int:
    front = _FRONT_MATTER.match(text)
    start = front.end() if front else 0
    for first, last in sentence_spans(text):
        line = text[first:last]
        is_title = name_key(line.lstrip("# ")) == name_key(title)
        if first >= start and not (is_title or _FIELD.fullmatch(line)):
            return first
    return start
