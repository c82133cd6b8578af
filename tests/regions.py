"""An invented graph of towns whose places trade with each other, in two regions."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

from langchain_core.messages import BaseMessage

from hoptrail.core.settings import Price, Settings
from hoptrail.core.types import Community, Entity, Relation
from hoptrail.indexing.communities.building import CommunityBuilder
from hoptrail.models.chat import ChatModels
from hoptrail.stores.knowledge_base import KnowledgeBase

MODEL = "scripted-reporter"
TOWNS = ("Aby", "Bro", "Cid", "Dal")
PLACES = ("Pier", "Mill", "Yard", "Inn")
REGIONS = {"north": TOWNS[:2], "south": TOWNS[2:]}
_NUMBERED = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


def graph(towns: tuple[str, ...] = TOWNS) -> tuple[list[Entity], list[Relation]]:
    """Return the places of each town, all related, and one relation between towns in a row."""
    entities = [Entity(f"{t}-{p}", f"{t} {p}") for t in towns for p in PLACES]
    pairs = [(f"{t} {a}", f"{t} {b}") for t in towns for a, b in combinations(PLACES, 2)]
    pairs += [(f"{a} Pier", f"{b} Pier") for a, b in zip(towns, towns[1:], strict=False)]
    return entities, [_relation(*pair) for pair in pairs]


def _relation(subject: str, object_: str) -> Relation:
    source, target = (name.replace(" ", "-") for name in (subject, object_))
    text = f"The {subject} trades salt with the {object_} every single week."
    return Relation(
        f"{source}:{target}", source, "trades with", target, text, subject=subject, object=object_
    )


def hierarchy() -> tuple[list[Community], dict[str, str]]:
    """Return two regions on level 0 and their towns on level 1, with keys."""
    communities = [Community(region, 0, size=8) for region in REGIONS]
    communities += [
        Community(t, 1, parent=region, size=4, entity_ids=tuple(f"{t}-{p}" for p in PLACES))
        for region, towns in REGIONS.items()
        for t in towns
    ]
    return communities, {community.id: f"key of {community.id}" for community in communities}


def store(kb: KnowledgeBase) -> None:
    """Give a knowledge base the graph and the hierarchy."""
    kb.replace_graph(*graph(), [])
    kb.publish()
    kb.replace_communities(*hierarchy())
    kb.publish()


def answer(messages: list[BaseMessage]) -> dict[str, Any]:
    """Report on the first thing that the prompt numbers, as a model would."""
    number, text = _NUMBERED.findall(messages[-1].text)[0]
    return {
        "title": f"Report on {text.split('|')[0].strip()}",
        "summary": "They trade salt.",
        "rating": 5,
        "findings": [{"summary": "Salt is traded.", "references": [int(number)]}],
    }


def builder(kb: KnowledgeBase, *, model: bool = True, priced: bool = True) -> CommunityBuilder:
    """Return what builds the communities, with the scripted model or without any."""
    prices = {MODEL: Price(prompt=10, completion=10)} if priced else {}
    settings = Settings(prices=prices, max_retries=0, model=MODEL if model else None)
    return CommunityBuilder(kb, settings=settings, models=ChatModels(settings))
