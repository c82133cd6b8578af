"""The head of a message: what it tells counts where the sentences of the message are read."""

import pytest

from hoptrail.agents.verification.verifier import Verification, verify
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Draft, HopClaim

TEXT = """2026-10-12 10:00, Monday
Adam Holt: Hey Bo! Just wanted to ask you if you have received the curtains.
Bo Thale: Thanks. They arrived yesterday. I really like the patterns. I've paid the rent.
Adam Holt: I have not sold the boat."""
CHUNK = Chunk("c1", "d1", "chat", TEXT, 0, len(TEXT))
QUESTION = "What happened?"


def checked(subject: str, predicate: str, object_: str, answer: str) -> Verification:
    hop = HopClaim(subject, predicate, object_, "c1")
    draft = Draft("generic", answers=(answer,), hops=(hop,))
    return verify(draft, QUESTION, "bridge", Evidence(chunks=(Hit(CHUNK),)))


@pytest.mark.parametrize(
    ("subject", "predicate", "object_"),
    [
        ("Adam Holt", "asked on 12 October 2026", "if you have received the curtains"),
        ("Adam Holt", "asked whether Bo had received the curtains on", "2026-10-12"),
        ("Bo Thale", "said that he really likes", "the patterns"),
        ("Bo Thale", "really likes", "the patterns"),
        ("Bo", "has paid", "the rent"),
    ],
)
def test_what_a_message_tells_with_its_head_is_stated(
    subject: str, predicate: str, object_: str
) -> None:
    verdict = checked(subject, predicate, object_, object_)
    assert verdict.trail.hops[0].support == "stated"


@pytest.mark.parametrize(
    ("subject", "predicate", "object_"),
    [
        ("Adam Holt", "asked on 13 October 2026", "if you have received the curtains"),
        ("Bo Thale", "asked", "if you have received the curtains"),
        ("Adam Holt", "asked about the rent on", "2026-10-12"),
        ("Bo Thale", "paid the rent on", "2026-10-12"),
        ("Adam Holt", "has sold", "the boat"),
        ("Adam Holt", "said that he has sold", "the boat"),
    ],
)
def test_what_it_does_not_tell_is_not_stated(subject: str, predicate: str, object_: str) -> None:
    assert checked(subject, predicate, object_, object_).trail.hops[0].support != "stated"


def test_the_day_of_a_message_and_its_writer_stand_in_the_trail() -> None:
    told = ("Adam Holt", "asked whether Bo had received the curtains on", "2026-10-12")
    assert checked(*told, answer="12 October 2026").verified
    assert checked(*told, answer="Adam Holt").verified
    assert not checked(*told, answer="13 October 2026").verified


def test_a_day_that_is_only_that_of_the_message_is_no_day_of_what_it_tells() -> None:
    verdict = checked("Bo Thale", "paid the rent on", "2026-10-12", "2026-10-12")
    assert (verdict.verified, verdict.trail.hops[0].support) == (True, "partly")
