"""Inputs as they are named, as feeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core import SimpleDirectoryReader

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.settings import SourceSettings
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.feeds.crawl import Crawl
from hoptrail.indexing.loading.feeds.feed import Feed
from hoptrail.indexing.loading.feeds.loaders import LoaderFeed, loader_named
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.inputs import as_inputs, as_synced, feed_of


class Notes(BaseLoader):
    """Gives a note for each name; as a user would write a loader."""

    def __init__(self, names: str, token: str = "") -> None:
        self.names = names
        self.token = token

    def lazy_load(self) -> Iterator[LangChainDocument]:
        for name in self.names:
            yield LangChainDocument(page_content=f"Note {name}.", metadata={"source": name})


NAMED = f"{__name__}:Notes"


def ids(feed: Feed | object) -> list[str]:
    assert isinstance(feed, Feed)
    return [one.path if isinstance(one, Skipped) else one.id for one in load_documents([feed])]


def test_loaders_and_iterables_are_feeds_and_paths_stay() -> None:
    loader = Notes("ab")
    inputs = as_inputs([Path("notes"), "https://e.org/a", loader], {})
    assert inputs[:2] == [Path("notes"), "https://e.org/a"]
    assert ids(inputs[2]) == ["notes/a", "notes/b"]
    (one,) = as_inputs(loader, {})
    assert ids(one) == ["notes/a", "notes/b"]
    assert as_inputs("notes", {}) == ["notes"]
    (generated,) = as_inputs(loader.lazy_load(), {})
    assert ids(generated) == ["documents/a", "documents/b"]


def test_documents_of_llama_index_are_one_source() -> None:
    given = [LlamaIndexDocument(text=f"Text {at}.", metadata={"source": "x"}) for at in range(3)]
    (feed,) = as_inputs(given, {})
    assert len(set(ids(feed))) == 3


def test_a_list_is_synced_as_one_source_and_a_document_is_not() -> None:
    given = [LangChainDocument(page_content="Text.", metadata={"source": "a"})]
    assert ids(as_synced(given, {})) == ["documents/a"]
    with pytest.raises(InputError, match="one document cannot be synced"):
        as_synced(given[0], {})


def test_a_source_of_the_settings_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_TOKEN", "s3cret")
    given = SourceSettings(loader=NAMED, args={"names": "xy", "token": "$NOTES_TOKEN"})
    feed = as_synced("wiki", {"wiki": given})
    assert isinstance(feed, LoaderFeed)
    assert ids(feed) == ["wiki/x", "wiki/y"]
    assert "s3cret" not in feed.root
    assert as_synced("./wiki", {"wiki": given}) == "./wiki"


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(SettingsError, match="NOTES_TOKEN, which is not set"):
        feed_of("wiki", SourceSettings(loader=NAMED, args={"token": "$NOTES_TOKEN"}))


def test_of_a_variable_that_is_not_set_the_section_is_named() -> None:
    given = SourceSettings(loader=NAMED, args={"token": "$NOTES_TOKEN"})
    with pytest.raises(SettingsError, match=r"\[sources\.wiki\]: the argument token") as caught:
        as_synced("wiki", {"wiki": given})
    assert caught.value.hint == "export NOTES_TOKEN=..."


def test_a_crawl_of_the_settings() -> None:
    crawl = feed_of(None, SourceSettings(crawl="https://E.org/docs/", depth=0, max_documents=3))
    assert isinstance(crawl, Crawl)
    assert (crawl.name, crawl.depth, crawl.max_pages) == ("e.org", 0, 3)


def test_a_source_is_one_thing() -> None:
    with pytest.raises(ValueError, match="give one of loader, crawl and store"):
        SourceSettings(loader=NAMED, crawl="https://e.org/")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Notes", "not a loader"),
        ("no_such_package:Notes", "No module named 'no_such_package'"),
        (f"{__name__}:Nothing", "no attribute 'Nothing'"),
        (NAMED, "missing 1 required positional argument: 'names'"),
        ("pathlib:Path", "it has none of the methods"),
    ],
)
def test_a_loader_that_cannot_be_had_is_one_line(name: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        loader_named(name, {})
    assert "\n" not in caught.value.message


def test_arguments_that_a_reader_does_not_take_are_for_its_loading() -> None:
    reader, for_loading = loader_named(
        "llama_index.core.readers:StringIterableReader", {"texts": ["One.", "Two."]}
    )
    assert for_loading == {"texts": ["One.", "Two."]}
    assert len(ids(LoaderFeed(reader, name="x", load_args=for_loading))) == 2


def test_a_reader_of_llama_index_gives_files_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Ida Holm lives in Varde.")
    (tmp_path / "b.md").write_text("Tor Lie lives in Lund.")
    feed = LoaderFeed(SimpleDirectoryReader(str(tmp_path)), name="notes")
    assert ids(feed) == ["notes/a.md", "notes/b.md"]
    assert ids(feed) == ["notes/a.md", "notes/b.md"]
    assert feed.root.endswith(f"SimpleDirectoryReader of {tmp_path.resolve()}")


def test_what_a_loader_reads_is_told_without_its_secrets() -> None:
    class Web(Notes):
        def __init__(self) -> None:
            super().__init__("a", token="s3cret")
            self.url = "https://ida:s3cret@e.org/wiki?key=s3cret"

    root = LoaderFeed(Web()).root
    assert root.endswith("Web of e.org/wiki") and "s3cret" not in root


def test_the_settings_may_allow_a_crawl_of_ones_own_network() -> None:
    source = SourceSettings(crawl="http://10.0.0.1/", private_addresses=True)
    crawl = feed_of("team", source)
    assert isinstance(crawl, Crawl)
    assert crawl.private_addresses
