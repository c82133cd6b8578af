"""Conversations as Markdown."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.types import Answer, Citation, NearestPassage, Trail, TrailHop
from hoptrail.web.answer_text import (
    answer_markdown,
    answer_of,
    chat_text,
    conversation_markdown,
    sources_of,
    without_pictures,
)

PAGE = "http://localhost:8077/"
HOP = TrailHop(1, "Ann founded Oak", doc_id="t/a", chunk_id="c", start=3, end=9, quote="Ann did.")
NEAR = NearestPassage("t/n", "c", "Near", 0, 4, "Near.", 0.5)


def test_an_answer_of_several_lines_keeps_its_lists_and_loses_what_could_load_or_run() -> None:
    text = "- **Ships** [reports: 1]\n- ![x](https://example.org/x) <img src=x>"

    shown = answer_markdown(text)

    assert shown.splitlines()[0] == r"- **Ships** \[reports: 1\]"
    assert shown.splitlines()[1] == r"- !\[x\](https://example.org/x) \<img src=x>"


def test_an_answer_of_one_line_is_shown_letter_for_letter() -> None:
    assert answer_markdown("a_b *c*") == r"a\_b \*c\*"


def answer(text: str = "Ann", *hops: TrailHop, **fields: object) -> Answer:
    return Answer("Who?", text, trail=Trail(hops), **fields)  # type: ignore[arg-type]


def test_each_quote_is_one_source_with_the_title_of_its_citation() -> None:
    cited = Citation("c", "t/a", "Of Ann", 3, 9, "Ann did.")
    more = Citation("d", "t/b", "Of Ben", 0, 4, "Ben.")

    found = sources_of(answer("Ann", HOP, HOP, citations=(cited, more)))

    assert [(one.title, one.quote) for one in found] == [("Of Ann", "Ann did."), ("Of Ben", "Ben.")]


def test_a_step_without_a_quote_is_no_source() -> None:
    assert sources_of(answer("Ann", TrailHop(1, "Ann founded Oak"))) == []


def test_marks_are_where_the_annotations_say() -> None:
    text = chat_text(answer("Ann", HOP), PAGE, "kb", with_sources=True)

    whole = "Ann" + text.ending
    (one,) = text.annotations
    cited = one["url_citation"]
    assert whole[cited["start_index"] : cited["end_index"]] == "[1]"
    assert cited["url"] == f"{PAGE}#/document?kb=kb&id=t%2Fa&start=3&end=9"


@given(st.text("![]x( ", max_size=12))
def test_pictures_become_links(text: str) -> None:
    sent = without_pictures(text)
    assert "![" not in sent
    assert sent.replace("!", "") == text.replace("!", "")


def test_marks_follow_what_is_left_of_a_picture() -> None:
    given = answer("![a](http://x/)", HOP)
    text = chat_text(given, PAGE, "kb", with_sources=True)
    whole = without_pictures(given.text) + text.ending
    cited = text.annotations[0]["url_citation"]
    assert whole[cited["start_index"] : cited["end_index"]] == "[1]"


def test_an_abstention_has_the_nearest_passages_and_no_marks() -> None:
    text = chat_text(
        answer("I don't know.", abstained=True, nearest=(NEAR,)), PAGE, "kb", with_sources=True
    )

    assert text.annotations == ()
    assert "Nearest passages" in text.ending and "Near" in text.ending


def test_documents_cannot_write_markdown_into_the_list() -> None:
    hostile = "](http://evil.example) <img src=x> `a` *b*\n# c"
    hop = TrailHop(1, "x", doc_id="t/a", start=0, end=4, quote=hostile)

    text = chat_text(answer("Ann", hop), PAGE, "kb", with_sources=True)
    told = conversation_markdown(hostile, [answer("Ann", hop)])

    for written in (text.ending, told):
        assert not re.search(r"(?<!\\)(\]\(http://evil|<img|`a|\*b)|\n# c", written)


@given(st.text(alphabet="Ann 12.,[]", max_size=40), st.booleans())
def test_the_answer_is_found_again_in_what_was_sent(text: str, perhaps: bool) -> None:
    given_answer = answer(text, HOP, perhaps=perhaps, perhaps_reason="a date is asked for")
    sent = text + chat_text(given_answer, PAGE, "kb", with_sources=True).ending

    assert answer_of(sent) == answer_of(text)


def test_what_an_answer_says_itself_stays() -> None:
    assert answer_of("Ann [1] [2]") == "Ann"
    assert answer_of("See [1](http://x) and [reports: 3]") == "See [1](http://x) and [reports: 3]"
