"""Examples of a public set, in the form that every set is read into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hoptrail.core.types import JsonDict
from hoptrail.eval.questions.graphs_file import Triple

Passage = tuple[str, str]
"""Title and text."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question (docs/evaluation.md), with the passages and the graph that it came with."""

    question: JsonDict
    passages: tuple[Passage, ...] = ()
    graph: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A public set; `passages` and `triples` belong to it as a whole.

    An example is None where a question has no answer that could be scored.
    """

    examples: Iterable[Example | None]
    passages: Iterable[Passage] = ()
    triples: Iterable[Triple] = ()
