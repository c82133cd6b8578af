"""The material of an invented community: two ports, what joins them, and where it is told."""

from __future__ import annotations

from hoptrail.agents.community_reports.report_statements import ReportMaterial
from hoptrail.core.types import Chunk, Community, Entity, Relation

NAMES = {"e1": "Port Elm", "e2": "Varde", "e3": "Ida Holm", "e4": "1921"}
TEXT = (
    "Port Elm is a harbour on the River Storm. Ships sail from Port Elm to Varde every week. "
    "It was widened in 1921. Ida Holm built the harbour of Varde with money from Port Elm."
)
CHUNK = Chunk("p1", "d/1", "Port Elm", TEXT, 0, len(TEXT))


def relation(
    number: int, source: str, predicate: str, target: str, description: str = ""
) -> Relation:
    return Relation(
        f"r{number}",
        source,
        predicate,
        target,
        description,
        chunk_ids=("p1",),
        subject=NAMES[source],
        object=NAMES[target],
    )


SAILS = relation(1, "e1", "sails to", "e2", "Ships sail from Port Elm to Varde every week.")
BUILT = relation(2, "e3", "built the harbour of", "e2")
WIDENED = relation(3, "e1", "was widened in", "e4", "It was widened in 1921.")

HARBOURS = ReportMaterial(
    Community("c1", 1, parent="c0", size=4),
    entities=tuple(
        Entity(id_, name, "date" if name.isdigit() else "", chunk_ids=("p1",))
        for id_, name in NAMES.items()
    ),
    relations=(SAILS, WIDENED, BUILT),
    chunks=(CHUNK,),
    relation_count=3,
    graph_relations=30,
)
