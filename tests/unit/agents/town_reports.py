"""Reports on two invented towns with what stands behind them."""

from __future__ import annotations

from hoptrail.core.types import Chunk, Community, Entity, Evidence, Finding, Hit, Relation

QUESTION = "How do the towns live?"


def chunk(id_: str, text: str, start: int = 0) -> Chunk:
    return Chunk(id_, f"d/{id_}", id_.title(), text, start, start + len(text))


SALT = chunk("salt", "Varde is old. Varde sells its salt to Ribe each spring. It rains.", 100)
MILL = chunk("mill", "Ribe grinds corn. Ida Holm built the mill of Ribe after the flood.")
RELATIONS = (
    Relation("r1", "v", "sells salt to", "r", chunk_ids=("salt",), subject="Varde", object="Ribe"),
    Relation("r2", "h", "built", "m", chunk_ids=("mill",), subject="Ida Holm", object="mill"),
    Relation("r3", "x", "owns", "y", subject="Per Krogh", object="Ash Farm"),
)
TRADE = Finding("Salt trade", "Varde sells salt to Ribe every year.", ("r1",), ("salt",))
FLOOD = Finding("The mill", "Ida Holm built a mill after the flood.", ("r2",), ("mill",))
RAIN = Finding("Varde is old", "", (), ("salt",))
FARM = Finding("The farm", "Per Krogh owns a farm.", ("r3",), ())
RUMOUR = Finding("A dragon guards the bridge", "", ("gone",), ("gone",))

VARDE = Community("cv", 0, "Varde and its salt", "Varde lives on salt.", 7.0, "", (TRADE, RAIN))
RIBE = Community("cr", 1, "Ribe and its mill", "Ribe lives on corn.", 5.0, "", (FLOOD,))
REPORTS = {1: VARDE, 2: RIBE}

EVIDENCE = Evidence(
    entities=tuple(
        Hit(Entity(id_, name, aliases=aliases))
        for id_, name, aliases in (("v", "Varde", ()), ("r", "Ribe", ()), ("h", "Ida Holm", ()))
    ),
    relations=tuple(Hit(relation) for relation in RELATIONS),
    chunks=(Hit(SALT), Hit(MILL)),
    reports=(Hit(VARDE), Hit(RIBE)),
)
