"""Conversations as Markdown."""

from hoptrail.web.answer_text import answer_markdown


def test_an_answer_of_several_lines_keeps_its_lists_and_loses_what_could_load_or_run() -> None:
    text = "- **Ships** [reports: 1]\n- ![x](https://example.org/x) <img src=x>"

    shown = answer_markdown(text)

    assert shown.splitlines()[0] == r"- **Ships** \[reports: 1\]"
    assert shown.splitlines()[1] == r"- !\[x\](https://example.org/x) \<img src=x>"


def test_an_answer_of_one_line_is_shown_letter_for_letter() -> None:
    assert answer_markdown("a_b *c*") == r"a\_b \*c\*"
