"""The evidence in a prompt, laid out for finding spans, titles and triples."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from hoptrail.eval.oracle.triples import Triple, parse_triples
from hoptrail.eval.oracle.word_spans import Words, spaced, words_of

_PASSAGE = re.compile(
    r"^\[(P\d+)\] ?([^\n]*)\n<passage>\n(.*?)\n</passage>$", re.DOTALL | re.MULTILINE
)

_LIST_LINE = re.compile(r"^- .*$", re.MULTILINE)
NO_LABEL = "-"


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A labelled passage of a prompt; `key` holds its words, `spaced`."""

    label: str
    title: str
    text: str
    key: str

    def holds(self, span: Words) -> bool:
        """Return whether the words stand in the text in a row."""
        return spaced(span) in self.key


class EvidenceText:
    """The evidence that a prompt shows, read from its text alone.

    Args:
        text: The evidence as rendered, or any other text with passages and triples.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def passages(self) -> tuple[ShownPassage, ...]:
        """The labelled passages in order."""
        return tuple(
            ShownPassage(label, title, text, spaced(words_of(text)))
            for label, title, text in _PASSAGE.findall(self.text)
        )

    @cached_property
    def triples(self) -> tuple[Triple, ...]:
        """The triples of relation and path lines in order."""
        return parse_triples(self._unlabelled)

    def titled(self, title: str) -> tuple[ShownPassage, ...]:
        """Return the passages of a title; without any label in it, the text may hold them all."""
        if not self.passages:
            prose = _LIST_LINE.sub("", self.text)
            return (ShownPassage(NO_LABEL, title, prose, spaced(words_of(prose))),)
        words = words_of(title)
        return tuple(passage for passage in self.passages if words_of(passage.title) == words)

    def holds(self, span: Words) -> bool:
        """Return whether the words stand anywhere in the text in a row, titles included."""
        return spaced(span) in self._key

    def holds_unlabelled(self, span: Words) -> bool:
        """Return whether the words stand in a row outside of all labelled passages."""
        return spaced(span) in self._unlabelled_key

    @cached_property
    def _unlabelled(self) -> str:
        return _PASSAGE.sub("", self.text)

    @cached_property
    def _key(self) -> str:
        return spaced(words_of(self.text))

    @cached_property
    def _unlabelled_key(self) -> str:
        return spaced(words_of(self._unlabelled))
