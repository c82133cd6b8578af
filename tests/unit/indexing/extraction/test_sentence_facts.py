from __future__ import annotations

import pytest

from hoptrail.indexing.extraction.mention_patterns import Topic
from hoptrail.indexing.extraction.mentions import find_mentions
from hoptrail.indexing.extraction.sentence_facts import sentence_facts


def facts(text: str) -> set[tuple[str, str, str]]:
    (mentions,) = find_mentions(text, [(0, len(text))], Topic.of(""))
    return {
        (mentions[fact.subject].name, fact.predicate, mentions[fact.object].name)
        for fact in sentence_facts(text, 0, len(text), mentions)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ada Byron was born in 1815 in Oslo.",
            {("Ada Byron", "was born in", "1815"), ("Ada Byron", "was born in", "Oslo")},
        ),
        (
            "Blue Mill stars Ida Holm, Paul Thale and Beth Quillam.",
            {
                ("Blue Mill", "stars", "Ida Holm"),
                ("Blue Mill", "stars", "Paul Thale"),
                ("Blue Mill", "stars", "Beth Quillam"),
            },
        ),
        (
            "Blue Mill is a 1999 American horror film directed by Ida Holm.",
            {("Blue Mill", "is", "American"), ("Blue Mill", "directed by", "Ida Holm")},
        ),
        ("Ida Holm (born 1961), until last year head, left.", {("Ida Holm", "born", "1961")}),
        (
            "Ida Holm (1901 – 1961) was a Norwegian painter.",
            {("Ida Holm", "was", "Norwegian")},
        ),
        (
            "Skerrow Museum in Oslo was founded by Ida Holm.",
            {("Skerrow Museum", "in", "Oslo"), ("Skerrow Museum", "was founded by", "Ida Holm")},
        ),
        (
            "It was made by Ida Holm, who founded Blue Mill.",
            {("Ida Holm", "founded", "Blue Mill")},
        ),
        (
            "Ida Holm, daughter of Paul Thale, left.",
            {("Ida Holm", "daughter of", "Paul Thale")},
        ),
        ("It stars Ida Holm as Beth.", {("Ida Holm", "as", "Beth")}),
    ],
)
def test_the_order_of_words_tells_who_does_what(
    text: str, expected: set[tuple[str, str, str]]
) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "In 1921 was Norwegian law.",
        "The mayor of Oslo was born in Bergen.",
        "She works at Skerrow's bakery in the FPS games.",
        "Ida Holm to parents who had come from Oslo.",
        "Ida Holm | Oslo | Bergen",
        "'Yes,' said Ida Holm to Paul.",
    ],
)
def test_where_the_order_leaves_a_doubt_nothing_is_stated(text: str) -> None:
    assert facts(text) == set()
