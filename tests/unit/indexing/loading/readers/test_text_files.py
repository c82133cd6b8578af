"""Markdown and reStructuredText."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.text_files import markdown_blocks, read_markdown, read_rst


def rst(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "a.rst"
    path.write_text(text)
    return [block.text for block in read_rst(path).blocks if block.text]


def markdown(tmp_path: Path, text: str) -> Content:
    path = tmp_path / "a-note.md"
    path.write_text(text)
    return read_markdown(path)


LINKED = "A *red* **boat** and `code`, [the yard](https://example.org) ![a mast](m.png)"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        # Marks and addresses are no text; items, headings and code are blocks.
        (LINKED, ["A red boat and code, the yard a mast"]),
        (
            "# Yard\n\n- one\n- two\n\n```\nx = 1\n```\n\nEnd.",
            ["# Yard", "- one", "- two", "x = 1", "End."],
        ),
        # A question in bold heads the paragraph or the rest of the item below it.
        (
            "# Help\n\n**Can I bring *a* guest?**\n\nYes, **one** guest.\n",
            ["# Help", "###### Can I bring a guest?", "Yes, one guest."],
        ),
        (
            "1. **Is it heated?**\n\n   From May on.\n\n2. Bring a towel.\n",
            ["###### Is it heated?", "From May on.", "- Bring a towel."],
        ),
        ("Is it **heated?**", ["Is it heated?"]),
        ("**Do not enter.**", ["Do not enter."]),
    ],
)
def test_markdown_is_read_in_blocks(source: str, told: list[str]) -> None:
    assert [block.text for block in markdown_blocks(source)] == told


def test_a_question_in_bold_is_no_title(tmp_path: Path) -> None:
    assert markdown(tmp_path, "**Is it heated?**\n\nFrom May on.\n").title == "a note"


def test_front_matter_gives_the_title_and_lines(tmp_path: Path) -> None:
    content = markdown(tmp_path, "---\ntitle: 'Tar'\ntags:\n  - oil\n  - tar\n---\n# Other\n")
    assert content.title == "Tar"
    assert [block.text for block in content.blocks] == ["tags: oil, tar", "# Other"]


def test_a_rule_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    assert markdown(tmp_path, "---\n\nText of the note.\n").joined()[0] == "Text of the note."


def test_rst_headings_take_their_level_from_the_order_of_their_marks(tmp_path: Path) -> None:
    source = "Yard\n====\n\nSheds\n-----\n\nText.\n\nLifts\n=====\n"
    assert rst(tmp_path, source) == ["# Yard", "## Sheds", "Text.", "# Lifts"]


def test_rst_comments_targets_and_code_are_left_out(tmp_path: Path) -> None:
    source = (
        "One::\n\n    code()\n\n.. comment\n   goes on\n\n.. _a: https://b\n\nTwo `c`_ and ``d``."
    )
    assert rst(tmp_path, source) == ["One:", "Two c and d."]


def test_rst_tables_are_told_row_by_row(tmp_path: Path) -> None:
    grid = "+------+-----+\n| Rope | m   |\n+======+=====+\n| Main | 34  |\n+------+-----+\n"
    assert rst(tmp_path, grid) == ["Rope: Main; m: 34"]
    simple = "====  ===\nRope  m\n====  ===\nMain  34\n====  ===\n"
    assert rst(tmp_path, simple) == ["Rope: Main; m: 34"]


def test_rst_fields_are_lines(tmp_path: Path) -> None:
    assert rst(tmp_path, ":Author: Ada Lund\n") == ["Author: Ada Lund"]


def test_rst_questions_in_bold_head_the_paragraph_below_them(tmp_path: Path) -> None:
    source = "**Is it heated?**\n\nFrom **May** on.\n"
    assert rst(tmp_path, source) == ["###### Is it heated?", "From May on."]
