"""How an answer looks in a terminal: the answer, its trail as a tree, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoptrail.cli.output import printable, results
from hoptrail.core.budget import COUNTS_ESTIMATED
from hoptrail.core.document_filter import filter_from_json
from hoptrail.core.filter_text import write_filter
from hoptrail.core.language.detection import question_language
from hoptrail.core.language.messages import worded
from hoptrail.core.reply_conventions import UNKNOWN_IN_WORDS
from hoptrail.core.text import counted, dollars, flat
from hoptrail.core.types.document import marked_text
from hoptrail.core.types.feedback import saved_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType
    from rich.text import Text
    from rich.tree import Tree

    from hoptrail.core.types import Answer, NearestPassage, TrailHop

_MARKS = {
    "stated": ("✓", "ok", "green"),
    "partly": ("~", "~~", "yellow"),
    "none": ("✗", "??", "red"),
}
"""The mark of a step by what its quote states of it, in Unicode and in ASCII, and its colour."""
_NO_MODEL = "Answered by graph search alone: no language model was used."
_NO_MODEL_TRIED = (
    "Only graph search was tried: no language model was used. --model sets one, and"
    " hoptrail retrieve shows the passages found."
)
_MODEL_ASKED_TOO = "Found by graph search; the language model was asked as well."
_MODEL_IN_VAIN = (
    "Neither graph search nor the language model found an answer that a passage bears out."
)
_MODEL_FAILED = "The language model gave no usable answer: this is what graph search came to."
_REPORTS_ALONE = "Taken from community reports as they stand: no language model composed it."
_DERIVED = "Derived: each step of the trail is checked, not the answer's words."
_UNFOUNDED = "The graph does not bear out: {answers}."
_FILTERED = "From the documents of this filter alone: {filter}"
_PERHAPS = "perhaps: {reason}"
_TRAIL = "trail"
_NEAREST = "nearest passages"
_UNSUPPORTED = "no passage or relation supports this step"
_STOPS = {
    "budget_calls": "Stopped early: the limit of model calls was reached.",
    "budget_tokens": "Stopped early: the token limit was reached.",
    "budget_rounds": "Stopped early: the limit of retrieval rounds was reached.",
    "budget_seconds": "Stopped early: the time limit was reached.",
    "nothing_new": "Stopped early: a further search brought up nothing new to read.",
    "model_unavailable": "Stopped early: the language model could not be used.",
    "error": "Stopped early: a step failed.",
}


def show_answer(answer: Answer, console: Console | None = None) -> None:
    """Print the answer, then its trail and one dim line of figures.

    Under an abstention or an answer with reserve stand the passages nearest to the question.
    """
    console = console or results()
    is_sure = not (answer.abstained or answer.perhaps)
    console.print(_headline(answer), style="bold green" if is_sure else "bold yellow")
    if answer.perhaps:
        language = question_language(answer.question)
        told = worded(_PERHAPS, language, reason=answer.perhaps_reason)
        console.print(_plain(told), style="yellow")
    if answer.saved is not None:
        style = "dim" if answer.saved.stands else "yellow"
        console.print(_plain(saved_words(answer.saved)), style=style)
    tree = trail_tree(answer, ascii_only=console.options.ascii_only)
    if tree is not None:
        console.print(tree)
    for line in remarks(answer):
        console.print(line, style="yellow")
    if answer.nearest and not (is_sure and answer.strategy != "saved"):
        console.print(_nearest_tree(answer.nearest, question_language(answer.question)))
    separator = " | " if console.options.ascii_only else " · "
    console.print(separator.join(figures(answer)), style="dim")


def trail_tree(answer: Answer, *, ascii_only: bool = False) -> Tree | None:
    """Return the trail as a tree with a branch per hop, or None where there is no hop.

    Hops behind the reports that an answer cites are grouped by report.
    """
    from rich.tree import Tree

    if not answer.trail.hops:
        return None
    language = question_language(answer.question)
    tree = Tree(worded(_TRAIL, language), guide_style="dim")
    titles = {citation.chunk_id: citation.title for citation in answer.citations}
    hops = {hop.hop: hop for hop in answer.trail.hops}
    for report in answer.reports:
        line = f"[reports: {report.number}] {report.title} (level {report.level})"
        group = tree.add(_plain(line))
        for number in report.hops:
            _add_hop(group, hops.pop(number), titles, ascii_only, language)
    for hop in hops.values():
        _add_hop(tree, hop, titles, ascii_only, language)
    return tree


def _nearest_tree(passages: Sequence[NearestPassage], language: str) -> Tree:
    """Return the nearest passages as a tree, each by its best sentence and its place."""
    from rich.tree import Tree

    tree = Tree(worded(_NEAREST, language), guide_style="dim")
    for one in passages:
        where = _file_place(one.doc_id, one.place)
        also = f", also in {', '.join(one.also)}" if one.also else ""
        place = f"{one.title}, {where} [{one.start}:{one.end}]{also}"
        said = marked_text(one.sentence, one.start, one.unsure)
        tree.add(_quote(said, place, one.before, one.after))
    return tree


def figures(answer: Answer) -> list[str]:
    """Return preset, strategy, calls, tokens, seconds and dollars in words."""
    usage = answer.usage
    tried = [name for name in answer.presets if name != answer.preset]
    preset = f"{answer.preset} (also tried {', '.join(tried)})" if tried else answer.preset
    parts = [preset, answer.strategy.replace("_", " ")]
    parts.append(counted(usage.llm_calls, "model call"))
    if usage.tokens:
        is_estimated = any(line.endswith(COUNTS_ESTIMATED) for line in answer.degraded)
        parts.append(f"{'about ' if is_estimated else ''}{usage.tokens:,} tokens")
    if usage.embedding_calls:
        parts.append(counted(usage.embedding_calls, "embedding call"))
    if usage.rerank_calls:
        parts.append(counted(usage.rerank_calls, "rerank call"))
    parts.append(f"{usage.seconds:.2f} s")
    if usage.usd:
        parts.append(dollars(usage.usd))
    return [part for part in parts if part and part != "none"]


def _headline(answer: Answer) -> RenderableType:
    from rich.text import Text

    language = question_language(answer.question)
    return Text(printable(answer.text or worded(UNKNOWN_IN_WORDS, language)))


def remarks(answer: Answer) -> list[str]:
    """Return in a line each what is to be known of how the answer came about."""
    lines = []
    language = question_language(answer.question)
    is_told = answer.abstain_reason == "no_model"
    if answer.derived and not answer.abstained and answer.trail.hops:
        lines.append(worded(_DERIVED, language))
    if answer.strategy == "graph_search":
        without = _NO_MODEL_TRIED if answer.abstained else _NO_MODEL
        # A small model is asked where the answer without it has a reserve.
        with_model = _MODEL_IN_VAIN if answer.abstained else _MODEL_ASKED_TOO
        has_failed = answer.preset != "offline" or answer.stop_reason == "model_unavailable"
        with_model = _MODEL_FAILED if has_failed else with_model
        lines.append(worded(with_model if answer.usage.llm_calls else without, language))
        is_told |= answer.stop_reason == "model_unavailable"
    unfounded = [one.text for one in answer.answers if not one.score]
    if answer.strategy == "graph_llm" and unfounded:
        lines.append(worded(_UNFOUNDED, language, answers=printable("; ".join(unfounded))))
    if answer.strategy == "extractive" and not answer.abstained:
        lines.append(worded(_REPORTS_ALONE, language))
    if answer.query is not None:
        lines.append(f"Query: {printable(flat(answer.query))}")
    if answer.filter is not None:
        text = write_filter(filter_from_json(answer.filter))
        lines.append(worded(_FILTERED, language, filter=printable(text)))
    lines += [f"{printable(line)}." for line in answer.degraded if _is_remark(line)]
    if answer.stop_reason in _STOPS and not is_told:
        lines.append(worded(_STOPS[answer.stop_reason], language))
    return lines


def _is_remark(line: str) -> bool:
    """Return whether it is a line and no node's name; that counts are estimated, they say."""
    return " " in line and not line.endswith(COUNTS_ESTIMATED)


