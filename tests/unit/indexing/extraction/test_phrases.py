from __future__ import annotations

import pytest

from hoptrail.core.types import Chunk, ExtractedRelation, Extraction
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.indexing.extraction.phrases import extract_phrases


def extract(text: str, title: str = "") -> Extraction:
    return extract_phrases(Chunk("c", "d", title, text, 0, len(text)))


def names(extraction: Extraction) -> set[str]:
    return {entity.name for entity in extraction.entities}


def triples(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(rel.subject, rel.predicate, rel.object) for rel in extraction.relations}


def test_names_keep_their_connecting_words_and_initials() -> None:
    found = names(
        extract("He met J. R. R. Tolkien at the University of Oxford in the Bank of China.")
    )
    assert {"J. R. R. Tolkien", "University of Oxford", "Bank of China"} <= found


def test_values_are_objects_of_relations_in_words() -> None:
    stated = extract("Blue Mill opened on 12 May 1999 in Oslo.", "Blue Mill")
    assert ("Blue Mill", "opened on", "12 May 1999") in triples(stated)
    assert {entity.type for entity in stated.entities if entity.name == "12 May 1999"} == {"date"}


def test_a_value_without_such_a_relation_is_left_out() -> None:
    assert extract("Then, on 12 May, in 1921, for $3.5 million.") == Extraction()


def test_a_value_is_never_a_subject() -> None:
    found = triples(extract("In 1921 Ida Holm was Norwegian.", "Ida Holm"))
    assert found == {("Ida Holm", "was", "Norwegian")}


def test_a_speaker_is_the_i_of_a_line() -> None:
    text = "Ida: I'm a fan of Eric Clapton! I love Blue Mill.\nPaul: I like Oslo."
    assert triples(extract(text)) >= {
        ("Ida", "is a fan of", "Eric Clapton"),
        ("Ida", "love", "Blue Mill"),
        ("Paul", "like", "Oslo"),
    }


def test_a_pronoun_means_the_title_only_while_the_passage_speaks_of_it() -> None:
    text = "Ida Holm lived in Oslo. Paul Thale came. He left Bergen."
    assert ("Ida Holm", CO_OCCURS, "Bergen") in triples(extract(text, "Ida Holm"))


def test_a_labelled_line_is_a_fact_of_the_document() -> None:
    assert ("Assembly", "chair", "Ida Holm") in triples(extract("Chair:   Ida Holm", "Assembly"))


def test_a_first_word_counts_only_if_written_with_a_capital_elsewhere() -> None:
    assert names(extract("Bridges cross the river. Paris has many. The mayor of Paris left.")) == {
        "Paris"
    }


def test_function_words_never_begin_a_name() -> None:
    found = names(extract("Although Marie Curie won, nobody came. However Marie Curie stayed."))
    assert found == {"Marie Curie"}


def test_few_words_between_two_names_are_the_predicate() -> None:
    found = extract("Marie Curie was born in Warsaw.", "Marie Curie")
    assert found.relations == (
        ExtractedRelation(
            "Marie Curie", "was born in", "Warsaw", "Marie Curie was born in Warsaw."
        ),
    )


def test_names_far_apart_only_occur_together() -> None:
    text = "Marie Curie moved after a long time of hard work and study to Paris."
    assert triples(extract(text, "Marie Curie")) == {("Marie Curie", CO_OCCURS, "Paris")}


def test_a_pronoun_at_the_beginning_means_the_title() -> None:
    found = extract("She won the Nobel Prize.", "Marie Curie")
    assert ("Marie Curie", "won", "Nobel Prize") in triples(found)


def test_the_kind_of_thing_at_the_beginning_means_the_title() -> None:
    found = extract("The film stars Liam Neeson.", "Taken (film)")
    assert ("Taken (film)", "stars", "Liam Neeson") in triples(found)


def test_the_title_without_its_qualifier_is_the_same_thing() -> None:
    found = extract("Taken is set in Paris.", "Taken (film)")
    topic = found.entities[0]
    assert (topic.name, topic.type, topic.aliases) == ("Taken (film)", "film", ("Taken",))
    assert names(found) == {"Taken (film)", "Paris"}


def test_a_short_title_that_the_text_does_not_use_is_no_alias() -> None:
    assert extract("It is set in Paris.", "Taken (film)").entities[0].aliases == ()


def test_an_abbreviation_in_brackets_is_an_alias() -> None:
    found = extract("The World Health Organization (WHO) met in Geneva. The WHO left Geneva.")
    by_name = {entity.name: entity for entity in found.entities}
    assert by_name["World Health Organization"].aliases == ("WHO",)
    assert "WHO" not in by_name


def test_a_surname_means_the_full_name_before_it() -> None:
    found = extract("In 1903 Marie Curie left Poland. Later Curie saw Paris.")
    assert "Curie" not in names(found)
    assert ("Marie Curie", "saw", "Paris") in triples(found)


def test_a_first_name_means_the_person_before_it() -> None:
    found = extract("In 2019 Omar Haddad took over. Omar studied in Manchester.")
    assert "Omar" not in names(found)
    assert ("Omar Haddad", "studied in", "Manchester") in triples(found)


def test_it_is_not_the_title_behind_a_sentence_on_another_thing() -> None:
    text = "The piano was bought in 1971. It was tuned by Bo Okell."
    found = triples(extract(text, "Hartley Village Hall"))
    assert ("Hartley Village Hall", "was tuned by", "Bo Okell") not in found


