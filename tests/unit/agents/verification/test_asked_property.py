from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.asked_property import (
    strays,
    unsaid,
)
from hoptrail.core.types import Chunk, Evidence, Hit, TrailHop


def hop(number: int, subject: str, predicate: str, object_: str, quote: str) -> TrailHop:
    claim = f"{subject} {predicate} {object_}"
    chunk_id = f"c{number}"
    return TrailHop(
        number, claim, subject, predicate, object_, support="stated", chunk_id=chunk_id, quote=quote
    )


def told(question: str, *hops: TrailHop, more: tuple[Chunk, ...] = ()) -> str | None:
    quoted = tuple(
        Chunk(one.chunk_id or "", f"d/{one.hop}", "", one.quote or "", 0, 9) for one in hops
    )
    index = EvidenceIndex(Evidence(chunks=tuple(Hit(chunk) for chunk in (*quoted, *more))))
    return unsaid(question, hops, index)


STATION = hop(
    1, "Elm Station", "was designed by", "Ida Holm", "Elm Station was designed by Ida Holm."
)
BIRTH = hop(2, "Ida Holm", "was born in", "Varde", "Ida Holm was born in Varde.")


def test_a_trail_that_tells_what_is_asked_gives_no_reason() -> None:
    assert told("Who designed Elm Station?", STATION) is None
    assert told("Who was the architect of Elm Station?", STATION) is None
    assert told("Where was the designer of Elm Station born?", STATION, BIRTH) is None


def test_the_designer_of_a_station_is_not_that_of_its_pumps() -> None:
    assert told("Who designed the pumps of Elm Station?", STATION) is not None


def test_another_property_of_the_same_thing_is_named() -> None:
    assert told("Who founded Elm Station?", STATION) == ('the passage says nothing of "founded"')


def test_the_name_of_a_prize_does_not_tell_who_won_it() -> None:
    named = hop(
        1, "Elm Prize", "is named after", "Ida Holm", "The Elm Prize is named after Ida Holm."
    )
    assert told("Who won the Elm Prize?", named) == 'the passage says nothing of "won"'


def test_the_last_step_must_have_what_is_asked_last() -> None:
    assert told("Where did the designer of Elm Station die?", STATION, BIRTH) == (
        'step 2 says nothing of "die"'
    )


def test_a_trail_that_ends_on_the_way_is_too_short() -> None:
    question = "Which country is the designer of Elm Station from?"
    assert (
        told(question, STATION)
        == "no passage states each of the 2 steps that are asked in so many words"
    )


def test_a_kind_of_answer_need_not_be_spelled() -> None:
    crossed = hop(1, "Maple Bridge", "crosses", "Elm", "Maple Bridge crosses the Elm.")
    assert told("Which river does Maple Bridge cross?", crossed) is None


@pytest.mark.parametrize(("documents", "is_plain"), [(1, False), (6, True)])
def test_a_name_that_the_passage_lacks_matters_unless_it_stands_everywhere(
    documents: int, is_plain: bool
) -> None:
    others = tuple(
        Chunk(f"m{place}", f"m/{place}", "", "Krogh Ltd sells pumps.", 0, 9)
        for place in range(documents)
    )
    reason = told("Who designed Elm Station at Krogh Ltd?", STATION, more=others)
    assert (reason is None) == is_plain


def test_a_long_sentence_that_says_the_word_of_something_else() -> None:
    praised = "Elm Station was praised by Per Krogh, who founded a mill."
    quoted = hop(1, "Elm Station", "was praised by", "Per Krogh", praised)
    assert told("Who founded Elm Station?", quoted) == 'step 1 says nothing of "founded"'


def test_a_name_keeps_its_article_and_its_brackets() -> None:
    film = hop(1, "The Elm (film)", "directed by", "Ida Holm", "The Elm was directed by Ida Holm.")
    question = "Which country is the director of film The Elm (film) from?"
    assert (
        told(question, film)
        == "no passage states each of the 2 steps that are asked in so many words"
    )
    assert told("Who directed the film The Elm (film)?", film) is None


def test_one_sentence_may_tell_two_steps() -> None:
    built = "Ida Holm built the great telescope of the Elm Observatory."
    quoted = hop(1, "Ida Holm", "built the great telescope of", "Elm Observatory", built)
    assert told("Who built the great telescope of the Elm Observatory?", quoted) is None


def test_a_trail_of_more_steps_than_are_asked_has_walked_to_another_thing() -> None:
    height = hop(2, "Elm Station", "lies at a height of", "310 metres", "It lies at 310 metres.")
    assert strays("How tall was Ida Holm?", (STATION, height)) is not None
    assert strays("How high lies the station that Ida Holm designed?", (STATION, height)) is None
    assert strays("Where was the designer of Elm Station born?", (STATION, BIRTH)) is None


def test_a_trail_that_ends_at_what_is_asked_about_tells_of_no_other_thing() -> None:
    before = hop(1, "The yard", "employs", "Ida Holm", "The yard employs Ida Holm.")
    after = hop(2, "Ida Holm", "is", "1.80 metres", "Ida Holm is 1.80 metres.")
    told = strays("How tall was Ida Holm?", (before, after))
    assert told == "no passage states what is asked in so many words"
