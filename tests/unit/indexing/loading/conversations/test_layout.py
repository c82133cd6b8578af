from __future__ import annotations

from datetime import date

from hoptrail.core.conversation import is_conversation, messages
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Document
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.conversations.layout import Posting, lay_out, title_of
from hoptrail.indexing.loading.conversations.moments import Moment

NOON = Moment(date(2026, 5, 4), "12:00")


def test_a_common_moment_stands_once_above_the_messages() -> None:
    text = lay_out([Posting("Ann", NOON, "one"), Posting("Bo", NOON, "two")])
    assert text == "2026-05-04 12:00, Monday\nAnn: one\nBo: two"


def test_messages_of_a_day_keep_their_own_time() -> None:
    later = Moment(NOON.day, "12:05")
    text = lay_out([Posting("Ann", NOON, "one"), Posting("Bo", later, "two\nthree")])
    assert text == "2026-05-04, Monday\n12:00 Ann: one\n12:05 Bo: two three"


def test_what_an_event_says_before_a_colon_is_no_speaker() -> None:
    text = lay_out([Posting("", NOON, "Ann set the topic to: boats")])
    assert [one.speaker for one in messages(text)] == [""]


def test_a_name_run_together_is_parted_and_a_scottish_one_is_not() -> None:
    text = lay_out([Posting("AnnThale", NOON, "one"), Posting("McDonald", NOON, "two")])
    assert [one.speaker for one in messages(text)] == ["Ann Thale", "McDonald"]


def test_every_passage_of_a_long_conversation_begins_with_the_moment_and_a_speaker() -> None:
    said = "The harbour was full of boats that day, and nobody knew where they came from. " * 3
    long = [Posting("Ann", NOON, said), Posting("Bo", NOON, said * 5)] * 6
    text = lay_out(long)
    chunks = chunk_document(Document("d", "", text))
    assert len(chunks) > 5
    assert all(is_conversation(chunk.text) for chunk in chunks)
    assert all(one.speaker for chunk in chunks for one in messages(chunk.text))
    assert all(estimate_tokens(chunk.text) <= 330 for chunk in chunks)


def test_the_title_tells_who_spoke_and_when() -> None:
    later = Moment(date(2026, 5, 6))
    names = ["Ann", "Bo", "Cy", "Di", "Eve", "Finn"]
    assert title_of([Posting(name, NOON, "x") for name in names[:2]]) == "Ann and Bo, 2026-05-04"
    assert title_of(
        [*(Posting(name, NOON, "x") for name in names), Posting("Ann", later, "y")]
    ) == ("Ann, Bo, Cy, Di and 2 more, 2026-05-04 to 2026-05-06")
