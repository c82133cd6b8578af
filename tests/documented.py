"""The blocks of code and of terminals that the README and the pages of docs/ show."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?<=\n\n)((?: {4}.*\n|\n(?= {4}))+)")
_OTHERS = "docker|helm|kubectl|sudo|pip|make|ollama|llama-server|curl|python3?|mkdir|cp|rm"
_SHELL = re.compile(rf"(?:[A-Z_0-9]+=\S* )*(?:#!/bin/bash\n|(?:hoptrail|export|for|\.|{_OTHERS}) )")
_SPLIT = frozenset({"&&", "||", ";", "|"})
_KEYWORDS = frozenset({"for", "do", "done"})


@dataclass(frozen=True)
class Block:
    """A block of a page: the line on which it begins, its language and its text.

    `language` is `shell`, `console`, `python`, that of a fence, or `text` for all else: excerpts
    of screens, shapes of JSON, patterns of Cypher, pictures of folders.
    """

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"


@cache
def blocks() -> tuple[Block, ...]:
    """Return all blocks of all pages."""
    return tuple(block for page in PAGES for block in _blocks_of(page))


def _blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    found = [(match.start(), match[1], match[2]) for match in _FENCED.finditer(text)]
    unfenced = _FENCED.sub(lambda match: "~" + re.sub(r"[^\n]", "~", match[0])[1:], text)
    for match in _INDENTED.finditer(unfenced):
        shown = re.sub(r"^ {4}", "", match[1], flags=re.MULTILINE)
        found.append((match.start(), "", shown.strip("\n") + "\n"))
    for start, language, shown in sorted(found):
        yield Block(page, text.count("\n", 0, start) + 1, language or _language(shown), shown)


def _language(text: str) -> str:
    if _SHELL.match(text):
        return "shell"
    try:
        read = ast.parse(text)
    except SyntaxError:
        return "text"
    code = (ast.Assign, ast.Import, ast.ImportFrom, ast.Call)
    return "python" if any(isinstance(one, code) for one in ast.walk(read)) else "text"


def commands(shell: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a block, without comments and assignments."""
    for line in shell.replace("\\\n", " ").splitlines():
        words = shlex.shlex(_concrete(line), posix=True, punctuation_chars="&|;")
        words.whitespace_split = True
        command: list[str] = []
        for word in [*words, ";"]:
            if word not in _SPLIT:
                command.append(word)
                continue
            while command and (
                command[0] in _KEYWORDS - {"for"} or re.match(r"[A-Z_0-9]+=", command[0])
            ):
                del command[0]
            if command and command[0] != "for":
                yield command
            command = []


def _concrete(synopsis: str) -> str:
    """Return a line with the optional words of a synopsis, and the last of its choices."""
    return re.sub(r"\[(--[^\]]*)\]", r"\1", re.sub(r"\b[A-Z]+\|", "", synopsis))
