"""The numbered sources of an answer, for clients that show text and no trail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from hoptrail.core.types import Answer


@dataclass(frozen=True, slots=True)
class Source:
    """A quote that an answer rests on, or a passage near to the question.

    Attributes:
        doc_id: Its document.
        title: Title of the document.
        start: Its first character in the document.
        end: The one after its last.
        quote: Its words.
        place: Page, slide, or sheet and row; None where the file has none.
    """

    doc_id: str
    title: str
    start: int
    end: int
    quote: str
    place: str | None

    def address(self, page: str, base: str) -> str:
        """Return where the page shows it.

        Args:
            page: Address of the page, ending in a slash.
            base: Name of the knowledge base.
        """
        query = {"kb": base, "id": self.doc_id, "start": self.start, "end": self.end}
        return f"{page}#/document?{urlencode(query)}"


def sources_of(answer: Answer) -> list[Source]:
    """Return the quotes of an answer's trail and then of its citations, each once.

    An abstention has the passages nearest to the question instead.
    """
    found: dict[tuple[str, int, int], Source] = {}
    for source in _nearest(answer) if answer.abstained else _quotes(answer):
        found.setdefault((source.doc_id, source.start, source.end), source)
    return list(found.values())


def _quotes(answer: Answer) -> Iterator[Source]:
    titles = {citation.doc_id: citation.title for citation in answer.citations}
    for hop in answer.trail.hops:
        if hop.doc_id and hop.quote and hop.start is not None and hop.end is not None:
            title = titles.get(hop.doc_id, hop.doc_id)
            yield Source(hop.doc_id, title, hop.start, hop.end, hop.quote, hop.place)
    for one in answer.citations:
        yield Source(one.doc_id, one.title, one.start, one.end, one.quote, one.place)


def _nearest(answer: Answer) -> Iterator[Source]:
    for one in answer.nearest:
        yield Source(one.doc_id, one.title, one.start, one.end, one.sentence, one.place)
