from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.sentence_reader import SentenceReader
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import HopClaim


def claim(question: str, title: str, text: str) -> HopClaim:
    chunk = Chunk("c1", "folder/a.txt", title, text, 0, len(text))
    index = EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0),)))
    reading = SentenceReader(index).read(question)[0]
    (made,) = claims_of(question, [reading], SentenceGraph(index))
    return made


def test_thing_that_the_question_names_is_the_subject() -> None:
    made = claim("What does the Nivo weigh?", "Air", "The Nivo weighs 420 g.")
    assert (made.subject, made.predicate, made.object) == ("Nivo", "weighs", "420 g")


def test_word_of_the_question_is_the_subject_and_not_the_title() -> None:
    made = claim("How deep is the pond?", "History of the society", "The pond is 2.4 metres deep.")
    assert (made.subject, made.object) == ("pond", "2.4 metres")


def test_cell_that_the_question_names_is_the_subject_of_a_row() -> None:
    made = claim("What is the price of Hall A?", "Prices", "code: X 1; berth: Hall A; price: 18400")
    assert (made.subject, made.predicate, made.object) == ("Hall A", "price", "18400")


def test_number_of_a_row_is_its_subject_with_the_label() -> None:
    made = claim("Who is the tenant of plot 13?", "Plots", "plot: 13; tenant: Deniz Aktas")
    assert (made.subject, made.predicate, made.object) == ("plot 13", "tenant", "Deniz Aktas")


def test_words_of_the_question_that_stand_together_before_the_value_are_the_subject() -> None:
    made = claim(
        "Which firm repaired the boat house?",
        "Minutes of the club",
        "The boat house was repaired by Orrin & Sons for 412 pounds.",
    )
    assert (made.subject, made.predicate, made.object) == (
        "boat house",
        "was repaired by",
        "Orrin & Sons",
    )


def test_pronoun_stands_for_the_name_that_the_sentence_before_begins_with() -> None:
    made = claim(
        "Who is the owner of Orrin & Sons?",
        "Boat house",
        "Orrin & Sons are in Mill Lane. Their owner, Tove Ranhild, was at school with me.",
    )
    assert (made.subject, made.predicate, made.object) == ("Orrin & Sons", "owner", "Tove Ranhild")
