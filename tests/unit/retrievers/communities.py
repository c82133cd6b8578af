"""Communities with reports for the base of ships."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Community, Finding, NodeUsage
from hoptrail.indexing.embedding import embed_missing
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder

SHIP = ("Morning Tern", "Alder Yard")
FOUNDER = ("Edda Thorn", "Brackenholm")


def report_on_ships(folder: Path) -> Path:
    """Give a base of ships a hierarchy with reports: the yard (ship, founder) and all the rest."""
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), writable=True) as kb:
        ship, founder = _ids(kb, SHIP), _ids(kb, FOUNDER)
        named = {*ship, *founder}
        rest = tuple(str(id_) for id_ in kb.index.entity_ids if str(id_) not in named)
        built = Finding("The Morning Tern came from the Alder Yard.", "", _relations(kb, ship))
        store_communities(
            kb,
            [
                Community("yard", 0, "Shipyard", "A yard with its people.", 6.0, size=len(named)),
                Community(
                    id="ship",
                    level=1,
                    title="Steamer",
                    summary="The Morning Tern was built.",
                    rating=5.0,
                    findings=(built,),
                    parent="yard",
                    size=len(ship),
                    entity_ids=ship,
                ),
                Community(
                    id="founder",
                    level=1,
                    title="Engineer",
                    summary="Edda Thorn was born.",
                    rating=4.0,
                    parent="yard",
                    size=len(founder),
                    entity_ids=founder,
                ),
                Community("rest", 0, "Festival", "Lanterns, bread.", 2.0, entity_ids=rest),
            ],
        )
    return folder


def store_communities(kb: KnowledgeBase, communities: Sequence[Community]) -> None:
    """Make these the communities of a base, with a report where there is a title; publish."""
    kb.replace_communities(communities, {one.id: f"key {one.id}" for one in communities})
    for one in communities:
        if one.title:
            kb.put_report(f"key {one.id}", one, maker="test", usage=NodeUsage())
    embed_missing(kb, kb.embedder, NoProgress(), "embed")
    kb.publish()


def _ids(kb: KnowledgeBase, names: Sequence[str]) -> tuple[str, ...]:
    found = kb.store.find_entities(names)
    return tuple(id_ for name in names for id_ in found[name])


def _relations(kb: KnowledgeBase, entities: Sequence[str]) -> tuple[str, ...]:
    _, rows = kb.index.entity_relations.gather(kb.index.entity_rows(entities))
    return tuple(dict.fromkeys(str(kb.index.relation_ids[row]) for row in rows.tolist()))
