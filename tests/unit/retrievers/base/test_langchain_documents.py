from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.retrievers.base.langchain_documents import to_documents


def test_a_passage_tells_its_place_in_its_file_as_a_trail_does() -> None:
    paged = Chunk("c1", "d/a.pdf", "A", "Text.", 5, 10, places=((0, "page 1"), (4, "page 2")))
    plain = Chunk("c2", "d/b.txt", "B", "Text.", 0, 5)

    documents = to_documents(Evidence(chunks=(Hit(paged), Hit(plain))), k=2)

    assert [one.metadata["place"] for one in documents] == ["page 2", None]
