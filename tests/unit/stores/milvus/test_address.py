from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.stores.milvus.address import MilvusAddress
from hoptrail.stores.milvus.connection import store_error

NAMES = ("MILVUS_TOKEN", "MILVUS_USER", "MILVUS_PASSWORD")


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def test_an_address_names_a_server_and_a_database() -> None:
    address = MilvusAddress.parse("http://host:19530/articles?index=hnsw")
    assert (address.uri, address.database, address.index) == (
        "http://host:19530",
        "articles",
        "HNSW",
    )


def test_a_path_is_a_file_of_milvus_lite() -> None:
    address = MilvusAddress.parse("data/vectors.db")
    assert address.is_lite
    assert address.index == "FLAT"


@pytest.mark.parametrize(
    ("values", "token"),
    [
        ({"MILVUS_TOKEN": "abc"}, "abc"),
        ({"MILVUS_USER": "me", "MILVUS_PASSWORD": "tops3cret"}, "me:tops3cret"),
        ({"MILVUS_PASSWORD": "tops3cret"}, "root:tops3cret"),
        ({"MILVUS_TOKEN": "abc", "MILVUS_PASSWORD": "tops3cret"}, "abc"),
        ({}, ""),
    ],
)
def test_who_asks_says_the_environment(
    values: dict[str, str], token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    address = MilvusAddress.parse("http://host:19530")
    assert address.token == token
    assert "tops3cret" not in f"{address!r} {address}"


@pytest.mark.parametrize(
    "wrong",
    [
        "http://me:tops3cret@host:19530",
        "http://host:port",
        "http:///nowhere",
        "http://host/a/b",
        "http://host?index=IVF",
        "http://host?nprobe=3",
    ],
)
def test_a_wrong_address_is_told_without_its_password(wrong: str) -> None:
    with pytest.raises(SettingsError) as error:
        MilvusAddress.parse(wrong)
    assert "tops3cret" not in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Fail connecting to server on 127.0.0.1:1", "does not answer"),
        ("<_MultiThreadedRendezvous ... UNAVAILABLE>", "does not answer"),
        ("auth check failure, please check username", "refuses the user"),
        ("collection not found\n[db=x]", "collection not found [db=x]"),
        ("token abc:hidden is odd", "token ... is odd"),
    ],
)
def test_an_error_of_the_client_becomes_one_line(message: str, told: str) -> None:
    address = MilvusAddress("http://host:1", token="abc:hidden")
    error = str(store_error(RuntimeError(message), address))
    assert told in error
    assert "\n" not in error
    assert "hidden" not in error


def test_errors_that_come_of_themselves_are_read_once() -> None:
    error, cause = RuntimeError("Fail connecting to server"), RuntimeError("auth check failure")
    error.__cause__, cause.__cause__ = cause, error
    assert "refuses the user" in str(store_error(error, MilvusAddress("http://host:1")))
