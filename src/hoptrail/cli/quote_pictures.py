"""Quotes as the pictures of their pages show them, for the page of an answer."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Answer

_AROUND = 3.0  # times the height of a word that is shown above and below the quote
_LARGEST = 12  # quotes whose pictures a page of an answer takes in


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