def _add_hop(
    tree: Tree, hop: TrailHop, titles: dict[str, str], ascii_only: bool, language: str
) -> None:
    branch = tree.add(_hop_line(hop, ascii_only))
    if hop.is_gone:
        branch.add(_dim(f"the passage is gone: {printable(f'{hop.doc_id}')} was deleted"))
    elif hop.quote:
        said = marked_text(hop.quote, hop.start or 0, hop.unsure)
        branch.add(_quote(said, hop_place(hop, titles)))
    elif hop.support == "none":
        branch.add(_dim(worded(_UNSUPPORTED, language)))


def _hop_line(hop: TrailHop, ascii_only: bool) -> Text:
    from rich.text import Text

    arrow = "->" if ascii_only else "→"
    sign, ascii_sign, colour = _MARKS[hop.support]
    line = Text.assemble((ascii_sign if ascii_only else sign, colour))
    line.append(f" {hop.hop} ", "dim")
    if hop.subject and hop.object:
        line.append(printable(hop.subject), "bold")
        shaft = ("-" if ascii_only else "─") + printable(hop.predicate) if hop.predicate else ""
        line.append(f" {shaft}{arrow} ", "cyan")
        line.append(printable(hop.object), "bold")
    else:
        line.append(printable(hop.claim))
    return line


def _quote(quote: str, place: str, before: str = "", after: str = "") -> Text:
    """Return a quote with its place; what stands before and behind it is dim."""
    from rich.text import Text

    opens, said, ends = (" ".join(printable(part).split()) for part in (before, quote, after))
    text = Text('"')
    text.append(f"{opens} " if opens else "", "dim")
    text.append(said, "italic")
    text.append(f" {ends}" if ends else "", "dim")
    text.append('"')
    text.append(f"  {printable(place)}", "dim")
    return text


def hop_place(hop: TrailHop, titles: dict[str, str]) -> str:
    """Return where a hop's quote stands: title, document, place in it, and its characters."""
    title = titles.get(hop.chunk_id or "", "")
    where = _file_place(f"{hop.doc_id}", hop.place)
    place = f"{title}, {where}" if title else where
    return f"{place} [{hop.start}:{hop.end}]" if hop.start is not None else place


def _file_place(doc_id: str, place: str | None) -> str:
    """Return a document with the page, slide, or sheet and row in it, where one is known."""
    return f"{doc_id}, {place}" if place else doc_id


def _plain(text: str) -> Text:
    from rich.text import Text

    return Text(printable(text))


def _dim(text: str) -> Text:
    from rich.text import Text

    return Text(text, "dim")
