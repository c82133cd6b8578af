"""Claims in the words of their passage: of whom are these words said?"""

# ruff: noqa: E501
from __future__ import annotations

import pytest

from hoptrail.agents.verification.statement import support_in
from hoptrail.core.types.draft import HopClaim
from tests.unit.agents.conftest import index_of

# (title, text, subject, predicate, object); the last sentence is the one that is read
SAID = [
    ("Red Fern", "Red Fern is a 1961 Danish drama film written and directed by Ann Lee, and starring Bo Holt.", "Red Fern", "written and directed by", "Ann Lee"),
    ("Red Fern", "Red Fern is a 1961 Danish drama film written by Ann Lee.", "Red Fern", "is a drama film of", "1961"),
    ("Ann Lee", "Ann Lee (1843-1901) was a Danish painter and poet.", "Ann Lee", "was a poet who was", "Danish"),
    ("Storm Nine", "Storm Nine is a band. The original lineup consisted of lead vocalist Ann Lee, guitarist Bo Holt and others.", "Storm Nine", "original lineup consisted of lead vocalist", "Ann Lee"),
    ("Tarn Shop", "Tarn Shop is a firm. The first branch was opened in Alding in 1989.", "Tarn Shop", "first branch was opened in", "Alding"),
    ("Mary Pell", "Mary Pell is a singer. She is married to Bo Holt, former drummer of the band Storm Nine.", "Bo Holt", "former drummer of the band", "Storm Nine"),
    ("Bo Holt", "Holt was best known for his one-act play, \"Red Fern\", which opened in Alding.", "Bo Holt", "was best known for his one-act play", "Red Fern"),
    ("Ann Lee", "Ann Lee,( born 18 January 1933) is a Danish poet who is best known for one poem.", "Ann Lee", "is a poet who is", "Danish"),
    ("Alding", "Alding is the largest town and census-designated place (CDP) in Tarn County.", "Alding", "is the largest town and census-designated place (CDP) in", "Tarn County"),
    ("Tarn Ape", "Tarn Ape (also known as Old Grey) is a creature of Danish folklore.", "Tarn Ape", "also known as", "Old Grey"),
    ("Ann Lee", "Ann Lee was a diplomat, at times minister of trade, and for two terms president of the Tarn League.", "Ann Lee", "for two terms president of", "Tarn League"),
    ("Ann Lee", "Ann Lee is a host. She has also served as the host of the Danish version of Who Knows It?", "Ann Lee", "has served as the host of the Danish version of", "Who Knows It?"),
]  # fmt: skip

NOT_SAID = [
    ("THE OAR - Spring 2025", "Our junior Mary Pell won. She is trained by Ann Lee.", "THE OAR - Spring 2025", "is trained by", "Ann Lee"),
    ("Ann Lee", "Ann Lee was married to the brother of the painter Bo Holt.", "Ann Lee", "was married to", "Bo Holt"),
    ("Bo Holt", "The sister of Bo Holt (also known as Red Fern) was a poet.", "Bo Holt", "also known as", "Red Fern"),
    ("Red Fern", "Red Fern is not a 1961 Danish film.", "Red Fern", "is a film of", "1961"),
    ("Red Fern", "It is not true that Red Fern, a film, was directed by Ann Lee.", "Red Fern", "was directed by", "Ann Lee"),
    ("Mary Pell", "Mary Pell is a singer. She met the sister of Bo Holt, former drummer of the band Storm Nine.", "Bo Holt", "former drummer of the band", "Storm Nine"),
    ("Tarn Shop", "Tarn Shop is a firm. The first branch was opened in Alding in 1989.", "Alding", "first branch was opened in", "1989"),
    ("Ann Lee", "Ann Lee was a diplomat who met Bo Holt, and for two terms president of the Tarn League.", "Ann Lee", "for two terms president of", "Tarn League"),
    ("Red Fern", "Red Fern is a film by Ann Lee, who was a Danish poet.", "Red Fern", "is a film of", "Danish"),
    ("Tarn Mill", "Tarn Mill is a mill. He has also served as the head of Alding School.", "Tarn Mill", "has served as the head of", "Alding School"),
]  # fmt: skip


def support(title: str, text: str, subject: str, predicate: str, object_: str) -> str:
    index = index_of(text, title=title)
    return support_in(HopClaim(subject, predicate, object_), index.sentences["c1"][-1], index)


@pytest.mark.parametrize("case", SAID, ids=lambda case: f"{case[2]}-{case[3]}")
def test_a_claim_in_the_words_of_its_sentence_is_stated(
    case: tuple[str, str, str, str, str],
) -> None:
    assert support(*case) == "stated"


@pytest.mark.parametrize("case", NOT_SAID, ids=lambda case: f"{case[2]}-{case[3]}")
def test_the_same_words_of_another_subject_or_denied_are_not(
    case: tuple[str, str, str, str, str],
) -> None:
    assert support(*case) != "stated"
