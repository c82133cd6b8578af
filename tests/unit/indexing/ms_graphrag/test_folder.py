"""Reading index folders of any version."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import InputError, MissingExtraError
from hoptrail.indexing.loading.left_out import is_index_folder
from hoptrail.indexing.ms_graphrag.folder import read_index

Tables = dict[str, list[dict[str, Any]]]
WriteIndex = Callable[..., Path]


def renamed(rows: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
    return [{names.get(key, key): value for key, value in row.items()} for row in rows]


def as_of_version_0_3(given: Tables) -> Tables:
    """The same index as the first versions wrote it: other names, members in a table of nodes."""
    communities = [
        {"id": str(row["community"]), "level": row["level"], "title": row["title"]}
        for row in given["communities"]
    ]
    titles = {row["id"]: row["title"] for row in given["entities"]}
    nodes = [
        {"title": titles[entity], "level": row["level"], "community": str(row["community"])}
        for row in given["communities"]
        for entity in row["entity_ids"]
    ]
    return {
        "documents": renamed(given["documents"], text="raw_content"),
        "text_units": [
            {key: value for key, value in row.items() if key != "human_readable_id"}
            for row in given["text_units"]
        ],
        "entities": renamed(given["entities"], title="name"),
        "relationships": given["relationships"],
        "communities": communities,
        "community_reports": renamed(
            given["community_reports"], rating_explanation="rank_explanation"
        ),
        "nodes": nodes,
    }


def write_parquet(given: Tables, folder: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder.mkdir()
    for table, rows in given.items():
        parquet.write_table(arrow.Table.from_pylist(rows), folder / f"{table}.parquet")


def test_a_folder_of_other_files_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "entities.jsonl").write_text("{}\n")
    assert not is_index_folder(tmp_path)
    assert not is_index_folder(tmp_path / "nowhere")


def test_the_first_versions_give_the_same_index(given: Tables, write_index: WriteIndex) -> None:
    early = write_index(as_of_version_0_3(given), "early", "create_final_")
    assert is_index_folder(early)
    assert read_index(early) == read_index(write_index(given))


def test_parquet_files_give_the_same_index(
    given: Tables, write_index: WriteIndex, tmp_path: Path
) -> None:
    write_parquet(given, tmp_path / "parquet")
    assert is_index_folder(tmp_path / "parquet")
    assert read_index(tmp_path / "parquet") == read_index(write_index(given))


def test_a_damaged_parquet_file_is_named(given: Tables, tmp_path: Path) -> None:
    write_parquet(given, tmp_path / "parquet")
    (tmp_path / "parquet" / "entities.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="entities.parquet: not a readable Parquet file"):
        read_index(tmp_path / "parquet")


def test_without_a_reader_of_parquet_the_extra_is_named(
    given: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parquet(given, tmp_path / "parquet")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError) as caught:
        read_index(tmp_path / "parquet")
    assert caught.value.hint == 'pip install "hoptrail[graphrag]"'


def test_a_missing_table_is_named(given: Tables, write_index: WriteIndex) -> None:
    del given["text_units"]
    with pytest.raises(InputError, match="no table 'text_units'"):
        read_index(write_index(given))


def test_a_missing_column_is_named_with_its_file(given: Tables, write_index: WriteIndex) -> None:
    given["relationships"] = renamed(given["relationships"], source="from")
    with pytest.raises(InputError, match="relationships.jsonl: no column 'source'"):
        read_index(write_index(given))


def test_a_malformed_line_is_named(given: Tables, write_index: WriteIndex) -> None:
    folder = write_index(given)
    with (folder / "entities.jsonl").open("a") as stream:
        stream.write("{oops\n")
    with pytest.raises(InputError, match="entities.jsonl: line 4: malformed JSON"):
        read_index(folder)


def test_an_index_without_communities_is_one(given: Tables, write_index: WriteIndex) -> None:
    del given["communities"], given["community_reports"]
    assert read_index(write_index(given)).communities == []


def test_reports_without_their_communities_are_an_error(
    given: Tables, write_index: WriteIndex
) -> None:
    del given["communities"]
    with pytest.raises(InputError, match="no table 'communities'"):
        read_index(write_index(given))
