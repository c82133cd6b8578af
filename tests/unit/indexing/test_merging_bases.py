"""Taking another knowledge base in."""

from pathlib import Path

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError, SourceRootError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from tests.embedders import CountingEmbedder
from tests.ships import FACTS, QUESTION, hashing_settings, ship_documents


def base(folder: Path, *names: str) -> Path:
    """Index some of the ships' documents by rules."""
    with Hoptrail.open(folder, create=True, settings=hashing_settings()) as hoptrail:
        hoptrail.index(ship_documents({name: FACTS[name] for name in names}), extractor="nlp")
    return folder


def open_base(folder: Path) -> Hoptrail:
    return Hoptrail.open(folder, settings=hashing_settings(), preset="offline")


@pytest.fixture
def ships(tmp_path: Path) -> Path:
    return base(tmp_path / "ships", "Morning Tern")


@pytest.fixture
def yards(tmp_path: Path) -> Path:
    return base(tmp_path / "yards", "Alder Yard", "Edda Thorn")


def test_a_question_goes_over_documents_of_both(ships: Path, yards: Path) -> None:
    with open_base(ships) as hoptrail:
        before = hoptrail.ask(QUESTION)
        report = hoptrail.merge(yards)
        answer = hoptrail.ask(QUESTION)
    assert before.abstained or before.perhaps
    assert report["documents"]["added"] == 2
    assert answer.text == "Edda Thorn"


def test_the_graph_is_that_of_one_base_with_all_documents(
    ships: Path, yards: Path, tmp_path: Path
) -> None:
    whole = base(tmp_path / "whole", *FACTS)
    with open_base(ships) as merged, open_base(whole) as expected:
        merged.merge(yards)
        of_merged, of_whole = (
            merged.export(tmp_path / "a.jsonl"),
            expected.export(tmp_path / "b.jsonl"),
        )
    assert of_merged[0].read_text() == of_whole[0].read_text()


def test_passages_and_names_of_the_other_base_are_not_embedded_again(
    ships: Path, yards: Path
) -> None:
    embedder = CountingEmbedder()
    with Hoptrail.open(ships, embedder=embedder) as hoptrail:
        hoptrail.merge(yards)
    assert not any("Edda Thorn was an engineer" in text for text in embedder.texts)
    assert "Edda Thorn" not in embedder.texts


def test_the_other_base_stays_as_it_is(ships: Path, yards: Path) -> None:
    before = (yards / "hoptrail.sqlite").read_bytes()
    with open_base(ships) as hoptrail:
        hoptrail.merge(yards)
    assert (yards / "hoptrail.sqlite").read_bytes() == before


def test_a_second_time_changes_nothing(ships: Path, yards: Path) -> None:
    with open_base(ships) as hoptrail:
        hoptrail.merge(yards)
        before = hoptrail.info()["generation"]
        report = hoptrail.merge(yards)
        assert report["documents"] == {**report["documents"], "added": 0, "unchanged": 2}
        assert hoptrail.info()["generation"] == before


def test_one_id_with_two_texts_is_refused_and_nothing_is_added(ships: Path, tmp_path: Path) -> None:
    with Hoptrail.open(tmp_path / "other", create=True, settings=hashing_settings()) as other:
        other.index([Document("t/Morning Tern", "Morning Tern", "Another text.", "t")])
        other.index([Document("t/New", "New", "A new one.", "t")])
    with open_base(ships) as hoptrail, pytest.raises(InputError, match="t/Morning Tern"):
        hoptrail.merge(tmp_path / "other")
    with open_base(ships) as hoptrail:
        assert hoptrail.info()["counts"]["documents"] == 1


def test_one_source_of_two_folders_is_refused(tmp_path: Path) -> None:
    bases = []
    for place in ("a", "b"):
        notes = tmp_path / place / "notes"
        notes.mkdir(parents=True)
        (notes / f"{place}.txt").write_text(f"Note {place}.", encoding="utf-8")
        bases.append(tmp_path / f"kb-{place}")
        with Hoptrail.open(bases[-1], create=True, settings=hashing_settings()) as hoptrail:
            hoptrail.index([notes])
    with open_base(bases[0]) as hoptrail, pytest.raises(SourceRootError, match="notes"):
        hoptrail.merge(bases[1])


def test_a_base_is_not_taken_into_itself(ships: Path) -> None:
    with open_base(ships) as hoptrail, pytest.raises(InputError, match="is this knowledge base"):
        hoptrail.merge(ships)


def test_a_base_of_another_embedder_is_embedded_anew(ships: Path, tmp_path: Path) -> None:
    with Hoptrail.open(
        tmp_path / "other",
        create=True,
        settings=Settings(),
        embedder=DeterministicFakeEmbedding(size=8),
        embedder_name="other",
    ) as other:
        other.index(ship_documents({"Alder Yard": FACTS["Alder Yard"]}), extractor="nlp")
    with open_base(ships) as hoptrail:
        hoptrail.merge(tmp_path / "other")
        found = hoptrail.retrieve("yard", retriever="vector")["passages"]
    assert {one["title"] for one in found} == {"Morning Tern", "Alder Yard"}
