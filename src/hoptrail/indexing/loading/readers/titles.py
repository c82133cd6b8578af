"""The title of a document: what it calls itself, else what its text begins with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_MARKDOWN_HEADING = re.compile(r"^#{1,2}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_SHORT_HEADING = re.compile(r"#{1,6} (.{1,200})")
_LONGEST_TITLE = 80
_LONGEST_GIVEN = 200
_LONGEST_SEARCHED = 20_000  # characters in which a file's name is looked for
_MEANINGLESS = re.compile(
    r"\W*(?:anonymous|untitled(?: document)?|unbenannt|title|document ?\d{0,3}|new document"
    r"|powerpoint[ -]pr[eä]sentation|presentation ?\d{0,3}|slide ?\d{0,3}|book ?\d{0,3}|none"
    r"|null)\W*",
    re.IGNORECASE,
)
_MADE_BY = re.compile(r"\s{0,9}(?:microsoft (?:word|powerpoint|excel)|writer|untitled) ?-", re.I)
_NOTION_ID = re.compile(r"(?<=[^ ]) [0-9a-f]{32}(?:_all)?$")
_FILE_NAME = re.compile(
    r".{1,150}\.(?:docx?|dotx?|odt|rtf|tex|dvi|ps|pdf|indd|qxp|qxd|pptx?|xlsx?|html?|txt|md|fm|p65)",
    re.IGNORECASE,
)


def guess_title(text: str, fallback: str) -> str:
    """Return a heading of the text, else its short first line, else the fallback as words.

    A file's name without capitals is spelled as the text spells it: "uppsala" as "Uppsala".
    """
    heading = _MARKDOWN_HEADING.search(text, 0, 2000)
    if heading:
        return heading.group(1).strip()
    first, _, rest = text.lstrip().partition("\n")
    first = first.strip()
    stands_alone = rest.startswith("\n") or rest[:1].isspace()
    if first and stands_alone and len(first) <= _LONGEST_TITLE and first[-1] not in ".!?:;,":
        return first
    name = name_as_words(fallback)
    return _spelled_in(text[:_LONGEST_SEARCHED], name) if name == name.lower() else name


def _spelled_in(text: str, name: str) -> str:
    """Return a name as a text first writes it with a capital, else as it is given."""
    if not name or len(name) > _LONGEST_TITLE:
        return name
    words = r"[ _-]".join(map(re.escape, name.split()))
    found = re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)
    return next((one.group() for one in found if one.group() != one.group().lower()), name)


def name_as_words(name: str) -> str:
    """Return a file's name as words, without the id that Notion puts at its end."""
    return " ".join(re.split(r"[_\-\s]+", _NOTION_ID.sub("", name))).strip()


def is_notion_view(name: str, beside: Collection[str]) -> bool:
    """Return whether a file is one view of a database of Notion that stands whole beside it."""
    stem = name.removesuffix(".csv")
    return stem != name and f"{stem}_all.csv" in beside and bool(_NOTION_ID.search(stem))


def first_heading(blocks: Iterable[str]) -> str:
    """Return the first heading among the first blocks, empty where there is none."""
    for _, block in zip(range(20), blocks, strict=False):
        if match := _SHORT_HEADING.fullmatch(block):
            return match.group(1).strip()
    return ""


def meant_title(given: str | None) -> str:
    """Return a title of a file's properties, empty where a program put it there."""
    title = " ".join((given or "")[:_LONGEST_GIVEN].split())
    is_none = _MEANINGLESS.fullmatch(title) or _MADE_BY.match(title) or _FILE_NAME.fullmatch(title)
    return "" if is_none else title
