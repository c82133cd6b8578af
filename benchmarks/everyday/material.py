"""The everyday documents, PDF documents among them, and the questions over them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ONE_HOP = "one-hop"
TWO_HOP = "two-hop"
NULL = "Null"
NO_ANSWER = "Insufficient information"
_OF_PDF = ".pdf.txt"


@dataclass(frozen=True)
class Pdf:
    """A PDF document: laid-out lines page by page, a line that begins with `# ` being a heading."""

    header: str
    footer: str
    pages: tuple[str, ...]

    def page_lines(self) -> list[list[str]]:
        """Return each page's lines, with the running header first and the footer last."""
        count = len(self.pages)
        return [
            [self.header, *page.strip("\n").split("\n"), f"{self.footer} {number} of {count}"]
            for number, page in enumerate(self.pages, start=1)
        ]

    @property
    def text(self) -> str:
        """Return the text as given to the writer, without the marks of headings."""
        lines = [line for page in self.page_lines() for line in page]
        return "\n".join(line.removeprefix("# ") for line in lines) + "\n"


Document = str | Pdf


@dataclass(frozen=True)
class Question:
    """A question, its answer, and the sentences that state it as (document, quotation) pairs.

    A quotation may stand on one line where the document breaks it over several. A question without
    an answer has no evidence; `tempting` is what a careless reader might answer.
    """

    question: str
    answer: str
    kind: str
    evidence: tuple[tuple[str, str], ...] = ()
    aliases: tuple[str, ...] = ()
    tempting: str = ""

    @property
    def hops(self) -> int:
        """Return how many facts must be put together; a question without an answer counts one."""
        return 2 if self.kind == TWO_HOP else 1


@dataclass(frozen=True)
class Organisation:
    """The documents of an organisation by their path, and the questions over them."""

    documents: dict[str, Document]
    questions: tuple[Question, ...]


def read_organisation(folder: Path) -> Organisation:
    """Return the organisation of a folder with `documents/` and `questions.jsonl`.

    A file `NAME.pdf.txt` holds the text of a PDF: its running header, its footer, and then its
    pages, parted by form feeds.
    """
    root = folder / "documents"
    documents = {}
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        name = path.relative_to(root).as_posix()
        text = path.read_bytes().decode()
        documents[name.removesuffix(_OF_PDF) + ".pdf" if name.endswith(_OF_PDF) else name] = (
            _pdf(text) if name.endswith(_OF_PDF) else text
        )
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return Organisation(documents, tuple(_question(**json.loads(line)) for line in lines))


def _pdf(text: str) -> Pdf:
    header, footer, pages = text.split("\n", 2)
    return Pdf(header, footer, tuple(pages.split("\f\n")))


def _question(
    evidence: Sequence[Sequence[str]] = (), aliases: Sequence[str] = (), **values: str
) -> Question:
    quotations = tuple((name, quotation) for name, quotation in evidence)
    return Question(evidence=quotations, aliases=tuple(aliases), **values)


def plain_text(document: Document) -> str:
    """Return the text of a document: a PDF's lines, or the file's own text."""
    return document.text if isinstance(document, Pdf) else document


def verbatim(text: str, quotation: str) -> str:
    """Return the quotation as it stands in the text, with the text's own line breaks.

    Between two words the text may also have the marks of a quoted mail, and within a word the
    hyphen of a broken line.

    Raises:
        ValueError: The quotation is not in the text, or there more than once.
    """
    hyphen = r"(?:-\n)?"
    words = [hyphen.join(map(re.escape, word)) for word in quotation.split()]
    found = re.findall(r"(?:\s|\n> ?)+".join(words), text)
    if len(found) != 1:
        raise ValueError(f"{len(found)} times in the text: {quotation!r}")
    return str(found[0])
