from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.types import ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.skipped import Skipped
from hoptrail.indexing.triples import (
    BareTriples,
    PassageTriples,
    read_triples,
    split_by_chunk,
)

BIRTH = ExtractedRelation("Ada", "born in", "London")


def test_pipe_lines_give_one_bare_list(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("Ada|born in|London\nAda|born in|London\nLondon|in|England\n")
    (bare,) = read_triples(path)
    assert isinstance(bare, BareTriples)
    assert bare.extraction.relations == (BIRTH, ExtractedRelation("London", "in", "England"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kb.csv", 'tail,head,relation\nLondon,Ada,"born in"\n'),
        ("kb.tsv", "subject\tpredicate\tobject\nAda\tborn in\tLondon\n"),
    ],
)
def test_tables_are_read_by_their_header(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    (bare,) = read_triples(path)
    assert isinstance(bare, BareTriples)
    assert bare.extraction.relations == (BIRTH,)


def test_a_table_without_the_right_header_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "kb.csv"
    path.write_text("Ada,born in,London\n")
    assert [type(item) for item in read_triples(path)] == [Skipped]


def test_malformed_lines_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("Ada|born in|London\nbroken\na|b\n")
    skipped, bare = read_triples(path)
    assert skipped == Skipped(f"{path}:2", "2 malformed lines left out, the first one is this")
    assert isinstance(bare, BareTriples)


def test_passages_keep_their_good_triples(tmp_path: Path) -> None:
    path = tmp_path / "openie.jsonl"
    path.write_text(
        '{"passage_id": 3, "title": "Ada", "text": "Ada was born.", "entities": ["Ada", 5],'
        ' "triples": [["Ada", "born in", "London"], ["Ada", "born"], ["a", "", "b"], "x"]}\n'
    )
    skipped, passage = read_triples(path)
    assert skipped == Skipped(f"{path}:1", "3 malformed triples left out")
    assert passage == PassageTriples(
        "3", "Ada", "Ada was born.", Extraction((ExtractedEntity("Ada"),), (BIRTH,))
    )


def test_malformed_json_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "openie.jsonl"
    path.write_text('{"passage_id": 1, "triples": []}\n{"passage_id": \n{}\n')
    places = [item.path for item in read_triples(path) if isinstance(item, Skipped)]
    assert places == [f"{path}:2", f"{path}:3"]


def test_a_missing_file_is_skipped(tmp_path: Path) -> None:
    assert list(read_triples(tmp_path / "no.txt")) == [
        Skipped(str(tmp_path / "no.txt"), "no such file")
    ]


def test_relations_go_to_the_chunk_that_names_both_ends() -> None:
    whole = Extraction(
        (ExtractedEntity("Paris"),), (BIRTH, ExtractedRelation("Ada", "visited", "Paris"))
    )
    first, second = split_by_chunk(whole, ["Ada was born in London.", "Ada visited Paris."])
    assert first == Extraction((), (BIRTH,))
    assert second.entities == (ExtractedEntity("Paris"),)
    assert [relation.object for relation in second.relations] == ["Paris"]
