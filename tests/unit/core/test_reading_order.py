from hoptrail.core.reading_order import in_reading_order
from hoptrail.core.types import Chunk, Hit


def hit(document: str, start: int) -> Hit[Chunk]:
    return Hit(Chunk(f"{document}{start}", document, "", "", start, start))


def test_passages_of_one_document_stand_together_in_its_order() -> None:
    ranked = [hit("a", 50), hit("b", 0), hit("a", 0)]

    assert [one.item.id for one in in_reading_order(ranked)] == ["a0", "a50", "b0"]
