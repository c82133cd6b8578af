"""Documents of LangChain and LlamaIndex as ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document as LlamaIndexDocument

from hoptrail.core.errors import InputError
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.feeds.loaded import LoadedDocuments, shared_folder


def ids(*given: object, folders: tuple[str, ...] = (), fields: tuple[str, ...] = ()) -> list[str]:
    made = LoadedDocuments("wiki", folders, fields)
    return [made.document(one).id for one in given]


def told(text: str = "Text.", /, **metadata: object) -> LangChainDocument:
    return LangChainDocument(page_content=text, metadata=metadata)


def test_an_id_is_what_the_loader_calls_it() -> None:
    assert ids(
        LangChainDocument(page_content="Text.", id="own", metadata={"source": "a.md"}),
        told(source="b.md", author="x"),
        told(title="Page", source="https://w.example/x", id=12),
        told(url="https://user:key@w.example/pages/1?v=2#top"),
        told(file_path="./sub/c.md"),
    ) == ["wiki/own", "wiki/b.md", "wiki/12", "wiki/w.example/pages/1?v=2", "wiki/sub/c.md"]


def test_parts_of_a_file_are_told_apart() -> None:
    assert ids(
        told(source="a.pdf", page=0),
        told(source="a.pdf", page=1),
        told(source="a.csv", row=7),
        told(source="a.txt", start_index=120),
    ) == [
        "wiki/a.pdf#page=0",
        "wiki/a.pdf#page=1",
        "wiki/a.csv#row=7",
        "wiki/a.txt#start_index=120",
    ]


def test_a_row_of_a_csv_loader_is_told_as_a_row_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("Name,Town,Born\nIda Holm,Varde,1809\n", encoding="utf-8")
    (file,) = load_documents([tmp_path / "people.csv"])
    assert isinstance(file, Document)

    row = told("Name: Ida Holm\nTown: Varde\nBorn: 1809", source="people.csv", row=0)

    assert LoadedDocuments("wiki").document(row).text == file.text


def test_lines_that_are_no_row_stay_as_they_are() -> None:
    for text, fields in (
        ("Name: Ida Holm\nTown: Varde", {"source": "a.txt"}),
        ("Name: Ida Holm\nNote: she was\nborn here", {"source": "a.csv", "row": 1}),
    ):
        assert LoadedDocuments("wiki").document(told(text, **fields)).text == text


def test_what_has_the_same_name_is_told_apart_by_its_text_alone() -> None:
    first, second, third = (told(text, source="a") for text in ("One.", "Two.", "Three."))
    named = ids(first, second, third)
    assert named[0] == "wiki/a" and len(set(named)) == 3
    assert ids(first, third)[1] == named[2]
    assert ids(told("One."), told("Two."))[1] == ids(told("Two."))[0]


def test_files_are_called_by_their_path_in_the_folder(tmp_path: Path) -> None:
    file = tmp_path / "export" / "sub" / "a.md"
    file.parent.mkdir(parents=True)
    file.write_text("Text.")
    folder = str((tmp_path / "export").resolve())
    assert ids(told(source=str(file)), folders=(folder,)) == ["wiki/sub/a.md"]
    assert ids(told(source=str(file))) == [f"wiki/{file.resolve().as_posix().strip('/')}"]


def test_the_folder_that_given_documents_share(tmp_path: Path) -> None:
    for name in ("notes/a.md", "notes/sub/deep/b.md", "notes-new/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("Text.")
    root = tmp_path.resolve()

    def shared(*names: str) -> str | None:
        elsewhere = [told(source="https://e.org/a"), told(source=str(root / "gone.md")), told()]
        return shared_folder([*(told(source=str(root / name)) for name in names), *elsewhere])

    assert shared("notes/a.md", "notes/sub/deep/b.md") == str(root / "notes")
    assert shared("notes/sub/deep/b.md") == str(root / "notes" / "sub" / "deep")
    assert shared("notes/a.md", "notes-new/c.md") == str(root)
    assert shared() is None
    assert shared("notes/a.md", "/bin/sh") is None


def test_a_file_of_the_working_directory_is_no_file_of_the_loader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("here", "clone"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text("Text.")
    monkeypatch.chdir(tmp_path / "here")
    clone = str((tmp_path / "clone").resolve())
    assert ids(told(source="README.md"), folders=(clone,)) == ["wiki/README.md"]


def test_chosen_fields_make_the_id() -> None:
    assert ids(told(space="HR", number=3, source="x"), fields=("space", "number")) == ["wiki/HR/3"]
    with pytest.raises(InputError, match="no field 'number'"):
        ids(told(space="HR"), fields=("space", "number"))


def test_ids_that_llama_index_draws_by_chance_are_not_used() -> None:
    by_chance = LlamaIndexDocument(text="Text.", metadata={"file_path": "a.md"})
    assert ids(by_chance) == ["wiki/a.md"]
    assert ids(LlamaIndexDocument(text="Text.")) == ids(LlamaIndexDocument(text="Text."))
    assert ids(LlamaIndexDocument(text="Text.", id_="page-7")) == ["wiki/page-7"]
    drawn = "4d0f2f0e-3a52-4c5c-9a3e-0d9f5a1b2c3d"
    named = LlamaIndexDocument(text="Text.", id_=drawn, metadata={"page_id": drawn})
    assert ids(named) == [f"wiki/{drawn}"]


def test_title_fields_page_and_address() -> None:
    given = told(
        "Tor Lie laid the keel.",
        source="https://w.example/keel",
        title="The keel",
        author="Ida Holm",
        tags=["yard", "1911"],
        page_label="iv",
    )
    document = LoadedDocuments("wiki").document(given)
    assert (document.title, document.uri) == ("The keel", "https://w.example/keel")
    assert document.places == ((0, "page iv"),)
    assert document.metadata["author"] == "Ida Holm"
    assert document.metadata["tags"] == '["yard", "1911"]'
    assert LoadedDocuments("wiki").document(told(source="a.pdf", page=2)).places == ((0, "page 3"),)


def test_a_path_is_no_address_of_the_document() -> None:
    """Else a sync of the folder around it would take the document for one of its files."""
    assert LoadedDocuments("wiki").document(told(source="/srv/a.md")).uri is None


def test_hoptrails_own_documents_get_the_source() -> None:
    made = LoadedDocuments("wiki")
    assert made.document(Document("a", "A", "Text.")).id == "wiki/a"
    assert made.document(Document("wiki/b", "B", "Text.", "x")).source == "wiki"


def test_long_and_broken_ids_can_be_stored() -> None:
    (long,) = ids(told(source="x" * 5000))
    assert len(long) < 500
    assert ids(told("a \ud800", source="b\ud800")) == ["wiki/b?"]


def test_anything_else_is_refused() -> None:
    with pytest.raises(InputError, match="no document of LangChain or LlamaIndex: int"):
        ids(5)


def test_a_page_of_notion_is_called_without_its_id() -> None:
    given = told("tor lie laid it, it is said.", source=f"Keel plan {'0a' * 16}.md")
    document = LoadedDocuments("wiki").document(given)
    assert (document.id, document.title) == (f"wiki/Keel plan {'0a' * 16}.md", "Keel plan")
