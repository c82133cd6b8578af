"""An answer as a file: its trail drawn as SVG, or all of it as one page for a browser."""

from __future__ import annotations

import base64
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from hoptrail.cli.answer_view import figures, hop_place, remarks
from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.types.document import marked_text
from hoptrail.core.types.feedback import saved_words

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Answer, TrailHop

Pictures = dict[int, list[str]]

_SUFFIXES = (".svg", ".html")
_AROUND = 3.0  # times the height of a word that is shown above and below the quote
_LARGEST = 12  # quotes whose pictures a page of an answer takes in


def require_answer_file(path: Path) -> None:
    """Refuse a file that could not be written, before anything is asked.

    Raises:
        SettingsError: If its name ends in neither .svg nor .html.
        InputError: If its folder does not exist.
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise SettingsError(
            f"cannot save an answer as {path.name!r}",
            hint="end the name in .svg for the drawn trail, or in .html for the answer with it",
        )
    if not path.absolute().parent.is_dir():
        raise InputError("there is no such folder", path=str(path.parent), hint="make it first")


def draws(path: Path) -> bool:
    """Return whether a file gets the drawn trail alone."""
    return path.suffix.lower() == ".svg"


def save_answer(answer: Answer, path: Path, pictures: Pictures | None = None) -> None:
    """Write the drawn trail (.svg), or the answer with its trail and quotes (.html).

    `pictures` are those of the quotes by step, as `quote_pictures` returns them.

    Raises:
        InputError: If the file cannot be written.
    """
    text = _drawing(answer) if draws(path) else answer_page(answer, pictures)
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", path=str(path), hint="choose another file"
        ) from error


def open_answer(answer: Answer, pictures: Pictures | None = None) -> None:
    """Show the answer with its trail in the browser, from a file that this user alone can read.

    The file stays in the cache until the next answer takes its place: the browser reads it when it
    likes.

    Raises:
        SettingsError: If no browser can be started.
    """
    page = user_cache_path("hoptrail", appauthor=False) / "opened" / "answer.html"
    page.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    page.unlink(missing_ok=True)
    is_shown = False
    try:
        save_answer(answer, page, pictures)
        is_shown = webbrowser.open(page.as_uri())
    finally:
        if not is_shown:
            page.unlink(missing_ok=True)
    if not is_shown:
        raise SettingsError(
            "no browser could be started", hint="--save answer.html writes the page to a file"
        )


def answer_page(answer: Answer, pictures: Pictures | None = None) -> str:
    """Return the answer as one HTML page that loads nothing and runs nothing."""
    from jinja2 import Environment, PackageLoader

    from hoptrail.core.drawing.trail_layout import STATE_WORDS

    titles = {citation.chunk_id: citation.title for citation in answer.citations}
    shows_nearest = answer.abstained or answer.perhaps or answer.strategy == "saved"
    templates = Environment(
        loader=PackageLoader("hoptrail.cli"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return templates.get_template("answer.html").render(
        answer=answer,
        saved="" if answer.saved is None else saved_words(answer.saved),
        remarks=remarks(answer),
        figures=figures(answer),
        drawing=_drawing(answer, width=360),
        hops=[
            (hop, hop_place(hop, titles), marked(hop), (pictures or {}).get(hop.hop, []))
            for hop in answer.trail.hops
        ],
        states=STATE_WORDS,
        nearest=answer.nearest if shows_nearest else (),
    )


def marked(hop: TrailHop) -> str:
    """Return the quote of a step, "(?)" behind each word that may have been misread."""
    return marked_text(hop.quote or "", hop.start or 0, hop.unsure)


def _drawing(answer: Answer, width: int = 720) -> str:
    answers = [] if answer.abstained else [one.text for one in answer.answers]
    return answer.trail.to_svg(width=width, answers=answers)


def quote_pictures(hoptrail: Hoptrail, answer: Answer) -> dict[int, list[str]]:
    """Return by step the strips of page pictures that show its quote, as SVG, the words framed.

    A step whose text was not recognised in a picture has none.
    """
    found: dict[int, list[str]] = {}
    for hop in answer.trail.hops:
        if hop.doc_id is None or hop.start is None or hop.end is None or hop.is_gone:
            continue
        if len(found) == _LARGEST:
            break
        strips = []
        for page in hoptrail.quoted_pages(hop.doc_id, hop.start, hop.end):
            picture = hoptrail.page_picture(hop.doc_id, page["number"])
            if picture is not None:
                strips.append(_strip(page, picture))
        if strips:
            found[hop.hop] = strips
    return found


def _strip(page: dict[str, Any], picture: bytes) -> str:
    """Return the part of a page around its quoted words, as wide as the page."""
    width, height = page["width"], page["height"]
    tops = [min(word["box"][1::2]) for word in page["words"]]
    ends = [max(word["box"][1::2]) for word in page["words"]]
    line = max(1, round(sum(ends) - sum(tops)) // len(tops))
    top = max(0, round(min(tops) - _AROUND * line))
    end = min(height, round(max(ends) + _AROUND * line))
    source = f"data:image/webp;base64,{base64.b64encode(picture).decode()}"
    frames = "".join(map(_frame, page["words"]))
    return (
        f'<svg class="scan" viewBox="0 {top} {width} {max(1, end - top)}" role="img">'
        f"<title>the picture of the quote, its words framed</title>"
        f'<image href="{source}" width="{width}" height="{height}" preserveAspectRatio="none"/>'
        f"{frames}</svg>"
    )


def _frame(word: dict[str, Any]) -> str:
    box = word["box"]
    corners = " ".join(f"{x},{y}" for x, y in zip(box[::2], box[1::2], strict=True))
    kind = "word unsure" if word["unsure"] else "word"
    return f'<polygon class="{kind}" points="{corners}"/>'
