"""Delimited tables, JSON, notebooks and mails, beyond what the everyday documents hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.registry import read_file


def read(tmp_path: Path, name: str, data: str) -> Content:
    path = tmp_path / name
    path.write_text(data, encoding="utf-8", newline="")
    return read_file(path)


def texts(content: Content) -> list[str]:
    return [block.text for block in content.blocks]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str, tmp_path: Path) -> None:
    rows = ["Berth", "Price"], ["Hall A", "1.200"], ["Hall B", "900"]
    data = "\r\n".join(delimiter.join(row) for row in rows)
    assert texts(read(tmp_path, "a.csv", data))[0] == "Berth: Hall A; Price: 1.200"


def test_a_table_of_one_column_is_a_list(tmp_path: Path) -> None:
    assert texts(read(tmp_path, "a.csv", "Oak\nLarch\n")) == ["Oak", "Larch"]


def test_items_of_a_json_list_have_numbers(tmp_path: Path) -> None:
    content = read(tmp_path, "a.json", '[{"name": "Oak"}, {"name": "Larch", "dry": true}]')
    assert [(block.text, block.place) for block in content.blocks] == [
        ("name: Oak", "item 1"),
        ("name: Larch; dry: yes", "item 2"),
    ]


def test_what_is_within_is_told_by_the_names_that_lead_to_it(tmp_path: Path) -> None:
    content = read(tmp_path, "a.json", '{"lift": {"motor": {"power": 118}, "tags": ["a", "b"]}}')
    assert texts(content) == ["lift, motor: power: 118", "lift, tags: a, b"]


def test_a_notebook_without_cells_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="format 4"):
        read(tmp_path, "a.ipynb", json.dumps({"worksheets": []}))


def test_a_mail_without_a_known_encoding_is_read(tmp_path: Path) -> None:
    mail = (
        "From: a@b.example\nSubject: Covers\nContent-Type: text/plain; charset=x-none\n\nAt noon."
    )
    content = read(tmp_path, "a.eml", mail)
    assert (content.title, texts(content)[-1]) == ("Covers", "At noon.")


def test_an_invitation_of_a_mail_is_read_as_its_event(tmp_path: Path) -> None:
    mail = (
        "From: ann@example.org\nSubject: Gala\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHi.\n--x\n"
        'Content-Type: text/calendar\nContent-Disposition: attachment; filename="gala.ics"\n\n'
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Gala\nDTSTART;VALUE=DATE:20261126\n"
        "END:VEVENT\nEND:VCALENDAR\n--x--\n"
    )
    text, places, _ = read(tmp_path, "a.eml", mail).joined()
    assert text.endswith("Event: Gala; Date: Thursday, 26 November 2026")
    assert places[-1][1] == "attachment gala.ics"


def test_attachments_that_are_no_text_are_named(tmp_path: Path) -> None:
    mail = (
        "From: a@b.example\nSubject: Covers\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="x"\n\n--x\n\nSee the plan.\n--x\n'
        'Content-Type: application/pdf\nContent-Disposition: attachment; filename="plan.pdf"\n'
        "Content-Transfer-Encoding: base64\n\nJVBERg==\n--x--\n"
    )
    content = read(tmp_path, "a.eml", mail)
    assert "See the plan." in texts(content)
    ((part, reason),) = content.left_out
    assert part == "attachment plan.pdf"
    assert "application/pdf" in reason
