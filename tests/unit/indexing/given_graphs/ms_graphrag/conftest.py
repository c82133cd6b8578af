from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Tables = dict[str, list[dict[str, Any]]]
WriteIndex = Callable[..., Path]

FIRST = "Mira keeps the light. She rows to the harbour every day."
SECOND = "The old harbour lies empty. Nobody lands there."
TEXT = f"{FIRST}\n\n{SECOND}"


def tables() -> Tables:
    """An index as versions 1 and later write it; its names are kept apart by an article only."""
    return {
        "documents": [{"id": "d1", "title": "coast.txt", "text": TEXT, "text_unit_ids": ["u1"]}],
        "text_units": [
            {"id": "u1", "human_readable_id": 0, "text": FIRST, "document_ids": ["d1"]},
            {"id": "u2", "human_readable_id": 1, "text": SECOND, "document_ids": ["d1"]},
        ],
        "entities": [
            entity(0, "MIRA", "PERSON", "Mira keeps the light.", ["u1"]),
            entity(1, "HARBOUR", "GEO", "Where Mira rows.", ["u1"]),
            entity(2, "THE HARBOUR", "GEO", "An empty place.", ["u2"]),
        ],
        "relationships": [
            relationship(7, "MIRA", "HARBOUR", "Mira rows to the harbour.", 8.0, ["u1", "u2"]),
            relationship(8, "MIRA", "LIGHTHOUSE", "Mira lives there.", 3.0, ["u1"]),
            relationship(9, "MIRA", "THE HARBOUR", "Mira avoids it.", 2.0, ["u2"]),
        ],
        "communities": [
            community(0, 0, -1, ["e0", "e1", "e2"]),
            community(1, 1, 0, ["e0", "e1"]),
        ],
        "community_reports": [
            report(0, "The coast", "Two harbours, one used [Data: Relationships (7, 9, +more)]."),
            report(1, "The rower", "Mira rows [Data: Entities (0, 1); Relationships (7, 99)]."),
        ],
    }


def entity(
    number: int, title: str, type_: str, description: str, units: list[str]
) -> dict[str, Any]:
    named = {"title": title, "type": type_, "description": description}
    return {"id": f"e{number}", "human_readable_id": number, **named, "text_unit_ids": units}


def relationship(
    number: int, source: str, target: str, description: str, weight: float, units: list[str]
) -> dict[str, Any]:
    ends = {"source": source, "target": target, "description": description, "weight": weight}
    return {"id": f"r{number}", "human_readable_id": number, **ends, "text_unit_ids": units}


def community(number: int, level: int, parent: int, entities: list[str]) -> dict[str, Any]:
    place = {"community": number, "level": level, "parent": parent}
    return {"id": f"c{number}", **place, "title": f"Community {number}", "entity_ids": entities}


def report(number: int, title: str, explanation: str) -> dict[str, Any]:
    findings = [{"summary": "What happens", "explanation": explanation}]
    told = {"title": title, "summary": f"{title} in short.", "findings": findings}
    rating = {"rank": 6.5, "rating_explanation": "small"}
    return {"id": f"p{number}", "community": number, "level": 0, **told, **rating}


@pytest.fixture
def given() -> Tables:
    return tables()


@pytest.fixture
def write_index(tmp_path: Path) -> WriteIndex:
    def write(given: Tables, name: str = "output", prefix: str = "") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for table, rows in given.items():
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"{prefix}{table}.jsonl").write_text(lines, encoding="utf-8")
        return folder

    return write
