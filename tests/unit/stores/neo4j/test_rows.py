from __future__ import annotations

import pytest

from hoptrail.core.types import Relation
from hoptrail.stores.neo4j.rows import (
    Space,
    escape_lucene,
    public_labels,
    quote_lucene,
    relationship_type,
)


def type_of(predicate: str, *, typed: bool = True) -> str:
    return relationship_type(Relation("r", "a", predicate, "b"), typed=typed)


def test_bases_whose_names_differ_in_odd_characters_have_different_spaces() -> None:
    prefixes = {
        Space.of(name, 1).prefix for name in ("my base", "my`base", "my_base", "名前", "名")
    }
    assert len(prefixes) == 5
    assert all(prefix.isidentifier() and prefix.isascii() for prefix in prefixes)


@pytest.mark.parametrize(
    ("predicate", "type_"),
    [
        ("was born in", "WAS_BORN_IN"),
        ("film.film.directed_by", "FILM_FILM_DIRECTED_BY"),
        ("mentions", "MENTIONS_"),
        ("~", "RELATES_TO"),
        ("`]->() DELETE n //", "DELETE_N"),
    ],
)
def test_a_predicate_becomes_a_type_of_word_characters(predicate: str, type_: str) -> None:
    assert type_of(predicate) == type_


def test_all_relations_of_a_base_with_many_predicates_have_one_type() -> None:
    assert type_of("was born in", typed=False) == "RELATES_TO"


@pytest.mark.parametrize(
    ("type_", "label"), [("market town", "MarketTown"), ("Chunk", "Chunk_"), ("`x`", "X")]
)
def test_an_entity_type_becomes_a_label(type_: str, label: str) -> None:
    assert public_labels("entity", type_) == ["__Entity__", "__Node__", label]


def test_an_entity_without_a_type_has_no_label_for_it() -> None:
    assert public_labels("entity", " ") == ["__Entity__", "__Node__"]


def test_operators_of_a_search_are_words_and_characters() -> None:
    assert escape_lucene('a AND (b:"c") OR d*') == r"a and \(b\:\"c\"\) or d\*"


def test_a_quoted_term_keeps_its_quotes() -> None:
    assert quote_lucene('say "hi" \\') == r'"say \"hi\" \\"'
