"""The answer with its checked trail (the JSON of `hoptrail ask`), and events on the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hoptrail.core.types.document import Spans
from hoptrail.core.types.record import JsonDict, Record
from hoptrail.core.types.usage import Usage

QuestionType = Literal["bridge", "comparison", "inference", "global"]
Strategy = Literal[
    "sparql",
    "generic",
    "plain",
    "closed_book",
    "growth",
    "short",
    "graph_llm",
    "graph_search",
    "map_reduce",
    "extractive",
    "cypher",
    "tables",
    "saved",
    "none",
]
StopReason = Literal[
    "answered",
    "abstained",
    "budget_calls",
    "budget_tokens",
    "budget_rounds",
    "budget_seconds",
    "nothing_new",
    "model_unavailable",
    "error",
]
SupportState = Literal["stated", "partly", "none"]
"""How much of a claim a quote states: all of it in one statement, some of it, or nothing."""
AbstainReason = Literal[
    "no_evidence",
    "unresolved_variable",
    "unverified",
    "unlikely",
    "not_in_knowledge_base",
    "no_model",
    "no_graph_server",
]


DELETED = "deleted"
"""Stands for what a document said that was deleted after the answer was given."""


@dataclass(frozen=True, slots=True)
class TrailHop(Record):
    """One step of the answer; `start` and `end` are character offsets in the document.

    `place` is where the quote stands as a reader of the file knows it, such as "page 3".
    `unsure` are the document's characters, within the quote, of words that were recognised in a
    picture and may have been misread.
    `support` is what of the claim the quote states; `supported` is true for "stated" alone. A step
    that was stored without `support` has the one that its `supported` tells.
    """

    hop: int
    claim: str
    subject: str = ""
    predicate: str = ""
    object: str = ""
    supported: bool = False
    relation_id: str | None = None
    chunk_id: str | None = None
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    support: SupportState = "none"
    place: str | None = None
    unsure: Spans = ()

    def __post_init__(self) -> None:
        if self.supported and self.support == "none":
            object.__setattr__(self, "support", "stated")
        object.__setattr__(self, "supported", self.support == "stated")

    @property
    def is_gone(self) -> bool:
        """Whether the document of its quote was deleted after the answer was given."""
        return self.quote == DELETED and self.support == "none"


@dataclass(frozen=True, slots=True)
class Trail(Record):
    """The hops of an answer in order."""

    hops: tuple[TrailHop, ...] = ()

    @property
    def supported_share(self) -> float | None:
        """Supported hops / hops, or None without any hop."""
        if not self.hops:
            return None
        return sum(hop.supported for hop in self.hops) / len(self.hops)

    def to_svg(
        self,
        *,
        width: int = 720,
        answers: str | Sequence[str] = (),
        stylesheet: bool = True,
        language: str = "en",
    ) -> str:
        """Return the trail drawn as an SVG document: entities, and between them the claims.

        It runs from the thing that the question names downwards to the answer. A claim bears its
        mark as a shape and in words; an arrow points to its object.

        Args:
            width: Pixels that it may take across: parts of the trail stand side by side within it.
            answers: Name or names to be marked as the answer where they are entities of the trail.
            stylesheet: Whether it brings its colours, light and dark as the reader's screen is.
                Left out, the page that it is put in gives them to its classes.
            language: ISO 639 code of the language of its own words; those of the steps stay.
        """
        from hoptrail.core.drawing.trail_svg import trail_svg

        named = (answers,) if isinstance(answers, str) else answers
        return trail_svg(
            self.hops, width=width, answers=named, stylesheet=stylesheet, language=language
        )

    def _repr_svg_(self) -> str | None:
        """Return the drawing as notebooks show it, None where there is no hop."""
        return self.to_svg() if self.hops else None


@dataclass(frozen=True, slots=True)
class Citation(Record):
    """A quote in a document; `start` and `end` are character offsets in the document.

    `place` is the page, slide, or sheet and row of the quote, None where the file has none.
    `unsure` are the characters of its words that may have been misread in a picture.
    """

    chunk_id: str
    doc_id: str
    title: str
    start: int
    end: int
    quote: str
    place: str | None = None
    unsure: Spans = ()


@dataclass(frozen=True, slots=True)
class NearestPassage(Record):
    """A passage near to a question, by the sentence in it that fits best.

    `start` and `end` are the sentence's character offsets in the document, `place` its page, slide,
    or sheet and row. `before` is the sentence or the heading before it, `after` the sentence behind
    it, each empty where there is none: what was moved stands in one, where to in the next. `also`
    are the ids of other documents with the same passage. `unsure` are the characters of those words
    of the sentence that may have been misread in a picture.
    """

    doc_id: str
    chunk_id: str
    title: str
    start: int
    end: int
    sentence: str
    score: float
    place: str | None = None
    before: str = ""
    after: str = ""
    also: tuple[str, ...] = ()
    unsure: Spans = ()

    @property
    def in_context(self) -> str:
        """The sentence with what stands before and behind it."""
        return " ".join(filter(None, (self.before, self.sentence, self.after)))


@dataclass(frozen=True, slots=True)
class ReportReference(Record):
    """A community report that an answer cites as `[reports: number]`.

    `hops` are the numbers of the trail's hops with the relations and passages behind it.
    """

    number: int
    id: str
    level: int
    title: str
    hops: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerCandidate(Record):
    """One of possibly several answers; `entity_id` where it is a node of the graph."""

    text: str
    entity_id: str | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class SavedNote(Record):
    """That a reader has saved an answer to the question: who, when, and whether it still stands.

    Attributes:
        id: The saved answer's.
        by: Who saved it; "local" where readers have no names.
        on: When, ISO 8601.
        shared: Whether it is given to all readers, and not to `by` alone.
        corrected: Whether its words are other than those of the answer that the evidence is of.
        changed: Ids of documents behind it that have another text now.
        deleted: Ids of documents behind it that are gone.
        stands: Whether it is the answer; one whose documents changed is only told of.
        stated: Whether the nearest passages state it: it rests on their documents.
    """

    id: str
    by: str
    on: str
    shared: bool = True
    corrected: bool = False
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    stands: bool = True
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """The result of a run; `to_contract` is the JSON that `hoptrail ask` prints.

    `degraded` names the nodes that went on without the model that they should have used, and then
    tells in a line each what else was made do with, such as a server's impossible count; `presets`
    those that were tried, in order; `preset` is the one whose answer it is; `nearest` are the
    passages that come nearest to the question, best first. `perhaps` marks an answer that is given
    with reserve, and `perhaps_reason` says why in one line: a step of its trail is not wholly
    stated, or the answer does not fit what is asked. `text` is the same either way. `filter` is the
    filter of documents in force, in its JSON form. `query` is the query that a model wrote over the
    graph, where one was run or tried. `saved` tells of an answer that a reader saved: where it
    stands, it is the answer, and trail, citations and nearest passages are those it was saved with.
    """

    question: str
    text: str
    standalone_question: str = ""
    answers: tuple[AnswerCandidate, ...] = ()
    abstained: bool = False
    abstain_reason: AbstainReason | None = None
    question_type: QuestionType | None = None
    preset: str = ""
    strategy: Strategy = "none"
    stop_reason: StopReason = "answered"
    derived: bool = False
    trail: Trail = field(default_factory=Trail)
    citations: tuple[Citation, ...] = ()
    reports: tuple[ReportReference, ...] = ()
    usage: Usage = field(default_factory=Usage)
    degraded: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    nearest: tuple[NearestPassage, ...] = ()
    perhaps: bool = False
    perhaps_reason: str | None = None
    filter: JsonDict | None = None
    query: str | None = None
    saved: SavedNote | None = None

    def to_contract(self) -> JsonDict:
        """Return the JSON of `hoptrail ask`: `answer` for the text, `trail` as a list."""
        data = self.to_json()
        data["answer"] = data.pop("text")
        data["trail"] = data["trail"]["hops"]
        return data

    @classmethod
    def from_contract(cls, data: JsonDict) -> Answer:
        """Build the answer from an `ask` object."""
        fields = {name: value for name, value in data.items() if name != "answer"}
        return cls.from_json({**fields, "text": data["answer"], "trail": {"hops": data["trail"]}})


@dataclass(frozen=True, slots=True)
class NodeEvent(Record):
    """A node has finished; `seconds` is the time it took."""

    node: str
    seconds: float = 0.0
    type: Literal["node"] = "node"


@dataclass(frozen=True, slots=True)
class TokenEvent(Record):
    """A piece of the user-visible answer."""

    text: str
    type: Literal["token"] = "token"


@dataclass(frozen=True, slots=True)
class WaitingEvent(Record):
    """A model of this machine works on other questions first: so many are `ahead`."""

    ahead: int
    type: Literal["waiting"] = "waiting"


@dataclass(frozen=True, slots=True)
class ReadingEvent(Record):
    """A model of this machine reads a prompt of so many tokens, and has read so many of them.

    It takes about `seconds`, None where `hoptrail model check` has not measured the model.
    """

    tokens: int
    seconds: float | None = None
    read: int = 0
    type: Literal["reading"] = "reading"


@dataclass(frozen=True, slots=True)
class DraftEvent(Record):
    """A model's whole reply so far: no answer before it has been checked, as another may follow."""

    text: str
    type: Literal["draft"] = "draft"


@dataclass(frozen=True, slots=True)
class HopEvent(Record):
    """A checked hop of the trail."""

    hop: TrailHop
    type: Literal["hop"] = "hop"


@dataclass(frozen=True, slots=True)
class AnswerEvent(Record):
    """The end of the run."""

    answer: Answer
    type: Literal["answer"] = "answer"


Event = NodeEvent | WaitingEvent | ReadingEvent | DraftEvent | TokenEvent | HopEvent | AnswerEvent
