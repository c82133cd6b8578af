from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.indexing.shards.shard_folder import Shard


def test_every_document_is_in_one_shard() -> None:
    shards = [Shard(number, 5) for number in range(1, 6)]
    held = [[shard.number for shard in shards if shard.holds(f"wiki/{n}")] for n in range(200)]
    assert all(len(numbers) == 1 for numbers in held)
    assert {numbers[0] for numbers in held} == {1, 2, 3, 4, 5}


def test_a_document_stays_in_its_shard_between_versions_of_the_program() -> None:
    assert [number for number in range(1, 5) if Shard(number, 4).holds("wiki/ada")] == [1]
    assert [number for number in range(1, 5) if Shard(number, 4).holds("wiki/who")] == [1]


@pytest.mark.parametrize("text", ["0/4", "5/4", "4", "1/0", "a/b", "-1/3", "1/2/3"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="shard"):
        Shard.parse(text)


def test_a_folder_tells_its_shard() -> None:
    assert Shard.of_folder(Shard(3, 16).folder_name) == Shard(3, 16)
    assert Shard.of_folder("shard-17-of-16") is None
    assert Shard.of_folder("cache") is None
