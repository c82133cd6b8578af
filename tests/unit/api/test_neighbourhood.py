"""The surroundings of an entity as a graph of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Document
from tests.ships import hashing_settings, ship_documents

_PEOPLE = [f"Anna {name}" for name in ("Keel", "Brook", "Marsh", "Pell", "Quist", "Vane")]


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hoptrail]:
    """A port where many were born, beside the ships."""
    people = [Document(f"p/{one}", one, f"{one} was born in Grand Port.", "p") for one in _PEOPLE]
    folder: Path = tmp_path_factory.mktemp("ports")
    with Hoptrail.open(folder, create=True, settings=hashing_settings()) as opened:
        opened.index([*ship_documents(), *people], extractor="nlp")
        yield opened


def id_of(hoptrail: Hoptrail, name: str) -> str:
    found = hoptrail.entities(name)["entities"]
    return next(str(one["id"]) for one in found if one["name"] == name)


def test_facts_are_followed_over_two_relations(ports: Hoptrail) -> None:
    shown = ports.neighbourhood(id_of(ports, "Morning Tern"))

    rings = {one["name"]: one["ring"] for one in shown["nodes"]}
    assert rings["Morning Tern"] == 0
    assert (rings["Alder Yard"], rings["Edda Thorn"]) == (1, 2)
    assert "Brackenholm" not in rings, "it is three relations away"


def test_a_relation_comes_with_the_place_of_its_first_passage(ports: Hoptrail) -> None:
    shown = ports.neighbourhood(id_of(ports, "Alder Yard"))

    relation = next(one for one in shown["edges"] if one["object"] == "Edda Thorn")
    place = relation["passage"]
    text = ports.document(place["doc_id"])["text"][place["start"] : place["end"]]
    assert "founded by Edda Thorn" in text
    assert relation["passages"] == 1


@pytest.mark.parametrize("most", [1, 3, 5])
def test_no_more_entities_are_shown_than_asked_for_and_all_are_joined(
    ports: Hoptrail, most: int
) -> None:
    shown = ports.neighbourhood(id_of(ports, "Grand Port"), nodes=most)

    ids = {one["id"] for one in shown["nodes"]}
    assert len(ids) == most
    assert len(shown["edges"]) <= 3 * most
    ends = {end for one in shown["edges"] for end in (one["source"], one["target"])}
    assert ends <= ids
    assert most == 1 or ends == ids
    assert shown["relations_total"] >= len(_PEOPLE)


def test_what_a_filter_hides_is_not_in_the_picture(ports: Hoptrail) -> None:
    shown = ports.neighbourhood(
        id_of(ports, "Grand Port"), filter="title = Anna Keel or title = Anna Pell"
    )

    names = {one["name"] for one in shown["nodes"]}
    assert names.isdisjoint({"Anna Brook", "Anna Marsh", "Anna Quist", "Anna Vane"})
    assert {one["passage"]["doc_id"] for one in shown["edges"]} <= {"p/Anna Keel", "p/Anna Pell"}


def test_an_entity_that_is_not_there_is_an_error(ports: Hoptrail) -> None:
    with pytest.raises(UnknownNameError):
        ports.neighbourhood("nope")
    with pytest.raises(UnknownNameError):
        ports.neighbourhood(id_of(ports, "Grand Port"), filter="title = Alder Yard")
