"""Reads a report the way a browser would."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "input", "rect", "line", "circle"}


class PageReader(HTMLParser):
    """Collects what a page holds; fails where an element is not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.questions: list[dict[str, str | None]] = []
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        if self._open:
            raise ValueError(f"left open: {self._open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.add(tag)
        self.attributes.update(given)
        self.links += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        if tag == "details" and given.get("class") == "question":
            self.questions.append(given)
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            raise ValueError(f"{tag} cannot close itself")
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._open.pop() != tag:
            raise ValueError(f"{tag} closed out of order")

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self._open):
            self.text += data
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] += data
