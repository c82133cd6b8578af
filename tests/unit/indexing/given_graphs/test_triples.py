from __future__ import annotations

import gzip
from pathlib import Path

from hoptrail.core.types import ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.given_graphs.triples import PassageTriples, read_passages, split_by_chunk
from hoptrail.indexing.loading.files import Skipped

BIRTH = ExtractedRelation("Ada", "born in", "London")


def test_passages_keep_their_good_triples(tmp_path: Path) -> None:
    path = tmp_path / "openie.jsonl"
    path.write_text(
        '{"passage_id": 3, "title": "Ada", "text": "Ada was born.", "entities": ["Ada", 5],'
        ' "triples": [["Ada", "born in", "London"], ["Ada", "born"], ["a", "", "b"], "x"]}\n'
    )
    skipped, passage = read_passages(path)
    assert skipped == Skipped(f"{path}:1", "3 malformed triples left out")
    assert passage == PassageTriples(
        "3", "Ada", "Ada was born.", Extraction((ExtractedEntity("Ada"),), (BIRTH,))
    )


def test_a_compressed_file_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "openie.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"passage_id": 1, "triples": [["Ada", "born in", "London"]]}'))
    (passage,) = read_passages(path)
    assert isinstance(passage, PassageTriples)
    assert passage.extraction.relations == (BIRTH,)


def test_malformed_json_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "openie.jsonl"
    path.write_text('{"passage_id": 1, "triples": []}\n{"passage_id": \n{}\n')
    places = [item.path for item in read_passages(path) if isinstance(item, Skipped)]
    assert places == [f"{path}:2", f"{path}:3"]


def test_relations_go_to_the_chunk_that_names_both_ends() -> None:
    whole = Extraction(
        (ExtractedEntity("Paris"),), (BIRTH, ExtractedRelation("Ada", "visited", "Paris"))
    )
    first, second = split_by_chunk(whole, ["Ada was born in London.", "Ada visited Paris."])
    assert first == Extraction((), (BIRTH,))
    assert second.entities == (ExtractedEntity("Paris"),)
    assert [relation.object for relation in second.relations] == ["Paris"]
