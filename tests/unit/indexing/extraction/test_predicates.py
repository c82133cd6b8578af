from __future__ import annotations

import pytest

from hoptrail.indexing.extraction.predicates import BREAK, Link, opens_noun, read_link


@pytest.mark.parametrize(
    ("between", "words", "stem"),
    [
        (" was born in ", ("was", "born", "in"), ("was", "born")),
        (" founded the ", ("founded",), ("founded",)),
        (" appoints the ", ("appoints",), ("appoints",)),
        ("’m a fan of ", ("is", "a", "fan", "of"), ("is",)),
    ],
)
def test_a_verb_with_what_follows_it_is_a_predicate(
    between: str, words: tuple[str, ...], stem: tuple[str, ...]
) -> None:
    found = read_link(between)
    assert (found.kind, found.words, found.stem) == ("verb", words, stem)


def test_a_long_predicate_is_cut_to_its_last_participle() -> None:
    found = read_link(" is a very early and rather long silent film written and directed by ")
    assert found.words == ("written", "and", "directed", "by")


def test_a_relative_pronoun_leads_the_verb() -> None:
    assert read_link(", who founded ").relative == "who"


def test_a_joined_verb_shares_the_subject() -> None:
    assert read_link(" and starring ").goes_on


def test_a_noun_with_a_preposition_behind_a_comma_is_an_apposition() -> None:
    assert read_link(", a fellow apprentice of ") == Link(
        "apposition", ("a", "fellow", "apprentice", "of")
    )


def test_commas_and_joiners_make_a_list() -> None:
    assert read_link(", and ").kind == "listed"


@pytest.mark.parametrize(
    "between",
    [
        "; it was ",
        " | ",
        "  ",
        "\t",
        " because she met ",
        " said ",
        " think ",
        " to parents who had come from ",
        "'s second album ",
        ", where he met ",
        " left Rome for ",
        "",
    ],
)
def test_what_is_not_understood_breaks(between: str) -> None:
    assert read_link(between) == BREAK


def test_a_noun_behind_a_name_is_described_by_it() -> None:
    assert [word for word in ("games", "in", "was", "and", "founded") if opens_noun(word)] == [
        "games"
    ]
