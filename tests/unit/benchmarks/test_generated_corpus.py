from __future__ import annotations

import pytest

from benchmarks.generated_corpus import Article, asked, generated, renewed

COUNT = 600


@pytest.fixture(scope="module")
def articles() -> list[Article]:
    return list(generated(COUNT))


def test_a_longer_corpus_begins_with_a_shorter_one(articles: list[Article]) -> None:
    assert list(generated(COUNT // 3)) == articles[: COUNT // 3]
    assert list(generated(COUNT, seed=6)) != articles


def test_a_question_is_answered_by_its_articles_step_by_step(articles: list[Article]) -> None:
    questions = asked(COUNT, 60)
    assert {len(question.support) for question in questions} == {2, 3}
    for question in questions:
        first, *others = (articles[int(id_)] for id_ in question.support)
        assert first.title in question.text
        said = first.text
        for article in others:
            assert article.title in said
            said = article.text
        assert question.answer in said
        assert question.answer not in question.text


def test_a_question_begins_with_a_name_that_one_article_has(articles: list[Article]) -> None:
    titles = [article.title for article in articles if article.like == article.id]
    for question in asked(COUNT, 60):
        assert titles.count(articles[int(question.support[0])].title) == 1


def test_an_article_that_nearly_repeats_another_has_its_facts(articles: list[Article]) -> None:
    again = [article for article in articles if article.like != article.id]
    assert again
    for article in again:
        other = articles[int(article.like)]
        assert article.title == other.title
        own, of_other = (set(one.text.rstrip(".").split(". ")) for one in (article, other))
        assert len(own - of_other) == len(of_other - own) <= 1


def test_people_have_namesakes(articles: list[Article]) -> None:
    born = [one.text.partition(" in ")[0] for one in articles if "was born in" in one.text]
    assert len(set(born)) > len({text.partition(" was ")[0] for text in born})


def test_a_renewed_article_says_one_thing_more(articles: list[Article]) -> None:
    (after,) = renewed(articles[:1])
    assert after.text.startswith(articles[0].text)
    assert after.text != articles[0].text
