from __future__ import annotations

import pytest

from hoptrail.core.errors import StoreError
from hoptrail.stores.neo4j.connection import ServerAddress, require_version, store_error

ADDRESS = ServerAddress("neo4j://host:7687", None, "neo4j", "tops3cret")


@pytest.mark.parametrize("version", [(4, 4, 40), (5, 25, 1)])
def test_an_older_server_is_refused_in_one_line(version: tuple[int, ...]) -> None:
    with pytest.raises(StoreError) as error:
        require_version(version, ADDRESS)
    shown = ".".join(map(str, version))
    assert str(error.value) == (
        f"neo4j://host:7687 runs Neo4j {shown}, and 5.26 is the least (upgrade the server)"
    )


@pytest.mark.parametrize("version", [(5, 26, 0), (5, 26, 30), (2026, 8, 1)])
def test_a_server_that_is_new_enough_is_taken(version: tuple[int, ...]) -> None:
    require_version(version, ADDRESS)


def test_what_a_driver_says_of_an_index_becomes_what_to_run() -> None:
    said = "There is no such vector schema index: articles_1_chunks"
    error = store_error(ValueError(f"Caused by: IllegalArgumentException: {said}"), ADDRESS)
    assert error.message.startswith("neo4j://host:7687: the index articles_1_chunks is not there")
    assert "hoptrail publish" in error.hint


def test_no_error_shows_the_password() -> None:
    assert "tops3cret" not in f"{store_error(ValueError('no'), ADDRESS)} {ADDRESS} {ADDRESS!r}"
