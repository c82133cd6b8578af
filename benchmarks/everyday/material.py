"""The values of the generator modules: documents, PDF documents and questions."""

from __future__ import annotations

import re
from dataclasses import dataclass

ONE_HOP = "one-hop"
TWO_HOP = "two-hop"
NULL = "Null"
NO_ANSWER = "Insufficient information"


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
Documents = dict[str, Document]


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


def one(
    question: str, answer: str, *evidence: tuple[str, str], also: tuple[str, ...] = ()
) -> Question:
    """Return a question that one fact answers."""
    return Question(question, answer, ONE_HOP, evidence, also)


def two(
    question: str, answer: str, *evidence: tuple[str, str], also: tuple[str, ...] = ()
) -> Question:
    """Return a question that two facts answer together."""
    return Question(question, answer, TWO_HOP, evidence, also)


def none(question: str, tempting: str) -> Question:
    """Return a question that the documents do not answer."""
    return Question(question, NO_ANSWER, NULL, tempting=tempting)


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
