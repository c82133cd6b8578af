from __future__ import annotations

from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.reader import readings
from hoptrail.agents.verification.statement import support_in
from hoptrail.core.types.draft import HopClaim
from hoptrail.testing import HashingEmbedder
from tests.unit.agents.conftest import index_of


def claim(question: str, title: str, text: str) -> HopClaim:
    index = index_of(text, title=title)
    around = Surroundings(index, TextSimilarity(HashingEmbedder().embed))
    found = readings(question, around)[0].candidate
    made = claims_of(read_query(question), found, around)[-1]
    assert support_in(made, around.statements[found.at].sentence, index) == "stated"
    return made


def test_subject_and_predicate_are_the_words_before_the_value() -> None:
    made = claim(
        "Which firm repaired the boat house?",
        "Minutes of the club",
        "The boat house was repaired by Orrin & Sons for 412 pounds.",
    )
    assert (made.subject, made.predicate, made.object) == (
        "The boat house",
        "was repaired by",
        "Orrin & Sons",
    )


def test_helpers_of_the_verb_belong_to_the_predicate() -> None:
    made = claim("Who takes the photographs?", "Letter", "Photographs will be taken by Ann Holt.")
    assert (made.subject, made.predicate) == ("Photographs", "will be taken by")


def test_value_that_opens_the_clause_is_the_subject() -> None:
    made = claim("Who gets the roof work?", "Roof", "Cawdrey Roofing gets the roof work in May.")
    assert made.subject == "Cawdrey Roofing"


def test_key_cell_is_the_subject_of_a_row() -> None:
    made = claim("What is the price of Hall A?", "Prices", "name: Hall A; code: 1; price: 184.00")
    assert (made.subject, made.predicate, made.object) == ("Hall A", "price", "184.00")


def test_code_with_its_column_is_the_subject_of_a_row_that_the_question_names_by_it() -> None:
    rows = "Article no.: 4711; Description: Hinge, brass; Price EUR: 6,80"
    made = claim("What does article 4711 cost?", "Prices", rows)
    assert (made.subject, made.predicate, made.object) == ("Article no. 4711", "Price EUR", "6,80")


def test_clause_that_opens_the_sentence_is_no_part_of_the_claim() -> None:
    text = "If you want to leave, the notice period is three months."
    made = claim("How long is the notice period?", "Lease", text)
    assert (made.subject, made.predicate, made.object) == (
        "the notice period",
        "is",
        "three months",
    )


def test_title_is_the_subject_of_a_labelled_line() -> None:
    made = claim("How much does a Sorinetta weigh?", "Sorinetta", "Weight of a wheel: 6.5 kg")
    assert (made.subject, made.predicate, made.object) == (
        "Sorinetta",
        "Weight of a wheel",
        "6.5 kg",
    )


def test_pronoun_stands_for_the_name_that_the_sentence_before_begins_with() -> None:
    made = claim(
        "When did Tam come to Marrowby?", "Staff", "Tam Okafor is a vet. He came here in 2019."
    )
    assert (made.subject, made.object) == ("Tam Okafor", "2019")


CHAT = """2024-09-14, Saturday
10:20 Grace: I have ordered 400 tulip bulbs. They come on 3 October, who helps?
10:22 Tomasz: 400!!
10:31 Samir: the slugs ate the lettuce"""


def test_who_speaks_is_the_subject_of_what_is_said() -> None:
    made = claim("Who has ordered the tulip bulbs?", "Garden group", CHAT)
    assert made.subject == "Grace"
    assert f"{made.predicate} {made.object}" == "has ordered 400 tulip bulbs"


def test_i_in_a_conversation_is_who_speaks() -> None:
    made = claim("How many tulip bulbs have been ordered?", "Garden group", CHAT)
    assert (made.subject, made.object) == ("Grace", "400")


def test_a_bracket_that_is_closed_before_the_value_begins_no_clause() -> None:
    made = claim("What does the hall cost?", "Prices", "The hall (with its stage) costs £90 a day.")
    assert (made.subject, made.predicate) == ("The hall (with its stage)", "costs")


def test_the_last_of_a_list_is_no_object_of_the_one_before_it() -> None:
    quotes = "We asked Hallam Heating, Crown Gas (£36,900) and T. Boyle."
    index = index_of(quotes, title="Quotes for the boiler", doc_id="a.txt")
    around = Surroundings(index, TextSimilarity(HashingEmbedder().embed))
    (boyle,) = [one for one in around.values_of(0) if one.text == "T. Boyle"]
    (made,) = claims_of(read_query("Who was asked?"), Candidate(boyle, 0, 1.0), around)
    assert "£36,900)" not in {made.subject, made.predicate}
