"""The frozen values that flow through Hoptrail, each with a JSON form."""

from hoptrail.core.types.answer import (
    AbstainReason,
    Answer,
    AnswerCandidate,
    Citation,
    NearestPassage,
    QuestionType,
    ReportReference,
    SavedNote,
    StopReason,
    Strategy,
    SupportState,
    Trail,
    TrailHop,
)
from hoptrail.core.types.document import Chunk, Document
from hoptrail.core.types.event import (
    AnswerEvent,
    DraftEvent,
    Event,
    HopEvent,
    NodeEvent,
    ReadingEvent,
    TokenEvent,
    WaitingEvent,
)
from hoptrail.core.types.evidence import Evidence, Hit, HitReference, PathReference
from hoptrail.core.types.extraction import ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.core.types.feedback import Feedback, SavedAnswer, Verdict
from hoptrail.core.types.graph import (
    VALUE_TYPES,
    Community,
    Entity,
    Finding,
    Path,
    Relation,
)
from hoptrail.core.types.place import Places
from hoptrail.core.types.plan import Plan
from hoptrail.core.types.record import JsonDict, Record
from hoptrail.core.types.table import TablePart, TableRow, Tables
from hoptrail.core.types.usage import NodeUsage, Usage

__all__ = [
    "VALUE_TYPES",
    "AbstainReason",
    "Answer",
    "AnswerCandidate",
    "AnswerEvent",
    "Chunk",
    "Citation",
    "Community",
    "Document",
    "Entity",
    "DraftEvent",
    "Event",
    "Evidence",
    "ExtractedEntity",
    "ExtractedRelation",
    "Extraction",
    "Feedback",
    "Finding",
    "Hit",
    "HopEvent",
    "JsonDict",
    "NearestPassage",
    "NodeEvent",
    "NodeUsage",
    "Path",
    "PathReference",
    "ReadingEvent",
    "Places",
    "Plan",
    "QuestionType",
    "Record",
    "HitReference",
    "Relation",
    "ReportReference",
    "SavedAnswer",
    "SavedNote",
    "StopReason",
    "Strategy",
    "SupportState",
    "TablePart",
    "TableRow",
    "Tables",
    "TokenEvent",
    "Trail",
    "TrailHop",
    "Usage",
    "Verdict",
    "WaitingEvent",
]
