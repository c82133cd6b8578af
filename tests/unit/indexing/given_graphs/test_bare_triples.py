from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.indexing.given_graphs.bare_triples import read_bare
from hoptrail.indexing.loading.files import Skipped
from hoptrail.stores.records.bare_graphs import TripleList

BIRTH = ("Ada", "born in", "London")


def facts(triples: TripleList | None) -> list[tuple[str, str, str]]:
    assert triples is not None
    return [
        (triples.nodes[head], triples.predicates[relation], triples.nodes[tail])
        for head, relation, tail in triples.triples.tolist()
    ]


def read(path: Path) -> tuple[TripleList | None, list[Skipped]]:
    return read_bare(path, lambda lines: None)


def test_pipe_lines_are_triples_and_a_repeated_one_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("Ada|born in|London\nAda|born in|London\nLondon| in |England\n")
    triples, skipped = read(path)
    assert facts(triples) == [BIRTH, ("London", "in", "England")]
    assert skipped == []


def test_two_spellings_are_two_nodes(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("The Thing|year|1982\nthing|year|1982\n")
    triples, _ = read(path)
    assert triples is not None
    assert triples.nodes == ["The Thing", "1982", "thing"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kb.csv", 'tail,head,relation\nLondon,Ada,"born in"\n'),
        ("kb.tsv", "subject\tpredicate\tobject\nAda\tborn in\tLondon\n"),
        ("kb.jsonl", '["Ada", "born in", "London"]\n'),
        ("kb.ndjson", '{"tail": "London", "relation": "born in", "head": "Ada", "year": 1}\n'),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_every_form_is_read_compressed_or_not(
    tmp_path: Path, name: str, text: str, compressed: bool
) -> None:
    path = tmp_path / (f"{name}.gz" if compressed else name)
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    triples, skipped = read(path)
    assert facts(triples) == [BIRTH]
    assert skipped == []


def test_a_table_without_the_right_header_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "kb.csv"
    path.write_text("Ada,born in,London\n")
    with pytest.raises(InputError, match="header"):
        read(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kb.txt", "Ada|born in|London\nbroken\na|b\n"),
        ("kb.jsonl", '["Ada", "born in", "London"]\n["a", 1, "b"]\n{"head"\n'),
    ],
)
def test_malformed_lines_are_counted_and_the_first_is_named(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    triples, skipped = read(path)
    assert facts(triples) == [BIRTH]
    assert skipped == [Skipped(f"{path}:2", "2 malformed lines left out, the first one is this")]


def test_a_file_without_triples_gives_none(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("\n\n")
    assert read(path) == (None, [Skipped(str(path), "holds no triples")])


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    (tmp_path / "world_nodes.txt").write_text("Ada\n\nLondon\nm.0abc\nLondon\n")
    (tmp_path / "world_relations.txt").write_text("born in\nlives in\n")
    path = tmp_path / "world_triples.tsv.gz"
    path.write_bytes(gzip.compress(b"0\t0\t2\n3\t1\t4\n1\t1\t2\n"))
    return path


def test_a_numbered_graph_takes_its_names_from_the_files_beside_it(numbered: Path) -> None:
    triples, skipped = read(numbered)
    assert facts(triples) == [BIRTH, ("m.0abc", "lives in", "London"), ("", "lives in", "London")]
    assert skipped == []


def test_numbers_beyond_the_names_are_malformed(numbered: Path) -> None:
    numbered.write_bytes(gzip.compress(b"0\t0\t2\n0\t0\t5\n0\t2\t1\n0\tx\t1\n0\t0\n"))
    triples, skipped = read(numbered)
    assert facts(triples) == [BIRTH]
    assert skipped == [
        Skipped(f"{numbered}:2", "4 malformed lines left out, the first one is this")
    ]


def test_progress_counts_every_line(numbered: Path) -> None:
    lines: list[int] = []
    read_bare(numbered, lines.append)
    assert sum(lines) == 3
