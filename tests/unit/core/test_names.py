from __future__ import annotations

import pytest

from hoptrail.core.names import handles_in, is_unnamed, part_handles, parted, predicate_words


@pytest.mark.parametrize("name", ["", "m.0abc", "g.11b_x", "m.0x_", "/m/0abc", "/g/1"])
def test_machine_ids_and_empty_names_are_no_names(name: str) -> None:
    assert is_unnamed(name)


@pytest.mark.parametrize("name", ["m.i.a.", "M.0ABC", "g.", "m.0abc d", "mg.0", "jamaica", "m"])
def test_other_names_are_names(name: str) -> None:
    assert not is_unnamed(name)


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("people.person.place_of_birth", "people person place of birth"),
        ("birthPlace", "birth Place"),
        ("rdf-schema#range", "rdf schema range"),
        ("wird_geführt_von", "wird geführt von"),
        ("出生地", "出生地"),
        ("born in", "born in"),
        ("->", "->"),
    ],
)
def test_a_predicate_reads_as_words(predicate: str, words: str) -> None:
    assert predicate_words(predicate) == words


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("AnnThale", "Ann Thale"),
        ("Ann Thale", "Ann Thale"),
        ("JoséDiazMora", "José Diaz Mora"),
        ("McDonald", "McDonald"),
        ("ann_thale", "ann_thale"),
    ],
)
def test_a_name_is_parted_where_it_runs_together(name: str, told: str) -> None:
    assert parted(name) == told


def test_the_handles_of_a_text_are_found_with_their_names() -> None:
    assert handles_in("Did @AnnThale and BoReed meet McDonald at NASA?") == {
        "@AnnThale": "Ann Thale",
        "BoReed": "Bo Reed",
    }


def test_only_what_names_something_is_parted() -> None:
    question = "What did AnnThale watch on YouTube, AnnThale's channel?"
    names = {"Ann Thale"}

    assert part_handles(question, names.__contains__) == (
        "What did Ann Thale watch on YouTube, Ann Thale's channel?"
    )
