from __future__ import annotations

from hoptrail.core.types import Chunk, Extraction
from hoptrail.indexing.extraction.phrases import extract_phrases

TEXT = """2026-06-15 09:00, Monday
Jennifer Moore: Hey Li Hua! Can't wait to see the Harbour Museum! I met Bo Lund there.
Li Hua: I'm in, Jennifer! Great idea. Stretching helps. Sage will come too.
Sage: Ugh, asap please!"""


def extraction(title: str = "Jennifer Moore, Li Hua and Sage, 2026-06-15") -> Extraction:
    return extract_phrases(Chunk("c", "d", title, TEXT, 0, len(TEXT)))


def test_whoever_speaks_is_a_name_and_words_of_talk_are_none() -> None:
    names = {entity.name for entity in extraction().entities if not entity.type}
    assert names == {"Jennifer Moore", "Li Hua", "Sage", "Harbour Museum", "Bo Lund"}


def test_who_wrote_on_which_day_is_a_fact_with_the_message() -> None:
    told = [one for one in extraction().relations if one.predicate == "wrote on"]
    assert [(one.subject, one.object) for one in told] == [
        ("Jennifer Moore", "2026-06-15"),
        ("Li Hua", "2026-06-15"),
        ("Sage", "2026-06-15"),
    ]
    assert told[2].description == "2026-06-15 09:00 Sage: Ugh, asap please!"


def test_i_is_who_speaks() -> None:
    said = {(one.subject, one.object) for one in extraction().relations}
    assert ("Jennifer Moore", "Bo Lund") in said
