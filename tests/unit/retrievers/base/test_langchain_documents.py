from collections.abc import Sequence

from hoptrail.core.types import Chunk, Document, Evidence, Hit
from hoptrail.retrievers.base.langchain_documents import to_documents

MAIL = Document(
    "d/a.eml", "A", "Text.", "d", "file:///d/a.eml", {"date": "2024-05-02", "author": "Ann"}
)
CHUNK = Chunk("c1", "d/a.eml", "A", "Text.", 0, 5)


def nothing(_: Sequence[str]) -> list[Document]:
    return []


def test_a_passage_tells_its_place_in_its_file_as_a_trail_does() -> None:
    paged = Chunk("c1", "d/a.pdf", "A", "Text.", 5, 10, places=((0, "page 1"), (4, "page 2")))
    plain = Chunk("c2", "d/b.txt", "B", "Text.", 0, 5)

    documents = to_documents(Evidence(chunks=(Hit(paged), Hit(plain))), 2, nothing)

    assert [one.metadata["place"] for one in documents] == ["page 2", None]


def test_a_passage_bears_the_fields_of_its_document() -> None:
    [found] = to_documents(Evidence(chunks=(Hit(CHUNK, 0.5),)), 1, lambda _: [MAIL])

    assert (
        found.metadata.items()
        >= {
            "date": "2024-05-02",
            "author": "Ann",
            "uri": "file:///d/a.eml",
            "source": "d",
            "title": "A",
            "score": 0.5,
        }.items()
    )


def test_a_field_of_the_document_replaces_none_of_the_passage() -> None:
    rated = Document("d/a.eml", "A", "Text.", "d", None, {"score": "7", "title": "B"})

    [found] = to_documents(Evidence(chunks=(Hit(CHUNK, 0.5),)), 1, lambda _: [rated])

    assert (found.metadata["score"], found.metadata["title"]) == (0.5, "A")
    assert (found.metadata["metadata.score"], found.metadata["metadata.title"]) == ("7", "B")


def test_each_document_is_read_once() -> None:
    asked: list[Sequence[str]] = []

    def read(ids: Sequence[str]) -> list[Document]:
        asked.append(ids)
        return [MAIL]

    second = Chunk("c2", "d/a.eml", "A", "Text.", 0, 5)
    to_documents(Evidence(chunks=(Hit(CHUNK), Hit(second))), 2, read)

    assert asked == [["d/a.eml"]]