def test_what_a_name_owns_is_part_of_the_name() -> None:
    found = extract("They sang at St Aldhelm's Church near Ann Holt's van.")
    assert names(found) == {"St Aldhelm's Church", "Ann Holt"}


def test_a_place_within_a_longer_name_stays_itself() -> None:
    assert "Africa" in names(extract("They left South Africa. Most of Africa was calm."))


def test_a_title_with_commas_is_one_name() -> None:
    found = extract("It read Culture, Society and Myth in Rome.", "Culture, Society and Myth")
    assert names(found) == {"Culture, Society and Myth", "Rome"}


def test_the_first_sentence_describes_the_title() -> None:
    found = extract("Oslo is a city. It has a port.", "Oslo")
    assert found.entities[0].description == "Oslo is a city."


def test_a_heading_describes_nothing() -> None:
    found = extract("# Oslo\n\nOslo is a city. It has a port.", "Oslo")
    assert found.entities[0].description == "Oslo is a city."
    assert extract("# Oslo\n\n## Oslo in winter", "Oslo").entities[0].description == ""


def test_relations_per_sentence_are_capped() -> None:
    text = "Oslo met " + ", ".join(f"Town{chr(65 + i)}" for i in range(20)) + "."
    assert len(extract(text, "Oslo").relations) == 8


def test_a_text_without_names_gives_nothing() -> None:
    assert extract("nothing here to see.") == Extraction()


def test_text_of_other_scripts_gives_numbers_only() -> None:
    assert names(extract("東京は日本の首都です。 1868年")) == set()


NEWS = "THE OAR - Spring 2025"


def test_she_below_a_newsletters_title_is_who_was_just_named() -> None:
    text = "THE OAR - Spring 2025\n\nOur junior Ida Holm won in Corby. She is trained by Bo Thale."
    found = triples(extract(text, NEWS))
    assert ("Ida Holm", "is trained by", "Bo Thale") in found
    assert not any(NEWS in (subject, object_) for subject, _, object_ in found)


def test_she_is_the_only_person_of_the_sentence_before() -> None:
    text = "It was made by Tove Lind, an engineer. She designed the Crab too."
    assert ("Tove Lind", "designed", "Crab") in triples(extract(text, "Ball machine Lobster"))


@pytest.mark.parametrize(
    "text",
    [
        "Ida Holm spoke.\n\nHe thanked Bo Thale.",  # another paragraph
        "In Oslo we met Ida Holm and Eva Reed. She thanked Bo Thale.",
        "The roof of the Blue Mill is done. He thanked Bo Thale.",
    ],
)
def test_a_personal_pronoun_that_may_be_several_or_nobody_is_left_alone(text: str) -> None:
    found = triples(extract(text, "Minutes of the meeting"))
    assert not any("Bo Thale" == object_ for _, said, object_ in found if said == "thanked")


@pytest.mark.parametrize("opener", ["It was founded in", "They moved to", "This came from"])
def test_no_pronoun_means_a_text(opener: str) -> None:
    title = "Handbook for new members"
    found = extract(f"# {title}\n\nWelcome to the club! {opener} Oslo.", title)
    assert not any(title in (one.subject, one.object) for one in found.relations)


def test_it_may_mean_a_title_like_that_of_a_text_where_the_passage_speaks_of_it() -> None:
    text = "Minority Report is a film. It was shot in Oslo."
    assert ("Minority Report", "was shot in", "Oslo") in triples(extract(text, "Minority Report"))


ROWS = """Flat: 11; Tenant: Ida Holm; Rent GBP: 1,150; Moved in: 2021-03-01
Flat: 12; Tenant: Oslo group; Rent GBP: 95; Moved in: 2019-10-15"""


def test_a_row_is_told_of_its_code_with_the_name_of_the_column() -> None:
    found = triples(extract(ROWS, "residents"))
    assert found >= {
        ("Flat 11", "tenant", "Ida Holm"),
        ("Flat 12", "tenant", "Oslo group"),
        ("Flat 11", "rent GBP", "1,150"),
        ("Flat 11", "moved in", "2021-03-01"),
    }


def test_a_row_is_told_of_its_name_where_it_has_one() -> None:
    row = "Article no.: 4711; Description: Hinge, brass, 40 mm; Price EUR: 6,80"
    assert triples(extract(f"{row}\n{row.replace('4711', '4712')}", "prices")) >= {
        ("Hinge, brass, 40 mm", "price EUR", "6,80"),
        ("Hinge, brass, 40 mm", "article no.", "4711"),
    }


def test_the_first_cell_of_a_row_says_nothing_of_the_title() -> None:
    rows = "Berth: Hall A; Owner: Ida Holm\nBerth: Hall B; Owner: Paul Thale"
    assert not any(one == "Yard" for one, _, _ in triples(extract(rows, "Yard")))


def test_numbers_of_a_row_are_values() -> None:
    values = {one.name for one in extract(ROWS, "residents").entities if one.type == "number"}
    assert values == {"1,150", "95"}


def test_the_order_of_words_gives_no_relations_in_other_languages() -> None:
    text = (
        "Das Museum Altwerk wurde 1978 von Greta Lindner gegründet. Greta Lindner wurde in "
        "Bremerhaven geboren. Das Museum ist montags geschlossen."
    )
    found = extract_phrases(Chunk("c", "d", "Museum Altwerk", text, 0, len(text)))
    assert {relation.predicate for relation in found.relations} == {CO_OCCURS}
